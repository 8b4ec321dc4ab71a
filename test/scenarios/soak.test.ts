import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isLong, sized, tell } from '../long.ts';
import type { Round } from '../memory/soak.ts';

const child = fileURLToPath(new URL('../memory/soak.ts', import.meta.url));
const megabyte = 1_000_000;

test.skipIf(!existsSync('/proc/self/fd'))(
  '[R50] a server that works on and on holds no more than before',
  { timeout: 1_200_000 },
  async () => {
    const args = ['--expose-gc', child, '8', String(sized(60, 400)), String(sized(0, 10))];
    const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 64 * megabyte });
    const rounds = JSON.parse(stdout) as Round[];
    const events = rounds.reduce((sum, round) => sum + round.events, 0);
    tell('soak', { rounds: rounds.length, events, minutes: Math.round(rounds.at(-1)?.minutes ?? 0) });
    expect(events).toBeGreaterThan(sized(15_000, 100_000));
    const settled = rounds.slice(Math.floor(rounds.length / 2));
    // What is kept for those who come back fills up first, which takes some thousand runs.
    for (const { heap, external } of rounds) expect(heap + external).toBeLessThan(200 * megabyte);
    if (isLong) {
      const perMinute = slope(settled.map(({ minutes, heap, external }) => [minutes, heap + external]));
      expect(perMinute, JSON.stringify(rounds)).toBeLessThan(megabyte / 2);
    }
    const spread = (of: (round: Round) => number): number =>
      Math.max(...settled.map(of)) - Math.min(...settled.map(of));
    expect(spread(({ files }) => files)).toBeLessThan(30);
    expect(spread(({ handles }) => handles)).toBeLessThan(30);
  },
);

/** The line through the points that is nearest to all of them. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const mean = (of: (point: readonly [number, number]) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(([a]) => a), mean(([, b]) => b)];
  return mean((point) => (point[0] - x) * (point[1] - y)) / mean(([a]) => (a - x) ** 2);
}
