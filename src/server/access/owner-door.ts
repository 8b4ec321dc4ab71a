import { RunError } from '../../run/failure.ts';
import { expectHonest } from './honest.ts';
import { ownerIn, type Door } from './door.ts';

/** The door of a folder that is served nowhere else: its owner comes in, through the socket in it, and nobody besides. */
export function ownerDoor(): Door {
  const source = { address: '', isTls: false };
  const lock = { isLocked: true, id: 'owner' };
  const server = { host: 'localhost', hosts: [], origins: [], proxies: [] };
  const noBadges = (): never => {
    throw new RunError('disabled', 'No browser comes in through the socket of a folder.');
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
    expectHonest: (visit) => expectHonest(visit, { server, lock, source }),
    isStranger: () => false,
    sourceOf: () => source,
    callerOf: async (visit) => (visit.isOwner ? ownerIn(visit) : undefined),
    holderOf: async () => undefined,
    bearerOf: () => undefined,
    mayStay: () => true,
    lookAgain: async () => {},
    trouble: () => undefined,
    guestOrigin: () => undefined,
  };
}
