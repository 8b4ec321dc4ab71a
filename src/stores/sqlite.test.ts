import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { calledContract } from './called.contract.ts';
import { sqliteStore } from './sqlite.ts';
import { storeContract, type Opened } from './store.contract.ts';

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
