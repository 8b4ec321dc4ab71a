import { RunError } from '../../run/failure.ts';
import { expectHonest, isStranger } from './honest.ts';
import type { Door } from './door.ts';
import type { Surroundings } from './lock.ts';
import { sourceReader } from './source.ts';

/** The door of a folder that is served at no port of its own: whom the way they come by does not name stays outside. */
export function knownDoor({
  server,
  now,
}: {
  readonly server: Surroundings;
  readonly now: () => number;
}): Door {
  const lock = { isLocked: true, id: 'known' };
  const sourceOf = sourceReader(server.proxies);
  const noBadges = (): never => {
    throw new RunError('disabled', 'Nobody signs in here: who asks is known by the way they come.');
  };
  return {
    isLocked: true,
    badges: {
      issue: noBadges,
      read: async () => undefined,
      end: noBadges,
      isEnded: () => false,
      lookAgain: async () => {},
    },
    expectHonest: (visit) => expectHonest(visit, { server, lock, source: sourceOf(visit) }),
    isStranger: (visit) => !visit.way?.isDirect && isStranger(visit, { server, source: sourceOf(visit) }),
    sourceOf,
    callerOf: async ({ way, headers }) => way?.callerOf(headers),
    holderOf: async () => undefined,
    bearerOf: () => undefined,
    mayStay: ({ expiresAt }) => expiresAt === undefined || expiresAt > now(),
    lookAgain: async () => {},
    trouble: () => undefined,
    guestOrigin: ({ origin }) => server.origins.find((known) => known === origin),
  };
}
