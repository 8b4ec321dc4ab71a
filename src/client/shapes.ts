import type { ListedRun } from '../run/native-api.ts';
import type { Json, Limits } from '../run/values.ts';

/** A file that was sent before, or a small thing itself. */
export interface GivenAttachment {
  readonly file?: string;
  readonly type?: string;
  readonly title?: string;
  readonly data?: string;
  readonly url?: string;
}

/** What to show of a run. What is left out is as its app prefers; `*` takes back what the app says. */
export interface Showing {
  /** The inner stages of other agents: where they are, side by side, with the agent's name in front, or not at all. */
  readonly stages?: 'nested' | 'flat' | 'prefix' | 'off';
  /** The only stages to show, by their titles. */
  readonly names?: readonly string[] | '*';
  /** How many levels of steps to show. */
  readonly depth?: number | '*';
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
  /** The fingerprint of what was shown. Without it nothing is approved or edited, and anything else is refused. */
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
