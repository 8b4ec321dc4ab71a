import type { Call } from '../run/events.ts';
import { failureOf, RunError, type Failure } from '../run/failure.ts';
import { signatureOf } from '../run/signature.ts';
import type { Step } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import type { Tool } from '../tools/tool.ts';
import { misfitOf } from './arguments.ts';
import type { Execution } from './execution.ts';
import { resultOf } from './large.ts';
import type { Leaf, LeafOutcome } from './leaf.ts';
import { runLeaf } from './run-leaf.ts';
import type { CallOptions, CallResult } from './scope.ts';
import { toolContext } from './tool-context.ts';

const defaultTimeout = 60_000;
const maxAttempts = 3;
const firstPause = 200;

interface Placed extends CallOptions {
  readonly parent: number;
  readonly key: string;
}

/** A tool call: judged, asked for, run once, recorded. How it ended is a value, since a model has to read it. */
export async function runCall(
  execution: Execution,
  tool: Tool,
  request: Placed & { input: Json },
): Promise<CallResult> {
  const step = await runLeaf(execution, request.parent, callLeaf(execution, tool, request));
  if (step.status === 'completed' || step.status === 'reused') {
    const failure = step.failure ? { failure: step.failure } : {};
    return { outcome: step.status, result: await resultOf(execution, step), ...failure, step: step.id };
  }
  const failure: Failure = step.failure ?? { code: 'unavailable', message: `${tool.name} was not run.` };
  return { outcome: step.status === 'skipped' ? 'skipped' : 'failed', failure, step: step.id };
}

function callLeaf(execution: Execution, tool: Tool, request: Placed & { input: Json }): Leaf {
  const callOf = (input: Json): Call => ({
    id: request.id ?? request.key,
    tool: tool.name,
    arguments: input,
    signature: signatureOf({ tool: tool.name, arguments: input, schema: tool.schema }),
    effect: tool.effect,
  });
  const call = callOf(request.input);
  const rule = tool.approval ?? 'never';
  const mustAsk = typeof rule === 'function' ? rule(request.input) : rule === 'always';
  return {
    key: request.key,
    opening: { kind: 'call', title: request.title ?? tool.name, call },
    effect: tool.effect,
    intent: {
      kind: 'call',
      parent: request.parent,
      call,
      mustAsk,
      requested: request.id !== undefined,
      repeatable: tool.repeatable ?? false,
    },
    refusal: request.refusal,
    misfit: misfitOf(tool, request.input),
    bytes: request.input,
    edited: callOf,
    perform: (step, input) => attempt(execution, step, { tool, input }),
  };
}

interface Work {
  readonly tool: Tool;
  readonly input: Json;
}

/** What may be repeated is tried again when the failure says that it could help. */
async function attempt(execution: Execution, step: Step, work: Work): Promise<LeafOutcome> {
  const misfit = misfitOf(work.tool, work.input);
  if (misfit) return { outcome: 'failed', failure: misfit };
  for (let tries = 1; ; tries += 1) {
    try {
      return { outcome: 'completed', result: await once(execution, step, work) };
    } catch (thrown) {
      const failure = failureOf(thrown);
      if (!(thrown instanceof RunError))
        execution.world.log.error({ run: execution.run, cause: thrown }, `${work.tool.name} broke.`);
      const isWorthIt = failure.retryable === true && work.tool.effect !== 'once' && tries < maxAttempts;
      if (!isWorthIt || execution.signal.aborted) return { outcome: 'failed', failure };
      await execution.world.clock.sleep(firstPause * 2 ** (tries - 1), execution.signal);
      if (execution.signal.aborted) return { outcome: 'failed', failure };
      execution.emit({
        type: 'step.retried',
        step: step.id,
        attempt: step.attempt + 1,
        reason: failure.message,
      });
      await execution.barrier();
      if (!execution.mayAct()) return { outcome: 'failed', failure };
    }
  }
}

/** One attempt. A tool that does not listen to its signal is left behind; what it brings later is not used. */
async function once(execution: Execution, step: Step, { tool, input }: Work): Promise<Json> {
  const limit = tool.timeout ?? defaultTimeout;
  const over = new AbortController();
  const signal = AbortSignal.any([execution.signal, over.signal]);
  const late = execution.world.clock.sleep(limit, signal).then(() => {
    over.abort();
    throw new RunError('timed-out', `${tool.name} took longer than ${limit / 1000} seconds.`, {
      retryable: true,
    });
  });
  late.catch(() => {});
  try {
    return await Promise.race([tool.run(input, toolContext(execution, step, signal)), late]);
  } finally {
    over.abort();
  }
}
