import type { z } from 'zod';
import { errorOf, RunError, type Failure } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { functionTool, type FunctionToolOptions } from '../function.ts';
import { type KillableCall, type KillableFunction, WorkerMessage } from './job.ts';
import { startProcess } from './process.ts';
import { startThread } from './thread.ts';
import { orStopped, stopped } from '../stop.ts';
import type { ToolContext, TypedTool } from '../tool.ts';
import { WorkerPlaces, type Place } from './worker-places.ts';

/** Each has a heap of its own: a hundred at once would take the memory of everybody. */
const mostWorkers = 8;
const places = new WorkerPlaces(mostWorkers);

export type KillableToolOptions<Input extends z.ZodType> = Omit<FunctionToolOptions<Input>, 'run'> &
  KillableFunction;

/**
 * A tool that can be stopped whatever it does, also in a synchronous `while (true)`. Its function `(input, context)` is
 * the named export of a module of its own, so that a worker can load it. A worker serves one call and is then ended.
 */
export function killableTool<Input extends z.ZodType>(
  options: KillableToolOptions<Input>,
): TypedTool<z.input<Input>, Json> {
  const {
    module: _module,
    export: _export,
    isolation: _isolation,
    memory: _memory,
    env: _env,
    ...described
  } = options;
  const { name } = described;
  return functionTool({
    ...described,
    run: (input, context) => runKillable(options, { name, input }, context),
  });
}

/** Runs the function until it answers or the context's signal says stop; either way nothing of it is left. */
export async function runKillable(
  target: KillableFunction,
  call: KillableCall,
  context: ToolContext,
): Promise<Json> {
  const { signal } = context;
  if (signal.aborted) throw stopped(call.name, signal);
  const free = places.take(context, signal);
  const place = free instanceof Promise ? await turnOf(call.name, free, context) : free;
  try {
    return await runPlaced(target, call, context);
  } finally {
    place.free();
  }
}

/** Waiting for others is not the tool's own time. */
async function turnOf(name: string, free: Promise<Place>, context: ToolContext): Promise<Place> {
  const { signal } = context;
  const why = `«${name}» waits: ${mostWorkers} workers are under way, which is as many as there may be.`;
  try {
    return await (context.exempt?.(free, why) ?? free);
  } catch (error) {
    throw signal.aborted ? stopped(name, signal) : error;
  }
}

async function runPlaced(target: KillableFunction, call: KillableCall, context: ToolContext): Promise<Json> {
  const { name, input, limit } = call;
  const { signal, idempotencyKey, tenant, run } = context;
  if (signal.aborted) throw stopped(name, signal);
  const answer = Promise.withResolvers<Json>();
  let timer: NodeJS.Timeout | undefined;
  const began = (): void => {
    if (limit)
      timer = setTimeout(() => answer.reject(new RunError('timed-out', limit.sentence)), limit.milliseconds);
  };
  const ears = {
    message: (text: string) => hear(text, { context, answer, began }),
    ended: ({ code, message }: Failure) => answer.reject(new RunError(code, message)),
  };
  const job = {
    name,
    input,
    module: target.module.href,
    export: target.export,
    memory: target.memory ?? 256,
  };
  const start = target.isolation === 'process' ? startProcess : startThread;
  const worker = start({ ...job, idempotencyKey, tenant, run }, target.env ?? process.env, ears);
  try {
    return await orStopped(name, signal, () => answer.promise);
  } finally {
    clearTimeout(timer);
    await worker.kill();
  }
}

interface Listening {
  readonly context: ToolContext;
  readonly answer: PromiseWithResolvers<Json>;
  readonly began: () => void;
}

function hear(text: string, { context, answer, began }: Listening): void {
  // The worker may go on talking between a stop and its end.
  if (context.signal.aborted) return;
  try {
    const message = WorkerMessage.parse(JSON.parse(text));
    if (message.kind === 'began') began();
    else if (message.kind === 'said') context.say(message.text);
    else if (message.kind === 'attached') context.attach(message.item);
    else if (message.kind === 'done') answer.resolve(message.result);
    else answer.reject(thrownBy(message));
  } catch (error) {
    answer.reject(error);
  }
}

function thrownBy(message: WorkerMessage & { kind: 'failed' | 'threw' }): Error {
  if (message.kind === 'threw') return Object.assign(new Error(message.message), { stack: message.stack });
  return errorOf(message.failure);
}
