import { expect, test } from 'vitest';
import { RunError } from '../run/failure.ts';
import { calledContract } from './called.contract.ts';
import { memoryStore, type Commit } from './memory.ts';
import { appending, collect, newRun, refused, seqs, storeContract, type Opened } from './store.contract.ts';
import type { Store } from './store.ts';

const open = async (): Promise<Opened> => {
  let time = 1_000_000;
  return { store: memoryStore({ now: () => time }), pass: (milliseconds) => (time += milliseconds) };
};
storeContract('memory', open);
calledContract('memory', open);

const fence = { run: 'r', epoch: 1 };

async function storeWith(commit: Commit): Promise<Store> {
  const store = memoryStore({ now: () => 0, commit });
  await store.dispatch.create(newRun('r', { claim: { worker: 'w', lease: 1_000 } }));
  return store;
}

test('[J5] appends of one run keep their order however the commits are delayed', async () => {
  const delayed: (() => void)[] = [];
  const store = await storeWith(async (apply, operation) => {
    if (operation === 'append') await new Promise<void>((resolve) => delayed.unshift(resolve));
    return apply();
  });
  const appends = [1, 2, 3].map((head) => store.journal.append(appending(fence, head)));
  for (let turns = 0; turns < 50; turns += 1) {
    await Promise.resolve();
    delayed.shift()?.();
  }
  await Promise.all(appends);
  expect(seqs(await store.journal.read('r', 0))).toEqual([1, 2, 3, 4]);
});

test('[J5] the next operation of a run does not wait for the answer of the one before', async () => {
  let held: (() => void) | undefined;
  const store = await storeWith(async (apply, operation) => {
    const result = apply();
    if (operation === 'append' && !held) await new Promise<void>((resolve) => (held = resolve));
    return result;
  });
  const first = store.journal.append(appending(fence, 1));
  await store.journal.append(appending(fence, 2));
  held?.();
  await first;
});

test.for([
  { name: 'lost before it took effect', applies: false },
  { name: 'took effect without an answer', applies: true },
])('[J6] after an append that was $name the head tells what to do', async ({ applies }) => {
  let fails = true;
  const store = await storeWith(async (apply, operation) => {
    if (operation !== 'append' || !fails) return apply();
    fails = false;
    if (applies) apply();
    throw new RunError('unavailable', 'The connection died.');
  });
  await refused(store.journal.append(appending(fence, 1)), 'unavailable');
  const head = (await store.dispatch.get('r'))?.head;
  expect(head).toBe(applies ? 2 : 1);
  if (head === 1) await store.journal.append(appending(fence, 1));
  await store.journal.append(appending(fence, 2));
  expect(seqs(await store.journal.read('r', 0))).toEqual([1, 2, 3]);
});

test('[J12] [R15] an append that falls between reading and waiting is not missed', async () => {
  let goOn = (): void => {};
  const store = await storeWith(async (apply, operation) => {
    const result = apply();
    if (operation === 'read') await new Promise<void>((resolve) => (goOn = resolve));
    return result;
  });
  const following = collect(store.journal.follow('r', 1, AbortSignal.timeout(5_000)));
  await store.journal.append(appending(fence, 1, { ends: true }));
  goOn();
  expect(seqs(await following)).toEqual([2]);
});
