import { z } from 'zod';
import { Command } from '../../run/commands.ts';
import { Failure } from '../../run/failure-schema.ts';

const sharedKey = { kind: z.string().min(1), tenant: z.string(), name: z.string() };
/** Whatever processes that share a folder go by. */
const SharedFilter = z.strictObject({
  kind: sharedKey.kind,
  tenant: sharedKey.tenant.exactOptional(),
  name: sharedKey.name.exactOptional(),
});
const SharedValue = z.object({ ...sharedKey, value: z.string(), version: z.int() });

/** What one process asks of the one that holds the folder: a line of JSON each. */
export const ControlRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('start'),
    app: z.string().min(1),
    /** Name and version of the flow the asker means by that app. */
    flow: z.string().min(1),
    text: z.string(),
    conversation: z.string().min(1).exactOptional(),
    by: z.string().min(1),
    key: z.string().min(1),
  }),
  z.strictObject({ type: z.literal('send'), run: z.string().min(1), command: Command }),
  /** Work on a run that is not worked on. */
  z.strictObject({ type: z.literal('takeUp'), run: z.string().min(1) }),
  z.strictObject({
    type: z.literal('erase'),
    conversation: z.string().min(1),
    tenant: z.string().exactOptional(),
  }),
  z.strictObject({ type: z.literal('shared'), filter: SharedFilter }),
  z.strictObject({
    type: z.literal('share'),
    change: z.strictObject({ ...sharedKey, value: z.string(), version: z.int().nonnegative() }),
  }),
  /** At which address it serves. */
  z.strictObject({ type: z.literal('where') }),
]);
export type ControlRequest = z.infer<typeof ControlRequest>;

/** The answer to each, in the order they were asked. */
export const ControlReply = z.union([
  z.object({ started: z.object({ run: z.string(), conversation: z.string() }) }),
  z.object({
    receipt: z.object({
      id: z.string(),
      used: z.int().nullable(),
      fresh: z.boolean(),
      command: Command,
    }),
  }),
  z.object({ taken: z.boolean() }),
  z.object({ erased: z.int() }),
  z.object({ shared: z.array(SharedValue) }),
  z.object({ version: z.int() }),
  z.object({ where: z.string().nullable() }),
  z.object({ failure: Failure }),
]);
export type ControlReply = z.infer<typeof ControlReply>;

/** A line longer than this is not one of ours. */
export const longestLine = 8 * 1024 * 1024;
