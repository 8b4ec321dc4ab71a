import { expect, test } from 'vitest';
import { z } from 'zod';
import {
  appWith,
  decideOn,
  keyIn,
  serving,
  temporaryFolder,
  textAt,
  untilAnswer,
} from '../../../test/serving.ts';
import type { Serving } from '../../../test/serving.ts';
import { functionTool } from '../../tools/function.ts';
import { vitrineClient, type FeedNews } from '../../client/client.ts';

const apps = {
  echo: appWith((_, text) => Promise.resolve(`you said ${text}`), 'echo'),
  asks: appWith(async (scope) => {
    const { decision } = await scope.ask({
      key: 'q',
      title: 'May I water the ferns?',
      arguments: { amount: 5 },
    });
    return decision;
  }, 'asks'),
  works: appWith(async (scope) => {
    await scope.step({ key: 'g', title: 'Water', kind: 'agent', agent: 'gardener' }, async () => {});
    await scope.call('double', { number: 2 });
    return 'done';
  }, 'works'),
};
const double = functionTool({
  name: 'double',
  description: 'Doubles.',
  effect: 'pure',
  input: z.strictObject({ number: z.number() }),
  run: ({ number }) => ({ number: number * 2 }),
});
const config = { apps, tools: [double], defaultApp: 'echo' };

async function ran(at: Serving, body: object): Promise<string> {
  const run = textAt(await at.ask('/api/runs', { json: body }), 'run');
  await at.ask(`/api/runs/${run}/events`);
  return run;
}

async function listed(at: Serving, query: string): Promise<readonly string[]> {
  const { status, json } = await at.ask(`/api/runs?${query}`);
  expect(status, query).toBe(200);
  return (json as { runs: { run: string }[] }).runs.map(({ run }) => run);
}

test('[V210] runs are found by label, words, time and what they asked, and shown with it', async () => {
  const at = await serving({ config });
  const before = Date.now();
  const books = await ran(at, { input: { text: 'Müller’s books' }, labels: { project: 'a=b', kind: 'x' } });
  const other = await ran(at, { input: { text: 'gardens' }, labels: { project: 'other' } });
  const { run: asks } = (await at.ask('/api/runs', { json: { app: 'asks', input: { text: 'x' } } })).json as {
    run: string;
  };
  await untilAnswer(
    () => at.ask('/api/runs?waiting=true'),
    ({ text }) => text.includes(asks),
  );
  expect(await listed(at, 'text=MULLER books')).toEqual([books]);
  expect(await listed(at, 'text=said')).toEqual([other, books]);
  expect(await listed(at, 'text=ferns&status=waiting&app=asks')).toEqual([asks]);
  expect(await listed(at, 'label=project=a%3Db')).toEqual([books]);
  expect(await listed(at, 'label=project=a%3Db&label=kind=y')).toEqual([]);
  expect(await listed(at, `since=${before}&until=${Date.now() + 1}`)).toEqual([asks, other, books]);
  expect(await listed(at, `since=2999-01-01`)).toEqual([]);
  const [row] = ((await at.ask('/api/runs?text=muller')).json as { runs: object[] }).runs;
  expect(row).toMatchObject({
    run: books,
    labels: { project: 'a=b', kind: 'x' },
    tokens: { input: 0, output: 0 },
    duration: expect.any(Number),
  });
  expect((await at.ask('/api/runs?waiting=true')).json).toMatchObject({ runs: [{ run: asks, asked: 1 }] });
  expect((await at.ask('/api/approvals')).json).toMatchObject({
    approvals: [{ run: asks, priority: 'medium' }],
  });
  for (const query of ['text=%25', 'label=project', 'since=yesterday', 'search=x'])
    expect((await at.ask(`/api/runs?${query}`)).status, query).toBe(400);
});

test('[V210] [Q103] pages by any filter bring each run once while others begin, change and end', async () => {
  const at = await serving({ config });
  const begin = async (): Promise<string> => {
    const json = { app: 'works', input: { text: 'ferns' }, labels: { project: 'garden' } };
    return textAt(await at.ask('/api/runs', { json }), 'run');
  };
  const runs: string[] = [];
  for (let i = 0; i < 5; i += 1) runs.unshift(await begin());
  await untilAnswer(
    () => at.ask('/api/runs?status=completed'),
    ({ json }) => (json as { runs: unknown[] }).runs.length === 5,
  );
  const filters = ['app=works', 'agent=gardener', 'tool=double', 'status=completed', 'label=project=garden'];
  for (const filter of [...filters, 'text=FERNS', `since=${Date.now() - 60_000}`, '']) {
    const before = (await listed(at, `${filter}&limit=200`)).filter((run) => runs.includes(run));
    expect(before, filter).toEqual(runs);
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null; await begin()) {
      const page = await at.ask(`/api/runs?${filter}&limit=2${next === '' ? '' : `&after=${next}`}`);
      const { runs: found, next: more } = page.json as { runs: { run: string }[]; next: string | null };
      seen.push(...found.map(({ run }) => run));
      next = more;
    }
    expect(new Set(seen).size, filter).toBe(seen.length);
    expect(
      seen.filter((run) => runs.includes(run)),
      filter,
    ).toEqual(runs);
  }
  for (const none of ['agent=nobody', 'tool=nothing', 'app=none', 'status=failed', 'text=roses'])
    expect(await listed(at, none)).toEqual([]);
});

