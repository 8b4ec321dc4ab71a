import { z } from 'zod';
import type { Kind } from '../shared/kind.ts';
import { watchedKind, type SharedStore } from '../shared/watched-kind.ts';
import type { Caller } from './honest.ts';

/** Badges that were ended before their time, over restarts. */
export interface EndedBadges {
  add(caller: Caller, now: number): Promise<void>;
  has(caller: Caller): boolean;
  lookAgain(): Promise<void>;
}

export const SignedOut = z.strictObject({
  /** All that were given out until then are ended. */
  until: z.number(),
  /** Each that was ended by itself, with when it would have ended anyhow. */
  badges: z.record(z.string(), z.number()),
});
export type SignedOut = z.infer<typeof SignedOut>;

/** By person. */
export const signedOutKind: Kind<SignedOut> = { kind: 'signed out', schema: SignedOut };

/** Whoever signs in and out all day long must not fill the disk: beyond this all of theirs are ended at once. */
const most = 50;

export async function endedBadges(store: SharedStore): Promise<EndedBadges> {
  const watched = await watchedKind(store, signedOutKind);
  return {
    async add(caller, now) {
      const { badge, expiresAt = Infinity, tenant } = caller;
      if (!badge) return;
      await watched.change(tenant, personOf(caller), ({ until, badges } = { until: 0, badges: {} }) => {
        const live = Object.entries(badges).filter(([, end]) => end > now);
        const isMany = live.length >= most;
        return {
          until: isMany ? now : until,
          badges: isMany ? {} : { ...Object.fromEntries(live), [badge.id]: expiresAt },
        };
      });
    },
    has(caller) {
      const { badge, tenant } = caller;
      const person = badge && watched.values.get(tenant)?.get(personOf(caller));
      if (!person) return false;
      return badge.at <= person.until || Object.hasOwn(person.badges, badge.id);
    },
    lookAgain: () => watched.lookAgain(),
  };
}

function personOf({ who, key }: Caller): string {
  return personNamed(who, key);
}

/** Somebody of a tenant, with the key they came in with. */
export function personNamed(who: string, key: string | undefined): string {
  return JSON.stringify(key === undefined ? [who] : [who, key]);
}
