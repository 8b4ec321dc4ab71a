import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { disorderIn as consoleDisorder } from '../../test/console-order.ts';
import { disorderIn as executionDisorder } from '../../test/execution-order.ts';
import { disordered, firstDifference } from '../../test/first-difference.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry } from '../run/events.ts';
import { ConsoleFrame } from '../wire/console.ts';
import { dottedConsoleProjection } from './console/run.ts';
import { executionProjection } from './execution/execution.ts';
import { ownProtocols } from './own-protocols.ts';
import { projectAll } from './projection.ts';
import { encode } from '../run/entries.ts';

/** Of every run a reader finds nothing out of order, and of every disorder it finds something. */
function strictReader<Frame>(
  name: string,
  told: (entries: readonly Entry[]) => readonly Frame[],
  disorderIn: (frames: readonly Frame[], entries: readonly Entry[]) => readonly string[],
): void {
  describe(name, () => {
    test('[P95] of any run the frames are in order, and tell all that happened once', () => {
      fc.assert(
        fc.property(plausibleRun, (entries) => {
          expect(disorderIn(told(entries), entries)).toEqual([]);
        }),
        { numRuns: 150 },
      );
    });

    test('[P95] a frame that is missing, comes twice or changes places with its neighbour is noticed', () => {
      const runs = fc.sample(plausibleRun, { numRuns: 40, seed: 6 }).filter(({ length }) => length < 80);
      const missed = new Set<string>();
      for (const entries of runs)
        for (const [how, frames] of disordered(told(entries)))
          if (disorderIn(frames, entries).length === 0) missed.add(how);
      expect([...missed]).toEqual([]);
      expect(runs.length).toBeGreaterThan(10);
    });
  });
}

strictReader(
  'steps',
  (entries) => {
    const telling = ownProtocols.steps.telling({ run: 'r' });
    return entries.flatMap((entry) =>
      telling.tell(entry).map(({ id, data }) => `id: ${id}\ndata: ${data}\n\n`),
    );
  },
  (frames, entries) => firstDifference(frames, entries.map(encode)),
);

strictReader(
  'execution',
  (entries) => projectAll(executionProjection({ run: 'r' }), entries)[1],
  executionDisorder,
);

strictReader(
  'console',
  (entries) => {
    const telling = ownProtocols.console.telling({ run: 'r' });
    return entries.flatMap((entry) =>
      telling.tell(entry).map(({ id, event, data }) => ({
        ...ConsoleFrame.parse({ event, data: JSON.parse(data) }),
        id,
      })),
    );
  },
  (first, entries) => {
    const [, second] = projectAll(dottedConsoleProjection({ run: 'r' }), entries);
    return consoleDisorder({ first, second }, entries);
  },
);
