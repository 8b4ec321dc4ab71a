import { expect, test } from 'vitest';
import { pointsAt, type Point } from './job.ts';
import { killAt, shapeOf, startLedger, type Outcome } from './sweep.ts';

const atOnce = 3;

interface Sweep {
  readonly flow: Parameters<typeof killAt>[1];
  /** How many entries its run has at least; how many exactly depends on how its branches interleave. */
  readonly least: number;
  /** At which of them it is killed. */
  readonly each: number;
}

/** Kills a run at its records, at three points of each, and lets another worker take over. */
export function killsAreSurvived({ flow, least, each }: Sweep): void {
  const often = each === 1 ? 'every record' : `one record in ${each}`;
  const title = `SIGKILL of «${flow}» at ${often}, at three points: nothing acknowledged is lost, nothing is done twice`;
  test(`[L1 L4 L5 L6] [R01] [R02] ${title}`, { timeout: 1_500_000 }, async () => {
    const ledger = await startLedger();
    const undisturbed = await killAt(ledger.socket, flow, { when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    expect(undisturbed.entries.length).toBeGreaterThanOrEqual(least);
    const shape = shapeOf(undisturbed.tree);
    const points: Point[] = [
      ...pointsAt(least, each),
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
  });
}
