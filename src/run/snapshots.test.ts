import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyEntries } from '../../test/arbitraries.ts';
import { sized } from '../../test/long.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { Entry, RunEvent } from './events.ts';
import { flatTree, type FlatTree } from './flat-tree.ts';
import { fold, foldAll } from './entries.ts';
import { Snapshots } from './snapshots.ts';
import { emptyTree } from './tree.ts';

const entriesOf = (events: readonly RunEvent[]): Entry[] =>
  events.map((event, i) => ({ seq: i + 1, at: i, event }));

/** Whoever would change it is told so. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  Object.values(value).forEach(frozen);
  return value;
}

/** Steps that look the same and are other objects, or are the same object and look different than they were. */
function faultsBetween(before: FlatTree, text: string, now: FlatTree): string[] {
  const was = JSON.parse(text) as FlatTree;
  return now.steps.flatMap((step) => {
    const place = before.steps.findIndex(({ id }) => id === step.id);
    if (place < 0) return [];
    const isAlike = JSON.stringify(was.steps[place]) === JSON.stringify(step);
    return isAlike === (before.steps[place] === step) ? [] : [`step ${step.id} of entry ${now.seq}`];
  });
}

describe('[N4] snapshots', () => {
  test('are the tree at every entry, never change, and keep what did not', () => {
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
        const snapshots = new Snapshots('r');
        const tree = emptyTree();
        let before = frozen(snapshots.of(tree));
        for (const entry of entries) {
          const text = JSON.stringify(before);
          fold(tree, entry);
          const now = frozen(snapshots.of(tree));
          expect(now).toEqual(flatTree(tree, 'r'));
          expect(JSON.stringify(before)).toBe(text);
          expect(faultsBetween(before, text, now)).toEqual([]);
          before = now;
        }
      }),
      { numRuns: sized(150, 2_000) },
    );
  });

  test('are the same at the same entry, whichever way one came there', () => {
    fc.assert(
      fc.property(plausibleRun, fc.array(fc.nat(), { maxLength: 8 }), (entries, places) => {
        const snapshots = new Snapshots('r');
        const last = snapshots.of(foldAll(entries));
        for (const place of places) {
          const then = foldAll(entries.slice(0, place % (entries.length + 1)));
          expect(snapshots.of(then)).toEqual(flatTree(then, 'r'));
        }
        const again = snapshots.of(foldAll(entries));
        expect(again).toEqual(last);
      }),
      { numRuns: sized(150, 2_000) },
    );
  });

  test('keep the steps that a delta is not about, and the whole where nothing has changed', () => {
    const opened = (step: number, parent: number): RunEvent => ({
      type: 'step.opened',
      step,
      parent,
      key: `k${step}`,
      kind: 'step',
      title: `Step ${step}`,
    });
    const entries = entriesOf([opened(1, 0), opened(2, 0), opened(3, 2)]);
    const tree = foldAll(entries);
    const snapshots = new Snapshots('r');
    const before = snapshots.of(tree);
    expect(snapshots.of(tree)).toBe(before);
    fold(tree, { seq: 4, at: 4, event: { type: 'text.appended', step: 3, channel: 'content', text: 'a' } });
    const now = snapshots.of(tree);
    expect(now.steps[2]).toMatchObject({ id: 3, text: 'a' });
    expect(now.steps.map((step, i) => step === before.steps[i])).toEqual([true, true, false]);
    expect([now.approvals === before.approvals, now.notices === before.notices]).toEqual([true, true]);
    expect(now.usage).toBe(before.usage);
  });

  test('have all of a text whose step was closed with its last piece', () => {
    const said = (text: string): RunEvent => ({ type: 'text.appended', step: 1, channel: 'content', text });
    const [one, two, three] = entriesOf([
      { type: 'step.opened', step: 1, parent: 0, key: 'k', kind: 'step', title: 'S' },
      said('a'),
      said('b'),
    ]);
    const tree = foldAll([one, two].filter((entry) => entry !== undefined));
    const snapshots = new Snapshots();
    expect(snapshots.of(tree).steps[0]?.text).toBe('a');
    if (three) fold(tree, three);
    fold(tree, { seq: 4, at: 4, event: { type: 'step.closed', step: 1, outcome: 'completed' } });
    expect(snapshots.of(tree).steps[0]?.text).toBe('ab');
  });
});

test('[N5] a text that grows costs what is added to it', () => {
  const opened: RunEvent = { type: 'step.opened', step: 1, parent: 0, key: 'k', kind: 'step', title: 'S' };
  const tree = foldAll(entriesOf([opened]));
  const snapshots = new Snapshots();
  const pieces: string[] = [];
  let read = 0;
  for (let i = 0; i < 2_000; i += 1) {
    fold(tree, {
      seq: i + 2,
      at: i,
      event: { type: 'text.appended', step: 1, channel: 'content', text: 'word ' },
    });
    const step = tree.steps.get(1);
    if (i === 0 && step) {
      const own = step.text.content ?? pieces;
      step.text.content = new Proxy(own, {
        get(target, name, receiver) {
          if (typeof name === 'string' && /^\d+$/.test(name)) read += 1;
          return Reflect.get(target, name, receiver) as unknown;
        },
      });
    }
    snapshots.of(tree);
  }
  expect(snapshots.of(tree).steps[0]?.text).toBe('word '.repeat(2_000));
  expect(read).toBeLessThan(3 * 2_000 + 100);
});
