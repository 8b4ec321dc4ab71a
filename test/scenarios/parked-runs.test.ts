import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { Engine } from '../engine.ts';
import { inFolder } from '../kill/sweep.ts';
import { sized, tell } from '../long.ts';
import { testWorld, toolOf } from '../world.ts';
import { graphOf, runOf, workflowFlow } from '../workflow/world.ts';

const day = 86_400_000;
const runs = sized(1_000, 10_000);
/** What a run that waits may take on disk. Bytes. */
const most = 4_000;

const graph = graphOf(
  [
    { id: 'rest', type: 'wait', for: 40 * 86_400 },
    { id: 'do', type: 'tool', tool: 'note', arguments: { n: '{{input.n}}' } },
  ],
  'rest>do',
);

/** Workers of one folder, whose clock was moved by so much; who has done what is told. */
async function opened(folder: string, moved: number, names: readonly string[]) {
  const done: number[] = [];
  const store = await sqliteStore({
    folder,
    now: () => Date.now() + moved,
    elapsed: () => performance.now(),
  });
  const note = toolOf('note', (input) => done.push((input as { n: number }).n), { effect: 'idempotent' });
  const world = testWorld({ flows: [workflowFlow], tools: [note] }, { store });
  const engines = names.map((name) => new Engine(world, name));
  const over = new AbortController();
  const working = engines.map((engine) => engine.work(over.signal));
  return {
    store,
    engines,
    done,
    problems: world.problems,
    async close() {
      over.abort();
      await Promise.all(working);
      await store.close();
    },
  };
}

test(
  '[WF31] thousands of runs that wait take little space; all due at once, over a restart, each is woken, once',
  { timeout: 3_600_000 },
  () =>
    inFolder(async (folder) => {
      const file = join(folder, 'vitrine.db');
      const before = await opened(folder, 0, ['first']);
      const [engine = expect.fail('nobody works')] = before.engines;
      const wanted = await runOf(before.store, graph);
      const started = Array.from({ length: runs }, (_, n) => ({
        ...wanted,
        input: { text: '', data: { n } },
      }));
      for (let n = 0; n < runs; n += 100)
        await Promise.all(started.slice(n, n + 100).map((request) => engine.start(request)));
      await engine.idle();
      expect(await before.store.dispatch.unfinished('local')).toEqual({ working: 0, waiting: runs });
      await before.close();
      const bytes = Math.round(statSync(file).size / runs);

      const after = await opened(folder, 41 * day, ['second', 'third']);
      await expect
        .poll(() => after.store.dispatch.unfinished('local'), { timeout: 1_800_000, interval: 100 })
        .toEqual({ working: 0, waiting: 0 });
      const rows = await after.store.dispatch.list({ tenant: 'local', limit: 100 });
      await after.close();
      tell('parked runs', { runs, bytes });
      expect(bytes, 'bytes of a run that waits').toBeLessThan(most);
      expect([before.done, after.done.toSorted((a, b) => a - b)]).toEqual([[], started.map((_, n) => n)]);
      expect(rows.map(({ status }) => status)).toEqual(rows.map(() => 'completed'));
      expect([...before.problems, ...after.problems]).toEqual([]);
    }),
);
