import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { AgentEvent } from '../gateway.ts';
import { stoppable } from './stoppable.ts';

const piece: readonly AgentEvent[] = [{ type: 'text.appended', text: 'a' }];

test.for(['abort', 'return'] as const)('%s between two steps lets the turn clean up', async (way) => {
  const controller = new AbortController();
  const cleaned = Promise.withResolvers<void>();
  const iterator = stoppable(controller.signal, async function* () {
    try {
      yield piece;
      yield piece;
    } finally {
      cleaned.resolve();
    }
    return undefined;
  })[Symbol.asyncIterator]();
  await iterator.next();
  if (way === 'abort') controller.abort();
  else await iterator.return?.();
  await cleaned.promise;
});

test('a signal that outlives many turns keeps nothing of them', async () => {
  const { signal } = new AbortController();
  const turn = stoppable(signal, async function* () {
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    yield piece;
    return undefined;
  });
  for (let i = 0; i < 3; i += 1) await Array.fromAsync(turn);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('abort after the end of a turn is no failure of it', async () => {
  const controller = new AbortController();
  const iterator = stoppable(controller.signal, async function* () {
    yield piece;
    return undefined;
  })[Symbol.asyncIterator]();
  await iterator.next();
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  controller.abort();
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
});
