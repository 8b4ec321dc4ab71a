import { expect, test } from 'vitest';
import type { Point } from '../kill/job.ts';
import { killAt, shapeOf, startLedger, type Outcome } from '../kill/sweep.ts';

const atOnce = 3;

/** Each run has some two hundred entries; how many exactly depends on how its branches interleave. */
const entries = Number(process.env['KILLS'] ?? 200);

test.for(['branches', 'converse'] as const)(
  '[L1 L4 L5 L6] [R01] [R02] SIGKILL of «%s» at every record, at three points: nothing acknowledged is lost, nothing is done twice',
  { timeout: 1_500_000 },
  async (flow) => {
    const ledger = await startLedger();
    const undisturbed = await killAt(ledger.socket, flow, { when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    expect(undisturbed.entries.length).toBeGreaterThanOrEqual(entries);
    const shape = shapeOf(undisturbed.tree);
    const points: Point[] = [
      ...Array.from({ length: entries }, (_, i): Point => ({ when: 'before', entry: i + 1 })),
      ...Array.from({ length: entries }, (_, i): Point => ({ when: 'after', entry: i + 1 })),
      ...Array.from({ length: 10 }, (_, i): Point => ({ when: 'effect', tool: `tool${i}` })),
    ];
    const seen = { cut: 0, doubts: 0, unborn: 0 };
    const check = (point: Point, outcome: Outcome): void => {
      const name = JSON.stringify(point);
      seen.cut += outcome.wasCut ? 1 : 0;
      if (outcome.entries.length === 0) {
        seen.unborn += 1;
        expect(point, 'only a run that was never created may be missing').toMatchObject({ when: 'before' });
        return;
      }
      expect(outcome.wrongs, name).toEqual([]);
      expect(shapeOf(outcome.tree), name).toEqual(shape);
      seen.doubts += outcome.doubts;
    };
    const queue = points.entries();
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        for (const [, point] of queue) check(point, await killAt(ledger.socket, flow, point));
      }),
    );
    await ledger.stop();
    expect(seen.cut, 'kills that happened').toBeGreaterThan(points.length * 0.95);
    expect(seen.doubts, 'effects in doubt that were asked about').toBeGreaterThanOrEqual(4);
    expect(seen.unborn, 'kills before the run was there').toBeGreaterThan(0);
  },
);
