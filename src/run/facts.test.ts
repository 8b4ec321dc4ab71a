import fc from 'fast-check';
import { expect, test } from 'vitest';
import { callTo, ended, journal, opened, said, started } from '../../test/journal.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { addFacts, indexedAll, joinIndexed, noFacts, term } from './facts.ts';
import { emptyTree, undecidedApprovals } from './tree.ts';

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
      const tree = emptyTree();
      const joined = parts.map((part) => indexedAll(part, tree)).reduce(joinIndexed, undefined);
      expect(joined).toEqual(indexedAll(entries));
    }),
  );
});

test('[Q114] the open questions of the index are those that wait, wherever there are as many', () => {
  let [agreed, waited, put] = [0, 0, 0];
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const tree = emptyTree();
      let facts = noFacts;
      for (const entry of entries) {
        const more = indexedAll([entry], tree);
        if (more) facts = addFacts(facts, more);
        const waiting = undecidedApprovals(tree);
        const open = facts.open ?? [];
        expect(open.length).toBeGreaterThanOrEqual(waiting.length);
        waited += waiting.length > 0 ? 1 : 0;
        if (open.length !== waiting.length) continue;
        agreed += waiting.length > 0 ? 1 : 0;
        put += open.filter(({ deferredBy }) => deferredBy !== undefined).length;
        expect(open.map(({ approval, deferredBy }) => [approval, deferredBy])).toEqual(
          waiting.map(({ approval, deferred }) => [approval, deferred?.by]),
        );
        for (const { approval, seq } of open)
          expect(entries[seq - 1]?.event).toMatchObject({ type: 'approval.requested', approval });
      }
      expect(facts.open).toBeUndefined();
    }),
  );
  expect({ agreed: agreed > 0.9 * waited, waited: waited > 100, put: put > 0 }).toEqual({
    agreed: true,
    waited: true,
    put: true,
  });
});
