import { expect, test } from 'vitest';
import { RunError } from '../../run/failure.ts';
import { onceThereIsSpace, type Opened } from './once-there-is-space.ts';

const time = { now: 0, jump: 0 };
const reply = { results: [], refusals: [], hints: [] };

/** A folder whose disk is full, with what was done to it. */
function fullFolder() {
  const done: string[] = [];
  let why: string | undefined = 'The disk is full.';
  const opened = (how: string): Opened => ({
    commit: () => reply,
    read: () => `by ${how}` as never,
    health: { now: () => undefined },
    check: () => undefined,
    asker: () => '',
    notices: [],
    close: () => void done.push(`closed ${how}`),
  });
  const write = (): Opened => {
    if (why !== undefined) throw new RunError('unavailable', why);
    done.push('opened to write');
    return opened('writer');
  };
  const disk = { full: () => why, write, read: () => opened('reader') };
  return { disk, done, clear: () => void (why = undefined) };
}

test('[Q44] a folder on a full disk is read, and written once there is space', () => {
  const { disk, done, clear } = fullFolder();
  const store = onceThereIsSpace(disk);
  expect(store.health.now()).toBe('The disk is full.');
  expect(() => store.commit(time, [])).toThrow('The disk is full.');
  expect(store.read('get', { run: 'r' })).toBe('by reader');
  expect(done).toEqual([]);
  clear();
  expect(store.health.now()).toBeUndefined();
  expect(store.commit(time, [])).toBe(reply);
  expect(store.read('get', { run: 'r' })).toBe('by writer');
  store.close();
  expect(done).toEqual(['closed reader', 'opened to write', 'closed writer']);
});

test('[Q44] what cannot be read either, or fails for another reason, is told at once', () => {
  const { disk, clear } = fullFolder();
  const unreadable = (): Opened => {
    throw new RunError('unknown', 'There are no runs.');
  };
  expect(() => onceThereIsSpace({ ...disk, read: unreadable })).toThrow('The disk is full.');
  clear();
  const broken = (): Opened => {
    throw new RunError('rejected', 'The database is broken.');
  };
  expect(() => onceThereIsSpace({ ...disk, write: broken })).toThrow('The database is broken.');
});
