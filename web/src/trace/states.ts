import type { Entry, FlatTree } from '../../../src/client/client.ts';
import type { EventOf } from '../../../src/run/events.ts';
import { stepsBelow } from './below.ts';

type Saved = EventOf<'state.saved'>['state'];

/** What an agent remembered before a step and after it, as far as this run has written it down. */
export interface AgentStates {
  readonly agent: string;
  readonly before?: Saved;
  readonly after?: Saved;
}

/** Of every agent that was at work in a step or below it; of the run itself, of all. */
export function statesOf(entries: readonly Entry[], tree: FlatTree, step: number): AgentStates[] {
  const within = stepsWithin(tree, step);
  const concerned = new Set<string>();
  for (const { id, agent } of tree.steps) if (agent !== undefined && within.has(id)) concerned.add(agent);
  const states = new Map<string, { before?: Saved; after?: Saved }>();
  for (const { seq, event } of entries) {
    if (seq > tree.seq) break;
    if (event.type !== 'state.saved') continue;
    const known = states.get(event.agent) ?? {};
    states.set(event.agent, known);
    if (within.has(event.step)) {
      known.after = event.state;
      concerned.add(event.agent);
    } else if (event.step < step) known.before = event.state;
  }
  return [...concerned].flatMap((agent) => {
    const found = states.get(agent);
    return found ? [{ agent, ...found }] : [];
  });
}

function stepsWithin(tree: FlatTree, step: number): ReadonlySet<number> {
  const below = stepsBelow(tree);
  const within = new Set([step]);
  for (const id of within) for (const child of below.get(id) ?? []) within.add(child.id);
  return within;
}
