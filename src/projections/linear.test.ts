import { expect, test } from 'vitest';
import { callTo, closed, ended, journal, opened, said, started } from '../../test/journal.ts';
import { isLinear } from '../../test/growth.ts';
import type { Entry, RunEvent } from '../run/events.ts';
import { sseTexts } from '../wire/sse-frame.ts';
import { ownProtocols } from './own-protocols.ts';
import type { Preferences } from './projection.ts';

const depth = 5;
const protocols = Object.keys(ownProtocols) as (keyof typeof ownProtocols)[];
const tastes: readonly Preferences[] = [{}, { depth: 2 }, { stages: 'off' }];

/** A chain of agents, the innermost of which says so many words, one each millisecond, in stages of so many. */
function deepRun(words: number, stage: number): Entry[] {
  const events: RunEvent[] = [started()];
  for (let step = 1; step <= depth; step += 1) {
    events.push(
      opened(step, step - 1, { kind: step % 2 ? 'agent' : 'turn', agent: `a${step}`, effect: 'once' }),
    );
  }
  let step = depth;
  for (let word = 0; word < words; word += 1) {
    if (word % stage === 0) {
      if (step > depth) events.push(closed(step));
      step += 1;
      events.push(opened(step, depth, { kind: 'stage', origin: `${step}` }));
    }
    events.push(said(step, `word${word % 10} `));
  }
  for (let each = depth; each > 0; each -= 1) events.push(closed(each));
  return quickly(journal(...events, ended('Done.')));
}

function quickly(entries: readonly Entry[]): Entry[] {
  return entries.map((entry, i) => ({ ...entry, at: i }));
}

function bytes(as: keyof typeof ownProtocols, preferences: Preferences, entries: readonly Entry[]): number {
  const viewer = ownProtocols[as].telling({ run: 'run-1', preferences });
  return entries.reduce((sum, entry) => sum + Buffer.byteLength(sseTexts(viewer.tell(entry))), 0);
}

const cases = protocols.flatMap((as) => tastes.map((preferences) => ({ as, preferences })));

test.for(cases)('[L12] $as with $preferences: twice the words are twice the bytes', ({ as, preferences }) => {
  // Where all rows are sent with each change, their number is bounded, and reached after two hundred stages.
  const [words, stage] = as === 'a2ui-flat' ? [32_000, 10] : [4_000, 100];
  const [half = 1, whole = 0] = [words / 2, words].map((each) =>
    bytes(as, preferences, deepRun(each, stage)),
  );
  expect(whole / half).toBeLessThanOrEqual(2.1);
  expect(whole / words).toBeLessThanOrEqual(260);
});

/** So many calls at once, all open before the first one ends. */
function parallelRun(calls: number): Entry[] {
  const all = Array.from({ length: calls }, (_, i) => i + 2);
  return quickly(
    journal(
      started(),
      opened(1, 0),
      ...all.map((step) => opened(step, 1, callTo('look', { step }))),
      ...all.flatMap((step) => [said(step, 'seen'), closed(step)]),
      ended('Done.'),
    ),
  );
}

test.for(cases)('[P65] $as with $preferences: many calls at once cost as much each as few', (view) => {
  const runs = new Map([500, 4_000].map((calls) => [calls, parallelRun(calls)]));
  const tell = (calls: number): number => bytes(view.as, view.preferences, runs.get(calls) ?? []);
  expect(isLinear(tell, 500, 8)).toBe(true);
});
