import { z } from 'zod';
import { Failure } from '../../run/failure-schema.ts';
import { Item, Json } from '../../run/values.ts';

/** Where a function lives that can be killed while it works: it is loaded there, so it shares nothing with this process. */
export interface KillableFunction {
  readonly module: URL;
  readonly export: string;
  /** A `thread` starts in milliseconds and is killed in any JavaScript; a `process` also in native code, children included. */
  readonly isolation?: 'thread' | 'process';
  /** Megabytes of JavaScript heap; 256 unless said. */
  readonly memory?: number;
  /** The environment the function sees; this process's own unless said. */
  readonly env?: Readonly<Record<string, string>>;
}

/** One call of such a function. */
export interface KillableCall {
  readonly name: string;
  readonly input: unknown;
  /** Counted from when the function begins: on a busy machine a worker may need a while to start. */
  readonly limit?: { readonly milliseconds: number; readonly sentence: string };
}

/** One call as it is handed to the worker. */
export interface Job {
  readonly name: string;
  readonly module: string;
  readonly export: string;
  readonly memory: number;
  readonly input: unknown;
  readonly idempotencyKey: string;
  readonly tenant: string;
  readonly run: string;
}

/** What a worker tells, as JSON text: nothing else can cross. */
export const WorkerMessage = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('began') }),
  z.object({ kind: z.literal('said'), text: z.string() }),
  z.object({ kind: z.literal('attached'), item: Item }),
  z.object({ kind: z.literal('done'), result: Json }),
  z.object({ kind: z.literal('failed'), failure: Failure }),
  z.object({ kind: z.literal('threw'), message: z.string(), stack: z.string() }),
]);
export type WorkerMessage = z.infer<typeof WorkerMessage>;

/** Where a worker's messages go. `ended` comes when it is gone without having answered. */
export interface WorkerEars {
  message(text: string): void;
  ended(failure: Failure): void;
}

export interface Started {
  /** Ends it whatever it is doing; resolves when it is gone. */
  kill(): Promise<void>;
}
