import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drawnEffects } from '../kill/drawn.ts';
import { pointsAt, type Point } from '../kill/job.ts';
import type { Line } from '../kill/ledger.ts';
import { disturbed, inFolder, shapeOf, startLedger, type Outcome } from '../kill/sweep.ts';
import { sized, tell } from '../long.ts';

const each = sized(40, 1);
const atOnce = 2;

test(
  '[WF19 L1 L4 L5] SIGKILL of a graph at its records: it goes on as it would have, and nothing is done twice',
  { timeout: 1_500_000 },
  async () => {
    const ledger = await startLedger();
    const kill = (point: Point): Promise<Outcome> =>
      inFolder((folder) => {
        const file = join(folder, 'ledger.jsonl');
        const work = { flow: 'drawn', ledger: { socket: ledger.socket, file } } as const;
        return disturbed(
          { folder, point, text: 'drawn', work },
          {
            decide: (_, { approval, fingerprint }) => ({
              type: 'decide',
              by: 'child',
              approval,
              fingerprint,
              decision: 'approve',
            }),
            wrongs: () => doneWrongly(file),
          },
        );
      });
    const undisturbed = await kill({ when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    expect(undisturbed.tree.ended?.outcome).toBe('completed');
    const shape = shapeOf(undisturbed.tree);
    const points = pointsAt(undisturbed.entries.length - 4, each);
    const seen = { points: points.length, cut: 0 };
    const queue = points.entries();
    const sweep = async (): Promise<void> => {
      for (const [, point] of queue) {
        const { entries, tree, wrongs, wasCut } = await kill(point);
        const name = JSON.stringify(point);
        seen.cut += wasCut ? 1 : 0;
        if (entries.length === 0) continue;
        expect(wrongs, name).toEqual([]);
        expect(shapeOf(tree), name).toEqual(shape);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sweep));
    await ledger.stop();
    tell('kills of a graph', seen);
    expect(seen.cut).toBeGreaterThan(points.length * 0.8);
  },
);

/** Each effect is in the ledger once for its key. */
function doneWrongly(file: string): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const done = lines.map((line) => (JSON.parse(line) as Line).what);
  return done.length === drawnEffects ? [] : [`done were ${done.join()}`];
}
