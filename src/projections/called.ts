import type { EventOf } from '../run/events.ts';

/** What people call the agent of a step: its name is for configurations, and where it is delegated to it has a title. */
export function calledBy(
  event: Pick<EventOf<'step.opened'>, 'kind' | 'title' | 'agent' | 'origin'>,
): string | undefined {
  const { kind, title, agent, origin } = event;
  const isTitled = kind === 'agent' && origin === undefined && title.trim() !== '';
  return agent !== undefined && isTitled ? title : agent;
}
