import { RunError } from '../run/failure.ts';
import type { CoordinateSettings, Delegate } from './coordinate/settings.ts';

/** Who can be given a task, and who takes what nobody is named for. */
export type Cast = Pick<CoordinateSettings, 'agents' | 'fallback'>;

/** An agent of a coordinator; one that is gone since the plan was made is taken for by the fallback. */
export function delegateOf({ agents, fallback }: Cast, name: string): Delegate {
  const found =
    agents.find((agent) => agent.name === name) ?? agents.find((agent) => agent.name === fallback);
  if (!found)
    throw new RunError(
      'malformed',
      `The coordinator has no agent «${name}»; name its fallback among its agents.`,
    );
  return found;
}

/** As it is called on the screen. */
export function titleOf(settings: Cast, name: string): string {
  return delegateOf(settings, name).title ?? name;
}
