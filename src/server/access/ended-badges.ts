import { existsSync, readFileSync } from 'node:fs';
import { sync as writeWhole } from 'write-file-atomic';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { jsonIn } from './json-in.ts';
import type { Caller } from './caller.ts';

/** Badges that were ended before their time, over restarts. */
export interface EndedBadges {
  add(caller: Caller, now: number): void;
  has(caller: Caller): boolean;
}

const Person = z.strictObject({
  /** All that were given out until then are ended. */
  until: z.number(),
  /** Each that was ended by itself, with when it would have ended anyhow. */
  badges: z.record(z.string(), z.number()),
});
type Person = z.infer<typeof Person>;
const File = z.strictObject({ version: z.literal(1), people: z.record(z.string(), Person) });

/** Whoever signs in and out all day long must not fill the disk: beyond this all of theirs are ended at once. */
const most = 50;

export function endedBadges(file: string): EndedBadges {
  const people = new Map(Object.entries(peopleIn(file)));
  return {
    add(caller, now) {
      const { badge, expiresAt = Infinity } = caller;
      if (!badge) return;
      const name = personOf(caller);
      const { until, badges } = people.get(name) ?? { until: 0, badges: {} };
      const live = Object.entries(badges).filter(([, end]) => end > now);
      const isMany = live.length >= most;
      people.set(name, {
        until: isMany ? now : until,
        badges: isMany ? {} : { ...Object.fromEntries(live), [badge.id]: expiresAt },
      });
      const text = JSON.stringify({ version: 1, people: Object.fromEntries(people) });
      writeWhole(file, text, { mode: 0o600 });
    },
    has(caller) {
      const person = caller.badge && people.get(personOf(caller));
      if (!person || !caller.badge) return false;
      return caller.badge.at <= person.until || Object.hasOwn(person.badges, caller.badge.id);
    },
  };
}

function personOf({ tenant, who, key }: Caller): string {
  return JSON.stringify([tenant, who, ...(key === undefined ? [] : [key])]);
}

function peopleIn(file: string): Readonly<Record<string, Person>> {
  if (!existsSync(file)) return {};
  const parsed = File.safeParse(jsonIn(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data.people;
  throw new RunError(
    'malformed',
    `${file} no longer says who signed out: remove it together with badges.key beside it; then everybody signs in again.`,
  );
}
