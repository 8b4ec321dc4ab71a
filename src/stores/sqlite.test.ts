import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test, vi } from 'vitest';
import { calledContract } from './called.contract.ts';
import { foundContract } from './found.contract.ts';
import { sqliteStore } from './sqlite.ts';
import { appending, newRun, storeContract, type Opened } from './store.contract.ts';

const base = mkdtempSync(join(tmpdir(), 'vitrine-store-'));
afterAll(() => rmSync(base, { recursive: true }));

let stores = 0;
const open = async (): Promise<Opened> => {
  let time = 1_000_000;
  stores += 1;
  const store = await sqliteStore({ folder: join(base, String(stores)), now: () => time });
  return { store, pass: (milliseconds) => (time += milliseconds) };
};
storeContract('sqlite', open);
calledContract('sqlite', open);
foundContract('sqlite', open);

test('[Q134] whoever follows a run that was just created gets it without a question to the thread', async () => {
  const { store } = await open();
  const run = newRun('r', { claim: { worker: 'w', lease: 1_000 } });
  await store.dispatch.create(run);
  const asked = vi.spyOn(Worker.prototype, 'postMessage');
  const places: number[] = [];
  const over = new Promise<unknown>((resolve) => {
    const watcher = { chunk: ({ last }: { readonly last: number }) => places.push(last), over: resolve };
    store.journal.watch?.('r', 0, watcher);
  });
  await expect.poll(() => places).toEqual([run.last]);
  expect(asked).not.toHaveBeenCalled();
  asked.mockRestore();
  await store.journal.append(appending({ run: 'r', epoch: 1 }, run.last, { ends: true }));
  await over;
  expect(places).toEqual([run.last, run.last + 1]);
  await store.close();
});
