import { redacted } from '../../guards/guard.ts';
import { deepest, isTooDeep } from '../../run/depth.ts';
import { RunError } from '../../run/failure.ts';
import { millisecondsLeft, type Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Tool } from '../../tools/tool.ts';
import { aborted } from '../aborted.ts';
import type { Execution } from '../execution.ts';
import { tellLate, type LeafOutcome } from '../leaf/leaf.ts';
import { plain, tellRedacted } from '../record/recordable.ts';
import { failureIn } from '../scope/broken.ts';
import { AttemptTimer } from './attempt-timer.ts';
import { toolContext } from './tool-context.ts';
import { Within } from '../time/deadlines.ts';
import { owned } from '../scope/composite.ts';

/** Characters of JSON. */
const largestResult = 8_000_000;
const defaultTimeout = 60_000;

interface Work {
  readonly tool: Tool;
  readonly input: Json;
}

/** One attempt at a tool call. */
export async function runTool(execution: Execution, step: Step, work: Work): Promise<LeafOutcome> {
  if (JSON.stringify(work.input).includes(redacted)) tellRedacted(execution, step, 'arguments');
  const signal = execution.deadlines.signalAt(step.id);
  try {
    return { outcome: 'completed', result: resultOf(work.tool, await once(execution, step, work)) };
  } catch (thrown) {
    // What was told to end (a stop, its time, a lease that was lost) and says so has done what it should.
    const isBug = !(thrown instanceof RunError) && !signal.aborted;
    if (isBug) execution.world.log.error({ run: execution.run, cause: thrown }, `${work.tool.name} broke.`);
    const isLost = thrown instanceof RunError && thrown.isLost;
    return { outcome: 'failed', failure: failureIn(work.tool.name, thrown), isLost };
  }
}

/** What it gave, as a recovery will see it, if that can be kept at all. */
function resultOf({ name }: Tool, given: Json): Json {
  if (isTooDeep(given))
    throw new RunError('too-large', `${name} gave a result nested deeper than ${deepest} levels.`);
  const result = plain(given);
  const size = JSON.stringify(result).length;
  if (size <= largestResult) return result;
  const message = `${name} gave a result of ${size} characters; ${largestResult} are allowed.`;
  throw new RunError('too-large', message);
}

/** A tool that does not listen to its signal is left behind; what it brings later is not used. */
async function once(execution: Execution, step: Step, { tool, input }: Work): Promise<Json> {
  const { clock } = execution.world;
  const limit = timeLimit(execution, tool);
  const over = new Within(execution.deadlines.signalAt(step.id));
  const { signal } = over;
  const timer = new AttemptTimer(clock, limit.milliseconds, signal);
  let late: RunError | undefined;
  const tooLate = timer.over.then(() => {
    late = limit.failure();
    over.abort(late);
    throw late;
  });
  const context = toolContext(execution, step, { input, signal, timer });
  const work = async (): Promise<Json> => tool.run(input, context);
  const running = owned(execution, step, { name: tool.name, work });
  try {
    return await Promise.race([running, tooLate]);
  } catch (thrown) {
    if (late !== undefined && thrown === late) leaveBehind(execution, step, { tool, running });
    throw thrown;
  } finally {
    over.abort(aborted);
  }
}

/** The tool's own time, or what is left of the run's. */
function timeLimit(
  { tree, writer }: Execution,
  { name, timeout = defaultTimeout }: Tool,
): { readonly milliseconds: number; readonly failure: () => RunError } {
  const left = millisecondsLeft(tree, writer.now());
  if (left < timeout) {
    const { seconds } = tree.limits;
    const failure = () =>
      new RunError('over-budget', `The run used up its ${seconds} seconds during ${name}.`);
    return { milliseconds: Math.max(0, left), failure };
  }
  const message = `${name} took longer than ${timeout / 1000} seconds.`;
  return { milliseconds: timeout, failure: () => new RunError('timed-out', message, { retryable: true }) };
}

/** Nobody waits for it any more, so nobody will know what it did: that is said, now and when it comes to an end. */
function leaveBehind(
  execution: Execution,
  step: Step,
  { tool, running }: { tool: Tool; running: Promise<Json> },
): void {
  if (tool.effect === 'once') {
    const message = `«${tool.name}» was cut off; it may or may not have happened.`;
    execution.emit({ type: 'notice.posted', step: step.id, code: 'IN_DOUBT', message });
  }
  running.then(
    () => tellLate(execution, step, `«${tool.name}» answered after its time; the answer is not used.`),
    () => {},
  );
}
