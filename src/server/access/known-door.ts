import { RunError } from '../../run/failure.ts';
import { type Caller, looksAtRequests, type Surroundings } from './honest.ts';
import type { Door } from './door.ts';

/** The door of a folder that is served at no port of its own: whom the way they come by does not name stays outside. */
export function knownDoor({
  server,
  now,
}: {
  readonly server: Surroundings;
  readonly now: () => number;
}): Door {
  const noBadges = (): never => {
    throw new RunError('disabled', 'Nobody signs in here: who asks is known by the way they come.');
  };
  const mayStay = ({ expiresAt }: Caller): boolean => expiresAt === undefined || expiresAt > now();
  return {
    isLocked: true,
    introduction: 'the program this is part of does not know you, and no key counts here',
    badges: {
      issue: noBadges,
      read: async () => undefined,
      end: noBadges,
      isEnded: () => false,
      lookAgain: async () => {},
    },
    ...looksAtRequests(server, { isLocked: true, id: 'known' }),
    async callerOf({ way, headers }) {
      const caller = await way?.callerOf(headers);
      if (caller && !mayStay(caller)) throw new RunError('unauthenticated', 'Your time here is over.');
      return caller;
    },
    holderOf: async () => undefined,
    bearerOf: () => undefined,
    mayStay,
    lookAgain: async () => {},
    trouble: () => undefined,
  };
}
