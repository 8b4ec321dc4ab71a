import { stateLimit } from '../catalog/state.ts';
import type { Agent } from '../catalog/agent.ts';
import type { Message } from '../gateways/gateway.ts';
import type { Step } from '../run/tree.ts';
import type { Execution } from './execution.ts';
import type { AgentExchange } from './remembered.ts';

const defaultExchanges = 8;
const defaultCharacters = 24_000;
const code = 'HISTORY_BOUNDED';

/**
 * The messages of a turn with what an agent that keeps nothing needs in front: its own exchanges, each answer with the
 * state it left. A flow that sends answers along tells the whole story itself, and nothing is added to it.
 */
export async function restored(
  execution: Execution,
  step: Step,
  { agent, messages }: { readonly agent: Agent; readonly messages: readonly Message[] },
): Promise<readonly Message[]> {
  if (agent.state !== 'restore' || messages.some(({ role }) => role === 'assistant')) return messages;
  const { exchanges: most = defaultExchanges } = agent.keeps ?? {};
  const found = await execution.insist(() => execution.remembered.exchanges(agent.name, most + 1));
  const kept = newest(found, agent);
  if (kept.length < found.length) tell(execution, step, { agent: agent.name, sent: kept.length });
  const thread = kept.flatMap(({ asked, answered, state }): Message[] => [
    { role: 'user', text: asked },
    { role: 'assistant', text: answered, ...(state === undefined ? {} : { state }) },
  ]);
  const begin = messages.findIndex(({ role }) => role !== 'system');
  return [...messages.slice(0, begin), ...thread, ...messages.slice(begin)];
}

/** As many of the newest as fit, in words and in state. The newest goes along in any case: it has the latest state. */
function newest(found: readonly AgentExchange[], { keeps = {} }: Agent): readonly AgentExchange[] {
  const { exchanges: most = defaultExchanges, characters = defaultCharacters } = keeps;
  let [words, states, count] = [0, 0, 0];
  for (const { asked, answered, state } of found.toReversed()) {
    words += asked.length + answered.length;
    states += state === undefined ? 0 : JSON.stringify(state).length;
    if (count >= most || (count > 0 && (words > characters || states > stateLimit))) break;
    count += 1;
  }
  return count === 0 ? [] : found.slice(-count);
}

/** Once in a run, however often the turn is tried, and whoever else was given less than all. */
function tell(execution: Execution, step: Step, { agent, sent }: { agent: string; sent: number }): void {
  if (execution.tree.notices.some((notice) => notice.code === code)) return;
  const message = `Earlier exchanges of ${agent} were left out; its last ${sent} were sent.`;
  execution.emit({ type: 'notice.posted', step: step.id, code, message });
}
