import type { CoordinateSettings } from '../../flows/coordinate/settings.ts';
import type { Wrong } from '../../run/values.ts';

/** A field of an app's settings, and what is wrong with it. */
/** The names in a coordinator's settings, and in those of its teams, that nobody has or that stand for two. */
export function wrongNames(settings: CoordinateSettings, known: readonly string[]): Wrong[] {
  const { router, writer, fallback, agents } = settings;
  const names = agents.map(({ name }) => name);
  const models = Object.entries({ router, writer }).flatMap(([field, name]) =>
    unknownAgent([field], name, known),
  );
  const delegates = agents.flatMap(({ name, team }, i): Wrong[] => {
    const path = ['agents', i, 'name'];
    // A router's answer is read without regard to case.
    const isTwice = names.slice(0, i).some((other) => other.toLowerCase() === name.toLowerCase());
    const twice = isTwice ? [{ path, message: `«${name}» stands here twice; give each agent once` }] : [];
    if (!team) return [...twice, ...unknownAgent(path, name, known)];
    const inner = wrongNames(team, known).map((wrong) => ({
      ...wrong,
      path: ['agents', i, 'team', ...wrong.path],
    }));
    return [...twice, ...inner];
  });
  const message = `«${fallback}» is not among its agents; name one of ${names.join(', ')}`;
  const stranger = names.includes(fallback) ? [] : [{ path: ['fallback'], message }];
  return [...models, ...stranger, ...delegates];
}

export function unknownAgent(path: Wrong['path'], name: string, known: readonly string[]): Wrong[] {
  if (known.includes(name)) return [];
  const names = known.join(', ') || 'none';
  return [{ path, message: `there is no agent «${name}» under «agents»; known: ${names}` }];
}
