import type { EventOf, StepId } from './events.ts';
import type { RunTree } from './tree.ts';

/** Steps a flow makes of others, to put them in order, and its waits. */
const plain = new Set(['step', 'branch', 'route', 'registration', 'verdict', 'facts', 'wait']);

type Opening = Pick<EventOf<'step.opened'>, 'kind' | 'agent' | 'effect'>;

/** Whether a step is work that was given to somebody: by itself, and by who has the delegated step around it, if it is in one. */
export function isDelegated(
  { kind, agent, effect }: Opening,
  above: { readonly agent?: string | undefined } | undefined,
): boolean {
  if (kind === 'answer') return false;
  if (plain.has(kind)) return agent !== undefined;
  if (kind !== 'turn') return true;
  if (agent !== undefined && above?.agent === agent) return false;
  // A model is asked again without harm; whoever is not was delegated to.
  return effect !== undefined && effect !== 'pure';
}

/** How many steps of a run were. */
export function delegatedIn({ steps }: Pick<RunTree, 'steps'>): number {
  const delegated = new Map<StepId, { readonly agent: string | undefined }>();
  for (const step of steps.values()) {
    const isOpened = step.id !== 0 && step.openedAt !== undefined;
    if (isOpened && isDelegated(step, delegated.get(step.parent)))
      delegated.set(step.id, { agent: step.agent ?? step.call?.tool });
  }
  return delegated.size;
}
