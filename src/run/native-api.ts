import { z } from 'zod';
import { FlatApproval } from './flat-approval.ts';

/** What the server's own API answers, for the server that writes it and the clients that read it. */
export const RunStatus = z.enum(['running', 'waiting', 'paused', 'completed', 'failed', 'stopped']);

/** A run that has begun. */
export const StartedRun = z.object({
  run: z.string(),
  conversation: z.string(),
  /** Where to watch it. */
  events: z.string(),
});
export type StartedRun = z.infer<typeof StartedRun>;

/** A run in a list. */
export const ListedRun = z.object({
  run: z.string(),
  conversation: z.string(),
  app: z.string(),
  title: z.string(),
  status: RunStatus,
  /** Questions that wait for a person. */
  approvals: z.int(),
  /** Its last entry. */
  seq: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** Its last good entry, where its journal was found damaged. */
  damaged: z.int().optional(),
});
export type ListedRun = z.infer<typeof ListedRun>;

/** Some runs, and the one to go on after if there are more. */
export const RunPage = z.object({ runs: z.array(ListedRun), next: z.string().nullable() });
export type RunPage = z.infer<typeof RunPage>;

/** What became of something that was asked of a run. */
export const Commanded = z.object({
  run: z.string(),
  /** The entry it became; null while nobody here can work on the run. */
  seq: z.int().nullable(),
  /** False when the run was as asked already. */
  changed: z.boolean(),
});
export type Commanded = z.infer<typeof Commanded>;

/** An approval, with the run it belongs to. */
export const AskedApproval = FlatApproval.extend({
  run: z.string(),
  conversation: z.string(),
  app: z.string(),
  /** What the run was asked. */
  request: z.string(),
});
export type AskedApproval = z.infer<typeof AskedApproval>;

/** Some approvals, and the run to go on after if there are more. */
export const ApprovalPage = z.object({ approvals: z.array(AskedApproval), next: z.string().nullable() });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

/** What can be run here, and what is shown of it to those who ask for nothing else. */
export const AppList = z.object({
  /** Servers of tools that do not answer now. */
  away: z.array(z.string()).optional(),
  apps: z.array(
    z.object({
      name: z.string(),
      description: z.string().optional(),
      preferences: z
        .object({
          stages: z.enum(['nested', 'flat', 'prefix', 'off']).exactOptional(),
          names: z.array(z.string()).exactOptional(),
          depth: z.int().exactOptional(),
        })
        .optional(),
    }),
  ),
  /** The app of those who name none; absent where they must. */
  defaultApp: z.string().optional(),
});
export type AppList = z.infer<typeof AppList>;

/** A file that was sent. */
export const KeptFile = z.object({ file: z.string(), name: z.string(), type: z.string(), size: z.int() });
export type KeptFile = z.infer<typeof KeptFile>;
