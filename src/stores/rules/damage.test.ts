import { expect, test } from 'vitest';
import type { Desk } from './tables.ts';
import { memoryTables } from '../memory/tables.ts';
import { perform } from './rules.ts';
import { newRun } from '../store.contract.ts';

function begun(): { readonly desk: Desk; readonly at: (now: number) => Desk } {
  const tables = memoryTables();
  const desk = { tables, now: 1_000, hints: [] };
  for (const run of ['r', 'other'])
    perform(desk, 'create', newRun(run, { claim: { worker: 'w', lease: 1_000 } }));
  return { desk, at: (now) => ({ ...desk, now }) };
}

const claim = { worker: 'next', flows: ['flow@1'], max: 10, lease: 1_000 };
const stop = { run: 'r', id: 'stop', command: { type: 'stop', by: 'me' } } as const;

test('[D26] a damaged run is given to no worker, and the others are', () => {
  const { desk, at } = begun();
  perform(desk, 'damage', { run: 'r', after: 0 });
  expect(perform(at(9_000), 'claim', claim).map(({ fence }) => fence.run)).toEqual(['other']);
  expect(perform(at(9_000), 'claim', { ...claim, run: 'r' })).toEqual([]);
});

test('[D26] a worker that cannot load it parks it, although a message is pending; nobody is woken by another', () => {
  const { desk } = begun();
  perform(desk, 'send', { run: 'r', id: 'm', command: { type: 'message', by: 'me', text: 'hello' } });
  perform(desk, 'damage', { run: 'r', after: 0 });
  expect(perform(desk, 'release', { fence: { run: 'r', epoch: 1 }, head: 1 })).toBe('waiting');
  const again = { run: 'r', id: 'n', command: { type: 'message', by: 'me', text: 'again' } } as const;
  expect(() => perform(desk, 'send', again)).toThrow(/damaged after entry 0: it can be stopped, exported/);
  expect(perform(desk, 'get', 'r')).toMatchObject({ state: 'waiting', damaged: 0 });
});

test.for([
  { name: 'before the damage was found', first: true },
  { name: 'afterwards', first: false },
])('[D26] a stop that comes $name ends it without an entry', ({ first }) => {
  const { desk } = begun();
  if (first) perform(desk, 'send', stop);
  perform(desk, 'damage', { run: 'r', after: 0 });
  const state = perform(desk, 'release', { fence: { run: 'r', epoch: 1 }, head: 1 });
  expect(state).toBe(first ? 'ended' : 'waiting');
  if (!first) expect(perform(desk, 'send', stop)).toMatchObject({ used: 1, fresh: true });
  expect(perform(desk, 'get', 'r')).toMatchObject({ state: 'ended', status: 'stopped', head: 1 });
  expect(perform(desk, 'send', stop)).toMatchObject({ used: 1, fresh: false });
});

test('[D26] a worker that has it goes on with what it knows, and records it', () => {
  const { desk } = begun();
  perform(desk, 'damage', { run: 'r', after: 0 });
  const summary = { status: 'running', approvals: 0 } as const;
  perform(desk, 'append', { fence: { run: 'r', epoch: 1 }, head: 1, last: 2, frames: 'id: 2\n\n', summary });
  expect(perform(desk, 'get', 'r')).toMatchObject({ state: 'running', head: 2, damaged: 0 });
});
