import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries } from '../../test/arbitraries.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry } from '../run/events.ts';
import { projectAll, type Projection } from './projection.ts';

/** What every projection obeys, over journals as the engine writes them and over any others. */
export function projectionContract<State, Frame>(name: string, projection: Projection<State, Frame>): void {
  const whole = (entries: readonly Entry[]): readonly Frame[] => projectAll(projection, entries)[1];

  describe(`${name} as a projection`, () => {
    test('[P1] the same entries give the same frames, however often', () => {
      fc.assert(
        fc.property(plausibleRun, (entries) => {
          expect(whole(entries)).toEqual(whole(entries));
        }),
        { numRuns: 50 },
      );
    });

    test('[P2] frames before a cursor and frames after it are the frames of an unbroken viewer', () => {
      fc.assert(
        fc.property(plausibleRun, fc.nat(), (entries, cut) => {
          const place = cut % (entries.length + 1);
          const [state, before] = projectAll(projection, entries.slice(0, place));
          const [, after] = projectAll(projection, entries.slice(place), state);
          const [, again] = projectAll(projection, entries.slice(place), state);
          expect([...before, ...after]).toEqual(whole(entries));
          expect(again).toEqual(after);
        }),
        { numRuns: 100 },
      );
    });

    test('[P3] nothing an entry can say breaks it', () => {
      fc.assert(
        fc.property(anyEntries, (entries) => void whole(entries)),
        { numRuns: 300 },
      );
    });
  });
}
