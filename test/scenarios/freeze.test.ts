import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { foldAll } from '../../src/run/fold.ts';
import { sqliteReader } from '../../src/stores/sqlite-reader.ts';
import { startLedger } from '../kill/sweep.ts';
import { entriesOf } from '../world.ts';

const child = fileURLToPath(new URL('../kill/child.ts', import.meta.url));
const pastTheLease = 16_000;

test('[L3 L6] [R39] a worker stopped past its lease and woken is refused, and what it was doing is in doubt', async () => {
  const ledger = await startLedger();
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-freeze-'));
  const work = { flow: 'branches', ledger: { socket: ledger.socket, file: join(folder, 'ledger.jsonl') } };
  const job = { folder, text: 'begin', work, point: { when: 'effect', tool: 'tool2' } };
  const worker = spawn(process.execPath, [child, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface(worker.stdout);
  const run = new Promise<string>((resolve) =>
    lines.on('line', (line) => line.startsWith('run ') && resolve(line.slice(4))),
  );
  const here = new Promise<void>((resolve) => lines.on('line', (line) => line === 'here' && resolve()));
  await here;
  worker.kill('SIGSTOP');
  await sleep(pastTheLease);
  worker.kill('SIGCONT');
  // The child takes its own run up again with a new epoch, answers the doubt itself and finishes.
  await once(worker, 'close');
  const reader = await sqliteReader({ folder });
  const entries = await entriesOf(reader, await run);
  const tree = foldAll(entries);
  const took = entries.flatMap(({ event }) => (event.type === 'worker.took' ? [event.reason] : []));
  expect(took).toContain('recovered');
  expect(tree.ended?.outcome).toBe('completed');
  expect([...tree.approvals.values()].filter(({ title }) => title === 'Did «tool2» happen?')).toHaveLength(1);
  expect(tree.notices.filter(({ code }) => code === 'OUT_OF_PLACE')).toEqual([]);
  await reader.close();
  await ledger.stop();
  rmSync(folder, { recursive: true, force: true });
}, 120_000);
