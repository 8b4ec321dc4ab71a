import type { Agent } from '../../catalog/agent.ts';
import type { AgentQuestion } from '../../gateways/gateway.ts';
import type { StepId } from '../../run/events.ts';
import { failureOf, RunError, sentenceOf } from '../../run/failure.ts';
import type { Step } from '../../run/tree.ts';
import { isBlobRef, type Json } from '../../run/values.ts';
import { aborted } from '../aborted.ts';
import type { Execution } from '../execution.ts';
import { resultOf } from '../record/large.ts';
import { turnAfter } from './turn-after.ts';

/** How long an agent elsewhere gets to hear that a run is over, in milliseconds; the run ends all the same. */
const patience = 5_000;

/** Work elsewhere: whose it is, the step it is shown at, and what it goes by there. */
interface Elsewhere {
  readonly agent: Agent;
  readonly step: StepId;
  readonly token: () => Promise<Json | undefined>;
}

/** Tells an agent elsewhere that what it does for this run is not wanted any more. That it could not be told is told here. */
export async function cancelTurn(execution: Execution, { agent, step, token }: Elsewhere): Promise<void> {
  const { gateway, name } = agent;
  if (!gateway.cancel) return;
  const enough = new AbortController();
  const tell = async (): Promise<void> => {
    const known = await token();
    if (known !== undefined) await gateway.cancel?.(known, enough.signal);
  };
  const tooLate = execution.world.clock.sleep(patience, enough.signal).then(() => {
    throw new RunError('timed-out', `It did not answer within ${patience / 1_000} seconds.`);
  });
  try {
    await Promise.race([tell(), tooLate]);
  } catch (thrown) {
    const message = `${name} could not be told to stop and may go on. ${sentenceOf(failureOf(thrown))}`;
    execution.emit({ type: 'notice.posted', step, code: 'STOP_NOT_HEARD', message });
  } finally {
    enough.abort(aborted);
  }
}

/** The run is over, and nobody will answer what agents elsewhere still ask. Undefined where nobody asks. */
export function cancelAsking(execution: Execution): Promise<unknown> | undefined {
  const { catalog } = execution.world;
  const asking = askingIn(execution);
  if (asking.length === 0) return undefined;
  return Promise.all(
    asking.map(async (step) => {
      const agent = catalog.agents.find(({ name }) => name === step.agent);
      const token = async (): Promise<Json | undefined> => {
        const result = await resultOf(execution, step);
        const { questions = [] } = result as { readonly questions?: readonly AgentQuestion[] };
        return questions[0]?.token;
      };
      if (agent) await cancelTurn(execution, { agent, step: step.id, token });
    }),
  );
}

/** Turns that ended with a question and have not gone on with its answer. */
function askingIn({ tree }: Execution): readonly Step[] {
  const turns = [...tree.steps.values()].filter(({ kind }) => kind === 'turn');
  const begun = new Set(turns.filter(({ started }) => started).map(({ parent, key }) => `${parent} ${key}`));
  return turns.filter(
    ({ parent, key, status, result }) =>
      status === 'completed' && mayAsk(result) && !begun.has(`${parent} ${turnAfter(key)}`),
  );
}

function mayAsk(result: Step['result']): boolean {
  if (isBlobRef(result)) return true;
  return typeof result === 'object' && result !== null && 'questions' in result;
}
