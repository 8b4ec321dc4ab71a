import { z } from 'zod';
import { FlatApproval } from '../run/flat-approval.ts';
import type { Json, Limits } from '../run/values.ts';

/** A run that has begun. */
export const StartedRun = z.object({ run: z.string(), conversation: z.string(), events: z.string() });
export type StartedRun = z.infer<typeof StartedRun>;

/** A run in a list. */
export const ListedRun = z.object({
  run: z.string(),
  conversation: z.string(),
  app: z.string(),
  title: z.string(),
  status: z.enum(['running', 'waiting', 'paused', 'completed', 'failed', 'stopped']),
  approvals: z.int(),
  seq: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type ListedRun = z.infer<typeof ListedRun>;

export const RunPage = z.object({ runs: z.array(ListedRun), next: z.string().nullable() });
export type RunPage = z.infer<typeof RunPage>;

/** An approval, with the run it belongs to. */
export const AskedApproval = FlatApproval.extend({
  run: z.string(),
  conversation: z.string(),
  app: z.string(),
  request: z.string(),
});
export type AskedApproval = z.infer<typeof AskedApproval>;

export const ApprovalPage = z.object({ approvals: z.array(AskedApproval), next: z.string().nullable() });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

/** What became of something that was asked of a run. */
export const Commanded = z.object({
  run: z.string(),
  /** The entry it became; null while nobody can work on the run. */
  seq: z.int().nullable(),
  changed: z.boolean(),
});
export type Commanded = z.infer<typeof Commanded>;

export const KeptFile = z.object({ file: z.string(), name: z.string(), type: z.string(), size: z.int() });
export type KeptFile = z.infer<typeof KeptFile>;

/** A file that was sent before, or a small thing itself. */
export interface GivenAttachment {
  readonly file?: string;
  readonly type?: string;
  readonly title?: string;
  readonly data?: string;
  readonly url?: string;
}

/** What to run. */
export interface StartRequest {
  readonly text: string;
  /** Needed where the server has several apps and no default. */
  readonly app?: string;
  readonly attachments?: readonly GivenAttachment[];
  readonly conversation?: string;
  /** Less than the app allows. */
  readonly limits?: Limits;
  readonly labels?: Readonly<Record<string, string>>;
  /** The same again starts nothing new. */
  readonly idempotencyKey?: string;
}

/** What a person makes of an approval. */
export interface DecisionRequest {
  readonly decision: 'approve' | 'reject' | 'edit' | 'defer';
  readonly rationale?: string;
  /** With `edit`: what shall run instead. */
  readonly arguments?: Json;
  /** What was filled in, where the question has a schema. */
  readonly answer?: Json;
  /** The fingerprint that was looked at: if the question has changed since, nothing is decided. */
  readonly fingerprint?: string;
  /** With `defer`: milliseconds since 1970. */
  readonly until?: number;
}

/** Which runs to list. */
export interface RunFilter {
  readonly app?: string;
  readonly conversation?: string;
  readonly status?: ListedRun['status'];
  readonly unfinished?: boolean;
  readonly waiting?: boolean;
  readonly search?: string;
  readonly after?: string;
  readonly limit?: number;
}
