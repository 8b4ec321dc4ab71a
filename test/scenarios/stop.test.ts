import { expect, test, vi } from 'vitest';
import { isAlive, stopOnce } from '../stop/stops.ts';

const stops = 100;
const atOnce = 4;

test(`[L9 L7] ${stops} stops against a busy loop three levels deep: every run ends, and nothing of it is left`, async () => {
  const queue = Array.from({ length: stops }).keys();
  const pids = new Set<number>();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const _ of queue) {
        const { tree, pid, later } = await stopOnce();
        pids.add(pid);
        expect(tree.ended?.outcome).toBe('stopped');
        expect(
          [...tree.steps.values()].filter(({ status }) => status === 'running' || status === 'waiting'),
        ).toEqual([]);
        expect(later, 'entries after the end').toBe(0);
        await vi.waitFor(() => expect(isAlive(pid), `process ${pid} is gone`).toBe(false));
      }
    }),
  );
  expect(pids.size).toBe(stops);
}, 600_000);
