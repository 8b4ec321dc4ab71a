import { expect, test } from 'vitest';
import { channelled, type EventChannel } from './event-channel.ts';
import type { AgentEvent, Take, Telling } from '../gateway.ts';

const said = (text: string): readonly AgentEvent[] => [{ type: 'text.appended', text }];

/** A back end in the hands of a test, told to `take`. */
function called(take: Take, signal = new AbortController().signal) {
  const asked = Promise.withResolvers<void>();
  let channel: EventChannel | undefined;
  let [resumed, cancelled] = [0, 0];
  const telling: Telling = channelled(signal, (given) => {
    channel = given;
    given.source = { resume: () => (resumed += 1), cancel: () => (cancelled += 1) };
    return asked.promise;
  });
  const told = telling.each?.(take) ?? Promise.reject(new Error('it is not called'));
  told.catch(() => {});
  return {
    told,
    push: (text: string) => channel?.push(said(text)),
    end: () => asked.resolve(),
    fail: (error: Error) => asked.reject(error),
    count: () => ({ resumed, cancelled }),
  };
}

test('[G49] what a chunk brings is taken before whoever brought it goes on', async () => {
  const taken: unknown[] = [];
  const { push, told, end } = called((events) => (taken.push(events), false));
  expect(push('a')).toBe(true);
  expect(taken).toEqual([said('a')]);
  end();
  expect(await told).toBe(false);
});

test('[G49] who has enough leaves, and the connection is closed', async () => {
  const { push, told, count } = called(() => true);
  push('a');
  expect([await told, count().cancelled]).toEqual([true, 1]);
});

test('[G49] what goes wrong there is not thrown at whoever brings the chunk', async () => {
  const { push, told, count } = called(() => {
    throw new Error('of the reader');
  });
  expect(push('a')).toBe(true);
  await expect(told).rejects.toThrow('of the reader');
  expect(count().cancelled).toBe(1);
});

test('[G49] [G14] who has to wait is given nothing meanwhile, and everything afterwards', async () => {
  const taken: unknown[] = [];
  const room = Promise.withResolvers<boolean>();
  const { push, told, end, count } = called((events) => {
    taken.push(events);
    return taken.length === 1 ? room.promise : false;
  });
  expect([push('a'), push('b')]).toEqual([false, false]);
  expect([taken.length, count().resumed]).toEqual([1, 0]);
  room.resolve(false);
  await room.promise;
  await Promise.resolve();
  expect([taken, count().resumed]).toEqual([[said('a'), said('b')], 1]);
  end();
  expect(await told).toBe(false);
});

test('[G49] [G6] an answer that breaks off fails after all that waited was taken', async () => {
  const taken: unknown[] = [];
  const room = Promise.withResolvers<boolean>();
  const { push, told, fail } = called((events) => (taken.push(events), taken.length === 1 && room.promise));
  push('a');
  push('b');
  fail(new Error('broke off'));
  room.resolve(false);
  await expect(told).rejects.toThrow('broke off');
  expect(taken).toHaveLength(2);
});

test('[G49] [G8] an abort takes effect at once, whatever waits', async () => {
  const stop = new AbortController();
  const { push, told, count } = called(() => new Promise(() => {}), stop.signal);
  push('a');
  push('b');
  stop.abort(new Error('stopped'));
  await expect(told).rejects.toThrow('stopped');
  expect(count().cancelled).toBe(1);
});
