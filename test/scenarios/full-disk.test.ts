import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Engine } from '../engine.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { ended, entriesOf, flowOf, startRun, testWorld, toolOf } from '../world.ts';

const disk = mkdtempSync(join(tmpdir(), 'vitrine-disk-'));
const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=3m', 'tmpfs', disk]).status === 0;
if (!mounted) process.stderr.write('The full-disk test is skipped: only root can mount a small disk.\n');
beforeAll(() => expect(process.getuid?.() !== 0 || mounted, 'root can mount a small disk').toBe(true));
afterAll(() => {
  if (mounted) spawnSync('umount', [disk]);
  rmSync(disk, { recursive: true, force: true });
});

test.skipIf(!mounted)(
  '[R06] a full disk leaves the run to be resumed, loses nothing, and repeats nothing once there is space',
  async () => {
    const done: number[] = [];
    const ballast = join(disk, 'ballast');
    const fill = (): void => {
      const { bavail, bsize } = statfsSync(disk);
      writeFileSync(ballast, Buffer.alloc(Math.max(0, bavail * bsize)));
    };
    const work = toolOf(
      'work',
      async (input) => {
        const { n } = input as { n: number };
        done.push(n);
        if (done.length === 3) fill();
        return { n };
      },
      { effect: 'idempotent' },
    );
    const flow = flowOf(async (scope) => {
      for (let n = 1; n <= 5; n += 1) await scope.call('work', { n }, { key: `work ${n}` });
      return 'all done';
    });
    const folder = join(disk, 'data');
    const store = await sqliteStore({ folder });
    const world = testWorld({ flows: [flow], tools: [work] }, { store });
    const engine = new Engine(world, 'first');
    const { run } = await startRun(engine, flow);
    // The worker asks the store again for ten seconds and then lets go.
    await engine.idle();
    expect(done).toEqual([1, 2, 3]);
    const kept = await entriesOf(store, run);
    expect((await store.dispatch.get(run))?.state, 'nobody ended it').toBe('running');
    rmSync(ballast);
    await store.close();
    const again = await sqliteStore({ folder });
    const heir = new Engine({ ...world, store: again }, 'second');
    const over = new AbortController();
    const working = heir.work(over.signal);
    const tree = await ended(again, run);
    over.abort();
    await working;
    expect(tree.ended?.answer).toBe('all done');
    expect((await entriesOf(again, run)).slice(0, kept.length)).toEqual(kept);
    // Only the call whose outcome found no space is made again, with its own key.
    expect(done).toEqual([1, 2, 3, 3, 4, 5]);
    await again.close();
  },
);
