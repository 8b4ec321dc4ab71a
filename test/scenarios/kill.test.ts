import { expect, test } from 'vitest';
import { sized } from '../long.ts';
import type { Point } from '../kill/job.ts';
import { killAt, shapeOf, startLedger, type Outcome } from '../kill/sweep.ts';

const atOnce = 3;

/** How many entries each run has at least (how many exactly depends on how its branches interleave), and at which it is killed. */
const runs = [
  { flow: 'branches', least: 200, each: 1 },
  { flow: 'graph', least: 100, each: sized(4, 1) },
  { flow: 'converse', least: 200, each: 1 },
] as const;

test.for(runs)(
  '[L1 L4 L5 L6] [R01] [R02] SIGKILL of «$flow» at every record, at three points: nothing acknowledged is lost, nothing is done twice',
  { timeout: 1_500_000 },
  async ({ flow, least, each }) => {
    const entries = Math.min(least, Number(process.env['KILLS'] ?? least));
    const ledger = await startLedger();
    const undisturbed = await killAt(ledger.socket, flow, { when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    expect(undisturbed.entries.length).toBeGreaterThanOrEqual(entries);
    const shape = shapeOf(undisturbed.tree);
    const records = Array.from({ length: Math.ceil(entries / each) }, (_, i) => i * each + 1);
    const points: Point[] = [
      ...records.map((entry): Point => ({ when: 'before', entry })),
      ...records.map((entry): Point => ({ when: 'after', entry })),
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
