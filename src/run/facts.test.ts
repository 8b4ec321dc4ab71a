import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callTo, ended, journal, opened, said, started } from '../../test/journal.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { indexedAll, joinIndexed, term } from './facts.ts';

test('[Q112] a run is found by its labels, agents, tools and words, and shown with what it used', () => {
  const entries = journal(
    started('Why is Frankenstein slow?', { labels: { project: 'books' } }),
    opened(1, 0, { title: 'Looking', agent: 'librarian' }),
    opened(2, 1, { title: 'search', ...callTo('catalog', { q: 'x' }) }),
    said(1, 'unindexed'),
    ended('Mary wrote it.', { usage: { input: 7, output: 3 } }),
  );
  const { facts, terms } = indexedAll(entries) ?? {};
  expect(facts).toMatchObject({
    labels: { project: 'books' },
    agents: ['librarian'],
    tools: ['catalog'],
    tokens: { input: 7, output: 3 },
    startedAt: entries[0]?.at,
    endedAt: entries.at(-1)?.at,
  });
  const wanted = [term.label('project', 'books'), term.agent('librarian'), term.tool('catalog')];
  expect(terms).toEqual(expect.arrayContaining([...wanted, ...['frankenstein', 'mary'].map(term.word)]));
  expect(terms).not.toContain(term.word('unindexed'));
});

test('[Q112] whatever is committed together, the index is that of the whole journal', () => {
  fc.assert(
    fc.property(plausibleRun, fc.array(fc.nat({ max: 40 }), { maxLength: 5 }), (entries, cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), entries.length];
      const parts = places.slice(1).map((to, i) => entries.slice(places[i], to));
      expect(parts.map(indexedAll).reduce(joinIndexed, undefined)).toEqual(indexedAll(entries));
    }),
  );
});
