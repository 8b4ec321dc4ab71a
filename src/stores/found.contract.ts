import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noFacts, type Facts, type Indexed } from '../run/facts.ts';
import { appending, newRun, range, refused, type Opened } from './store.contract.ts';
import type { Append, FeedItem, FeedPlace, Hint, NewRun, RunFilter, Store } from './store.ts';

/** What every store must do for lists and for the feed. The rules are in `docs/spec/stores.md`. */
export function foundContract(name: string, open: () => Promise<Opened>): void {
  describe(`lists and the feed: ${name}`, () => {
    let store: Store;
    let pass: (milliseconds: number) => void;

    beforeEach(async () => {
      const opened = await open();
      store = opened.store;
      pass = (milliseconds) => opened.pass(milliseconds);
    });
    afterEach(() => store.close());

    const create = (run: string, change: Partial<NewRun> = {}) =>
      store.dispatch.create(newRun(run, { claim: { worker: 'w', lease: 1_000 }, ...change }));
    const append = (run: string, head: number, change: Partial<Append> = {}) =>
      store.journal.append(appending({ run, epoch: 1 }, head, change));
    const end = (run: string, head: number) =>
      append(run, head, { ends: true, summary: { status: 'completed', approvals: 0 } });
    const listed = async (filter: Partial<RunFilter> = {}) =>
      (await store.dispatch.list({ tenant: 't', ...filter })).map(({ run }) => run);
    const fed = async (from: Partial<FeedPlace> = {}): Promise<readonly FeedItem[]> =>
      (await store.feed.read({ tenant: 't', ...from })).items;
    const names = (items: readonly FeedItem[]): readonly string[] => items.map(({ run }) => run);

    test('[Q100] runs are found by all of several terms, newest first, in pages', async () => {
      for (const i of range(1, 9))
        await create(`r${i}`, { indexed: found({}, ['common', ...(i % 3 === 0 ? ['third'] : [])]) });
      await create('other', { tenant: 'u', indexed: found({}, ['common', 'third']) });
      expect(await listed({ terms: ['common', 'third'] })).toEqual(['r9', 'r6', 'r3']);
      expect(await listed({ terms: ['third', 'common'], limit: 2 })).toEqual(['r9', 'r6']);
      expect(await listed({ terms: ['third'], after: 'r6' })).toEqual(['r3']);
      expect(await listed({ terms: ['third', 'nowhere'] })).toEqual([]);
      expect(await listed({ terms: ['third'], status: 'completed' })).toEqual([]);
    });

    test('[Q100] what an append adds is found, and shown of the run', async () => {
      await create('r', { indexed: found({ labels: { project: 'x' }, startedAt: 5 }, ['first']) });
      await append('r', 1, { indexed: found({ agents: ['a'], tools: ['t'] }, ['second']) });
      await append('r', 2, { indexed: found({ agents: ['b', 'a'], asked: 1 }, ['first', 'third']) });
      expect(await listed({ terms: ['first', 'second', 'third'] })).toEqual(['r']);
      const facts = { labels: { project: 'x' }, agents: ['a', 'b'], tools: ['t'], asked: 1, startedAt: 5 };
      expect((await store.dispatch.get('r'))?.facts).toEqual(facts);
      expect((await store.dispatch.list({ tenant: 't' })).map((row) => row.facts)).toEqual([facts]);
    });

    test('[Q100] appends that are committed together add what each of them adds', async () => {
      await create('r');
      await Promise.all(
        range(1, 20).map((head) => append('r', head, { indexed: found({ asked: 1 }, [`w${head}`]) })),
      );
      expect((await store.dispatch.get('r'))?.facts.asked).toBe(20);
      expect(await listed({ terms: ['w1', 'w20'] })).toEqual(['r']);
    });

    test('[Q100] an append that is refused adds nothing', async () => {
      await create('r');
      await refused(append('r', 7, { indexed: found({ agents: ['a'] }, ['word']) }), 'rejected');
      expect(await listed({ terms: ['word'] })).toEqual([]);
      expect((await store.dispatch.get('r'))?.facts.agents).toEqual([]);
    });

    test('[Q101] runs are listed by the time they were created at', async () => {
      const begun = await store.dispatch.time();
      for (const i of range(1, 5)) {
        await create(`r${i}`);
        pass(10);
      }
      expect(await listed({ since: begun + 20 })).toEqual(['r5', 'r4', 'r3']);
      expect(await listed({ until: begun + 20 })).toEqual(['r2', 'r1']);
      expect(await listed({ since: begun + 10, until: begun + 40, limit: 2 })).toEqual(['r4', 'r3']);
      expect(await listed({ since: begun + 10, until: begun + 40, after: 'r3' })).toEqual(['r2']);
    });

    test('[Q101] found by terms, the runs of a time stand as they were created', async () => {
      const begun = await store.dispatch.time();
      for (const i of range(1, 6)) {
        await create(`r${i}`, { indexed: found({}, ['word', ...(i % 2 ? ['odd'] : [])]) });
        pass(10);
      }
      const time = { since: begun + 10, until: begun + 50 };
      expect(await listed({ terms: ['word'], ...time })).toEqual(['r5', 'r4', 'r3', 'r2']);
      expect(await listed({ terms: ['word', 'odd'], ...time })).toEqual(['r5', 'r3']);
      expect(await listed({ terms: ['word'], ...time, after: 'r4', limit: 1 })).toEqual(['r3']);
      expect(await listed({ terms: ['word'], since: begun + 60 })).toEqual([]);
    });

    test('[Q102] of each conversation its newest run is listed, also after that was erased', async () => {
      for (const i of range(1, 6)) await create(`r${i}`, { conversation: i % 2 ? 'odd' : 'even' });
      await create('other', { tenant: 'u', conversation: 'odd' });
      expect(await listed({ newestOfEach: true })).toEqual(['r6', 'r5']);
      expect(await listed({ newestOfEach: true, limit: 1 })).toEqual(['r6']);
      expect(await listed({ newestOfEach: true, after: 'r6' })).toEqual(['r5']);
      await store.dispatch.erase('r5');
      await store.dispatch.erase('r1');
      expect(await listed({ newestOfEach: true })).toEqual(['r6', 'r3']);
    });

    test('[Q103] pages bring every run once, whatever begins, ends or changes meanwhile', async () => {
      for (const i of range(1, 10)) await create(`r${i}`, { indexed: found({}, ['word']) });
      const seen: string[] = [];
      for (let after: string | undefined, more = 0; ; more += 1) {
        const page = await listed({ limit: 3, terms: ['word'], ...(after === undefined ? {} : { after }) });
        seen.push(...page);
        after = page.at(-1);
        await create(`new${more}`, { indexed: found({}, ['word']) });
        await end(`r${more + 1}`, 1);
        if (page.length < 3) break;
      }
      expect(seen).toEqual(range(1, 10).map((i) => `r${11 - i}`));
    });

    test.for([
      ['of all', {}],
      ['by a term', { terms: ['word'] }],
      ['by time', { since: 0 }],
      ['of an app', { app: 'app' }],
      ['of each conversation', { newestOfEach: true }],
    ] as const)('[Q116] pages of a list, %s, go on where a run stood that was erased', async ([, filter]) => {
      for (const i of range(1, 9))
        await create(`r${i}`, { conversation: `c${i}`, indexed: found({}, ['word']) });
      await create('theirs', { tenant: 'u' });
      const first = await listed({ ...filter, limit: 3 });
      expect(first).toEqual(['r9', 'r8', 'r7']);
      for (const run of ['r7', 'r6', 'r9', 'theirs']) await store.dispatch.erase(run);
      await create('new', { indexed: found({}, ['word']) });
      expect(await listed({ ...filter, limit: 3, after: 'r7' })).toEqual(['r5', 'r4', 'r3']);
      expect(await listed({ ...filter, after: 'r9' })).toEqual(['r8', 'r5', 'r4', 'r3', 'r2', 'r1']);
      await refused(listed({ ...filter, after: 'theirs' }), 'unknown');
      await refused(listed({ ...filter, after: 'nobody' }), 'unknown');
    });

    test('[Q104] nothing finds a run that was erased', async () => {
      await create('r', { indexed: found({ agents: ['a'] }, ['word']) });
      await append('r', 1, { indexed: found({}, ['more']) });
      await store.dispatch.erase('r');
      expect([await listed({ terms: ['word'] }), await listed({ terms: ['more'] })]).toEqual([[], []]);
      await create('r');
      expect(await listed({ terms: ['word'] })).toEqual([]);
    });

    test('[Q105] what the journal says takes the place of what the index has', async () => {
      await create('r', { indexed: found({ agents: ['wrong'] }, ['wrong']) });
      const facts: Facts = { ...noFacts, agents: ['right'], asked: 2 };
      await store.dispatch.reindex({ run: 'r', indexed: { facts, terms: ['right'] } });
      expect([await listed({ terms: ['wrong'] }), await listed({ terms: ['right'] })]).toEqual([[], ['r']]);
      expect((await store.dispatch.get('r'))?.facts).toEqual(facts);
      await refused(store.dispatch.reindex({ run: 'nobody', indexed: found({}, []) }), 'unknown');
    });

    test('[Q106] the feed has each run once, where it last changed', async () => {
      for (const run of ['a', 'b', 'c']) await create(run);
      await create('other', { tenant: 'u' });
      const first = await fed();
      expect(names(first)).toEqual(['a', 'b', 'c']);
      const { last } = await store.feed.read({ tenant: 't' });
      await append('a', 1, { summary: { status: 'waiting', approvals: 1 } });
      await append('b', 1, { indexed: found({ agents: ['x'] }, []) });
      await end('a', 2);
      const after = await fed({ after: last });
      expect(names(after)).toEqual(['b', 'a']);
      expect(after.map(({ row }) => row?.status)).toEqual(['running', 'completed']);
      expect(names(await fed())).toEqual(['c', 'b', 'a']);
      expect(names(await fed({ after: first[0]?.place ?? '', limit: 1 }))).toEqual(['c']);
    });

    test('[Q106] read on from any place, it tells how all runs stand', async () => {
      for (const i of range(1, 7)) await create(`r${i}`);
      const standing = new Map<string, string | undefined>();
      for (let after: string | undefined; ;) {
        const items = await fed({ after, limit: 2 });
        for (const { run, row } of items) standing.set(run, row?.status);
        const head = after === undefined ? 1 : 0;
        if (head > 0) for (const run of ['r1', 'r5']) await end(run, 1);
        if (items.length === 0) break;
        after = items.at(-1)?.place;
      }
      const rows = await store.dispatch.list({ tenant: 't' });
      expect(standing).toEqual(new Map(rows.map(({ run, status }) => [run, status])));
    });

    test('[Q107] text, leases and parking move nothing in the feed', async () => {
      await create('r');
      const { last } = await store.feed.read({ tenant: 't' });
      await append('r', 1);
      await store.dispatch.renew([{ run: 'r', epoch: 1 }], 2_000);
      await append('r', 2, { indexed: found({}, ['word']) });
      await store.dispatch.release({ fence: { run: 'r', epoch: 1 }, head: 3 });
      expect(await fed({ after: last })).toEqual([]);
    });

    test('[Q108] that a run was erased is told by the feed, and nothing else of it', async () => {
      await create('r', { title: 'secret' });
      const { last } = await store.feed.read({ tenant: 't' });
      await store.dispatch.erase('r');
      await store.dispatch.erase('r');
      const items = await fed({ after: last });
      expect(items).toEqual([{ place: expect.any(String), run: 'r', row: undefined }]);
      expect(names(await fed())).toEqual(['r']);
      expect(await fed({ tenant: 'u' })).toEqual([]);
    });

    test('[Q109] a place that never was is refused', async () => {
      await create('r');
      await refused(fed({ after: 'somewhere' }), 'rejected', /no place/);
      const { last } = await store.feed.read({ tenant: 't' });
      const future = last.replace(/^\d+/, '99999999');
      await refused(fed({ after: future }), 'rejected', /begin without one/);
    });

    test('[Q110] a change is told by a hint, and text is not', async () => {
      const heard: Hint[] = [];
      store.listen((hint) => heard.push(hint));
      await create('r');
      await append('r', 1);
      await end('r', 2);
      await store.dispatch.erase('r');
      await store.dispatch.time();
      const changed = heard.filter(({ type }) => type === 'changed');
      expect(changed).toEqual(range(1, 3).map(() => ({ type: 'changed', run: 'r', tenant: 't' })));
    });

    test('[Q110] whoever follows gets what is there and then what changes', async () => {
      await create('a');
      const over = new AbortController();
      const got: string[] = [];
      const following = (async () => {
        for await (const items of store.feed.follow({ tenant: 't' }, over.signal)) {
          got.push(...names(items));
          if (got.includes('a') && !got.includes('b'))
            void create('b').then(() => create('else', { tenant: 'u' }));
          if (got.includes('b')) over.abort();
        }
      })();
      await following;
      expect(got).toEqual(['a', 'b']);
    });
  });
}

function found(facts: Partial<Facts>, words: readonly string[]): Indexed {
  return { facts: { ...noFacts, ...facts }, terms: words };
}
