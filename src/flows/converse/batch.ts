import type { CallResult, Refusal, Scope } from '../../engine/scope.ts';
import { RunError } from '../../run/failure.ts';
import type { ReadCall, SettledCall, SortedCalls } from './calls.ts';
import { shorten } from './words.ts';

const longestShown = 2_000;

export interface Batch extends SortedCalls {
  /** The number of the first call, so that every call of a conversation has a key of its own. */
  readonly first: number;
  readonly isParallel: boolean;
  readonly most: number;
}

/** Run what may run, and show what may not: every call a model asked for is a step. */
export async function runBatch(scope: Scope, batch: Batch): Promise<SettledCall[]> {
  const { run, misfits, refused, left, most, isParallel } = batch;
  let place = batch.first;
  const keyed = (calls: readonly ReadCall[]): Keyed[] =>
    calls.map((call) => ({ call, key: `call ${place++}` }));
  const settled =
    isParallel && run.length > 1 ? await atOnce(scope, keyed(run)) : await inOrder(scope, keyed(run));
  for (const each of keyed(misfits)) settled.push(await returned(scope, each));
  for (const each of keyed(refused))
    settled.push(await shownOnly(scope, each, { code: 'CALL_REFUSED', reason: notNow(each.call) }));
  for (const each of keyed(left))
    settled.push(await shownOnly(scope, each, { code: 'CALL_SKIPPED', reason: tooMany(each.call, most) }));
  return settled;
}

interface Keyed {
  readonly call: ReadCall;
  readonly key: string;
}

async function inOrder(scope: Scope, calls: readonly Keyed[]): Promise<SettledCall[]> {
  const settled: SettledCall[] = [];
  for (const { call, key } of calls) {
    const result = await scope.call(call.tool, call.input, { key, id: call.id });
    settled.push(settledAs(call, result));
  }
  return settled;
}

async function atOnce(scope: Scope, calls: readonly Keyed[]): Promise<SettledCall[]> {
  const branches = calls.map(({ call, key }): [string, (branch: Scope) => Promise<CallResult>] => [
    key,
    (branch) => branch.call(call.tool, call.input, { id: call.id }),
  ]);
  const results = await scope.parallel<Record<string, CallResult>>(Object.fromEntries(branches));
  return calls.flatMap(({ call, key }) => {
    const result = results[key];
    return result ? [settledAs(call, result)] : [];
  });
}

function settledAs({ id, tool }: ReadCall, result: CallResult): SettledCall {
  if (result.outcome === 'completed') return { id, tool, outcome: result.outcome, result: result.result };
  const failure = 'failure' in result ? { failure: result.failure } : {};
  const value = result.outcome === 'reused' ? { result: result.result } : {};
  // What an earlier run had found is no duplicate: this model asks for the first time.
  const isRecalled = result.outcome === 'reused' && result.from === undefined;
  return { id, tool, outcome: isRecalled ? 'recalled' : result.outcome, ...value, ...failure };
}

/** A call nobody can run is a step too: a failed one, with what the model is told. */
async function returned(scope: Scope, { call, key }: Keyed): Promise<SettledCall> {
  const { id, tool, text, problem = 'The call cannot be understood.' } = call;
  const failure = { code: 'malformed', message: problem } as const;
  const title = shorten(tool, 80) || 'A call without a name';
  try {
    await scope.step({ key, kind: 'misfit', title, query: shorten(text, longestShown) }, (step) => {
      step.notice('CALL_MALFORMED', problem);
      return Promise.reject(new RunError(failure.code, failure.message));
    });
  } catch (thrown) {
    if (!(thrown instanceof RunError)) throw thrown;
  }
  return { id, tool, outcome: 'misfit', failure };
}

async function shownOnly(scope: Scope, { call, key }: Keyed, refusal: Refusal): Promise<SettledCall> {
  const { id, tool } = call;
  const outcome = refusal.code === 'CALL_SKIPPED' ? 'left' : 'refused';
  const failure = { code: 'refused', message: refusal.reason } as const;
  // What could not be read is shown as it was written, as far as people would read it.
  const input = call.problem === undefined ? call.input : shorten(call.text, longestShown);
  if (call.isKnown) await scope.call(tool, input, { key, id, refusal });
  else await returned(scope, { call, key });
  return { id, tool, outcome, failure };
}

function notNow({ tool }: ReadCall): string {
  return `«${tool}» is not permitted now, so the call was ignored.`;
}

function tooMany({ tool }: ReadCall, most: number): string {
  return `«${tool}» was not run: at most ${most} may run in one tool phase.`;
}
