import { RunError } from '../../run/failure.ts';
import { present } from '../../run/codec.ts';
import { isBlobRef } from '../../run/values.ts';
import { failureIn } from './broken.ts';
import { apology, leave } from '../recovery/recorded.ts';
import type { Execution } from '../execution.ts';
import { unanswered } from '../conversation/conversation.ts';
import { definitionOf } from '../record/definition.ts';
import { loadInput, isLarge, keepLarge } from '../record/large.ts';
import { runGuardsIn } from '../record/guarding.ts';
import type { Probation } from '../recovery/load.ts';
import type { Flow, RunInput } from '../scope.ts';
import { ScopeIn } from './scope-in.ts';
import { owned } from '../activity.ts';
import type { World } from '../world.ts';

/** Go through a run's flow, from the top: what is recorded is recalled, the rest is done. */
export async function runFlow(execution: Execution, flow: Flow, probation: Probation): Promise<void> {
  // What is sent to a new run is hinted at to the worker that has it already.
  if (!execution.isNew) await execution.look();
  if (execution.tree.stopping) return execution.stop();
  while (execution.isGated) await execution.gate();
  if (!execution.isNew) await probation.pass(execution);
  const root = execution.tree.steps.get(0);
  if (!root) throw new Error('a tree without a root');
  try {
    const input = await inputOf(execution);
    execution.definition ??= await definitionOf(execution);
    execution.guardBy(runGuardsIn(execution.definition, execution.world.secrets));
    const work = (): Promise<string> => flow.run(new ScopeIn(execution, root), input);
    const given = textOf(await owned(execution, root, { name: flow.name, work }));
    const answer = isLarge(given) ? await execution.busy(guardedAnswer(execution, given)) : given;
    await leave(execution, 0);
    const kept = await execution.busy(keepLarge(execution, answer));
    await execution.end({ outcome: 'completed', answer: isBlobRef(kept) ? kept : answer });
  } catch (thrown) {
    if (!(thrown instanceof RunError))
      execution.world.log.error({ run: execution.run, cause: thrown }, 'A flow broke.');
    await leave(execution, 0);
    const failure = failureIn(flow.name, thrown);
    await execution.end({ outcome: 'failed', failure, answer: apology(failure) });
  }
}

async function guardedAnswer({ guarding, writer, world }: Execution, given: string): Promise<string> {
  const { value, kinds } = await guarding.guardAnswer(given, world.clock.breather());
  for (const kind of kinds) writer.tellFound(0, kind);
  return value;
}

/** An answer is text, and a flow in plain JavaScript may return anything: nothing is no words, all else is told as JSON. */
function textOf(returned: unknown): string {
  if (typeof returned === 'string') return returned;
  try {
    return JSON.stringify(returned, null, 2) ?? '';
  } catch (cause) {
    throw new RunError('malformed', 'The flow returned something that is not JSON: return a text.', {
      cause,
    });
  }
}

async function inputOf(execution: Execution): Promise<RunInput> {
  const { started } = execution.tree;
  if (!started) throw new Error(`run ${execution.run} has no beginning`);
  const { input, app, labels } = started;
  const { text, attachments, data } = await execution.busy(loadInput(execution, input));
  const sent = started.history === undefined ? [] : await execution.busy(execution.sent.messages());
  const before = unanswered(sent ?? []);
  const words = [before.text, text].filter((part) => part !== '').join('\n\n');
  const whole = before.attachments.map((one) => execution.remembered.whole(one));
  return {
    text: words,
    attachments:
      whole.length === 0 ? attachments : [...(await execution.busy(Promise.all(whole))), ...attachments],
    app,
    labels,
    ...present({ data }),
  };
}

interface Named {
  readonly name: string;
  readonly version: string;
}

/** What a run needs to go on: a worker claims only flows it has. */
export function flowId({ name, version }: Named): string {
  return `${name}@${version}`;
}

/** A flow that is known here. */
export function flowOf({ catalog: { flows } }: Pick<World, 'catalog'>, { name, version }: Named): Flow {
  const flow = flows.find((known) => known.name === name && known.version === version);
  if (flow) return flow;
  const known = flows.map(flowId).join(', ') || 'none';
  throw new RunError('unknown', `There is no flow ${flowId({ name, version })} here; known: ${known}.`);
}
