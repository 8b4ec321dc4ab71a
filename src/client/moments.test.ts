import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sized } from '../../test/long.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { closed, journal, opened, said, started } from '../../test/journal.ts';
import { foldAll } from '../run/entries.ts';
import { Moments } from './moments.ts';

test('[N8] what is kept on the way shows nothing else, wherever one goes and whatever comes meanwhile', () => {
  fc.assert(
    fc.property(
      plausibleRun,
      fc.array(fc.nat(), { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 9 }),
      (entries, places, stride) => {
        const moments = new Moments(stride);
        const half = Math.ceil(entries.length / 2);
        moments.take(entries.slice(0, half));
        places.forEach((place, i) => {
          if (i === Math.floor(places.length / 2)) moments.take(entries.slice(half));
          const at = place % (entries.length + 1);
          moments.seek(at);
          expect(moments.tree).toEqual(foldAll(moments.entries.filter(({ seq }) => seq <= at)));
        });
        moments.seek(undefined);
        expect(moments.tree).toEqual(foldAll(moments.entries));
      },
    ),
    { numRuns: sized(100, 1_000) },
  );
});

test('[W250] to go back in a long run costs a part of it', () => {
  const steps = Array.from({ length: 4_000 }, (_, i) => [
    opened(i + 1, 0),
    said(i + 1, 'a'),
    said(i + 1, 'b'),
    closed(i + 1),
  ]);
  const moments = new Moments(64);
  moments.take(journal(started('long'), ...steps.flat()));
  const { head, entries } = moments;
  const read = { count: 0 };
  moments.seek(head - 1);
  entries.forEach((entry, i) => (entries[i] = counted(entry, read)));
  moments.seek(head / 2);
  expect(read.count).toBeLessThan(entries.length / 6);
  expect(moments.tree).toEqual(foldAll(entries.slice(0, head / 2)));
});

/** Tells how often somebody asked what happened in it. */
function counted<T extends { readonly event: unknown }>(entry: T, read: { count: number }): T {
  return new Proxy(entry, {
    get(target, name) {
      if (name === 'event') read.count += 1;
      return Reflect.get(target, name) as unknown;
    },
  });
}