test('[V211] what was erased is found by nothing', async () => {
  const at = await serving({ config });
  const run = await ran(at, { conversation: 'c', input: { text: 'quetzal' }, labels: { project: 'p' } });
  expect(await listed(at, 'text=quetzal')).toEqual([run]);
  expect((await at.ask('/api/conversations/c', { method: 'DELETE' })).status).toBe(204);
  expect([await listed(at, 'text=quetzal'), await listed(at, 'label=project=p')]).toEqual([[], []]);
});

test('[V212] [N20] a list and the feed from there on tell how all runs stand, whatever happens', async () => {
  const at = await serving({ config });
  const client = vitrineClient({ url: at.url });
  const first = await ran(at, { input: { text: 'before' } });
  const { feed, runs } = await client.runs();
  expect(runs.map(({ run }) => run)).toEqual([first]);
  const asks = textAt(await at.ask('/api/runs', { json: { app: 'asks', input: { text: 'x' } } }), 'run');
  const over = new AbortController();
  const seen: FeedNews[] = [];
  let decided = false;
  for await (const news of client.feed({ after: feed, signal: over.signal })) {
    seen.push(news);
    if (news.run?.status === 'waiting' && !decided) {
      decided = true;
      void decideOn(at, `${asks}.a1`, { decision: 'approve' });
    }
    if (news.run?.run === asks && news.run.status === 'completed') void client.forget(news.run.conversation);
    if (news.erased === asks) over.abort();
  }
  const statuses = seen.map(({ run, erased }) => (run ? run.status : `no ${erased}`));
  expect(new Set(seen.map(({ run, erased }) => run?.run ?? erased))).toEqual(new Set([asks]));
  expect(statuses.slice(-2)).toEqual(['completed', `no ${asks}`]);
  expect(statuses).toContain('waiting');
});

test('[V212] whoever comes back with the last place misses nothing, and one that is none is refused', async () => {
  const at = await serving({ config });
  const client = vitrineClient({ url: at.url });
  const runs = [await ran(at, { input: { text: 'a' } }), await ran(at, { input: { text: 'b' } })];
  const [first] = await some(client.feed(), 1);
  expect(first?.run?.run).toBe(runs[0]);
  const later = await ran(at, { input: { text: 'c' } });
  const rest = await some(client.feed({ after: first?.place ?? '' }), 2);
  expect(rest.map(({ run }) => run?.run)).toEqual([runs[1], later]);
  const refusal = await at.ask('/api/feed?after=nowhere');
  expect([refusal.status, textAt(refusal, 'error', 'message')]).toEqual([
    409,
    expect.stringContaining('begin without'),
  ]);
});

async function some(news: AsyncIterable<FeedNews>, count: number): Promise<readonly FeedNews[]> {
  const seen: FeedNews[] = [];
  for await (const one of news) if (seen.push(one) === count) break;
  return seen;
}

test('[V213] nobody is told of the runs of another tenant', async () => {
  const data = temporaryFolder();
  const mine = keyIn(data, { name: 'ana', tenant: 'mine', role: 'operator' });
  const theirs = keyIn(data, { name: 'eve', tenant: 'theirs', role: 'operator' });
  const at = await serving({ data, config: { ...config, auth: { required: true } } });
  const start = (key: string, text: string) =>
    at.ask('/api/runs', { key, json: { input: { text }, labels: { project: 'p' } } });
  const own = textAt(await start(mine, 'secret'), 'run');
  const other = textAt(await start(theirs, 'other'), 'run');
  for (const query of ['text=secret', 'label=project=p', 'since=0', ''])
    expect((await at.ask(`/api/runs?${query}`, { key: theirs })).text, query).not.toContain(own);
  const [news] = await some(vitrineClient({ url: at.url, key: theirs }).feed(), 1);
  expect(news?.run?.run).toBe(other);
});

test('[V214] conversations come with their newest run, each once, page by page', async () => {
  const at = await serving({ config });
  for (const conversation of ['a', 'b', 'a', 'c', 'a'])
    await ran(at, { conversation, input: { text: `in ${conversation}` } });
  const client = vitrineClient({ url: at.url });
  const first = await client.conversations({ limit: 2 });
  expect(first.conversations.map(({ conversation }) => conversation)).toEqual(['a', 'c']);
  const rest = await client.conversations({ limit: 2, after: first.next ?? '' });
  expect(rest).toMatchObject({ conversations: [{ conversation: 'b' }], next: null });
});

test('[V249] [Q116] whoever goes through runs, conversations or questions goes on where one stood that was erased', async () => {
  const at = await serving({ config });
  for (const conversation of ['a', 'b', 'c', 'd'])
    await ran(at, { conversation, input: { text: 'Stra\u00dfe' } });
  const paths = ['/api/runs?limit=2', '/api/runs?limit=2&text=STRASSE', '/api/runs?limit=2&since=0'];
  for (const path of [...paths, '/api/conversations?limit=2']) {
    await ran(at, { conversation: 'gone', input: { text: 'strasse' } });
    await ran(at, { conversation: 'top', input: { text: 'strasse' } });
    const page = (await at.ask(path)).json as { next: string };
    expect((await at.ask('/api/conversations/gone', { method: 'DELETE' })).status).toBe(204);
    const rest = await at.ask(`${path}&after=${page.next}`);
    expect([path, rest.status]).toEqual([path, 200]);
    const { runs, conversations } = rest.json as Record<string, { conversation: string }[]>;
    expect((runs ?? conversations)?.map(({ conversation }) => conversation)).toEqual(['d', 'c']);
    await at.ask('/api/conversations/top', { method: 'DELETE' });
  }
});
