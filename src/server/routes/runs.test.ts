import { beforeAll, describe, expect, test } from 'vitest';
import {
  decideOn,
  appWith,
  idsIn,
  serving,
  shareServing,
  textAt,
  untilAnswer,
  type Serving,
} from '../../../test/serving.ts';

const apps = {
  echo: appWith(async (scope, text) => {
    await scope.step({ key: 'think', title: 'Think' }, async (step) => step.say(`about ${text}`));
    return `you said ${text}`;
  }, 'echo'),
  asks: appWith(async (scope) => {
    const { decision, answer } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5 } });
    return `${decision} ${JSON.stringify(answer ?? null)}`;
  }, 'asks'),
};

const ownHouse = (): Promise<Serving> => serving({ config: { apps, defaultApp: 'echo' } });
let shared: Serving;
beforeAll(() =>
  shareServing(async () => {
    shared = await ownHouse();
  }),
);
const house = (): Serving => shared;

async function started(at: Serving, body: object): Promise<string> {
  const answer = await at.ask('/api/runs', { json: body });
  expect(answer.status).toBe(201);
  return textAt(answer, 'run');
}

function whole(at: Serving, run: string, query = ''): Promise<string> {
  return at.ask(`/api/runs/${run}/events${query}`).then(({ text }) => text);
}

describe('a run', () => {
  test('is started, watched to its end, and read back', async () => {
    const at = house();
    const answer = await at.ask('/api/runs', {
      json: { input: { text: 'hello' }, labels: { project: 'p' } },
    });
    expect(answer.status).toBe(201);
    const run = textAt(answer, 'run');
    expect(answer.json).toEqual({ run, conversation: expect.any(String), events: `/api/runs/${run}/events` });
    const frames = await whole(at, run);
    expect(idsIn(frames)).toEqual(Array.from({ length: idsIn(frames).length }, (_, i) => i + 1));
    expect(frames).toContain('"type":"run.ended"');
    const tree = await at.ask(`/api/runs/${run}`);
    expect(tree.json).toMatchObject({ run, status: 'completed', answer: 'you said hello' });
    const past = await at.ask(`/api/runs/${run}?at=2`);
    expect(past.json).toMatchObject({ run, status: 'running', seq: 2, answer: null, steps: [] });
    expect((await at.ask(`/api/runs/${run}?at=9999`)).status).toBe(409);
    const entries = await at.ask(`/api/runs/${run}/entries?after=1&limit=2`);
    expect(entries.json).toMatchObject({ entries: [{ seq: 2 }, { seq: 3 }], next: 3 });
    expect((await at.ask(`/api/runs/${run}/entries?after=9999`)).status).toBe(409);
    const all = textAt(await at.ask(`/api/runs/${run}`), 'status');
    expect(all).toBe('completed');
    const { seq } = (await at.ask(`/api/runs/${run}`)).json as { readonly seq: number };
    for (let moment = 0; moment <= seq; moment += 1)
      expect((await at.ask(`/api/runs/${run}?at=${moment}`)).json).toMatchObject({ run, seq: moment });
  });

  test('[N16] its summary is what lists say of it, with its flow, and what is shown of it to whoever asks', async () => {
    const at = await serving({
      config: { apps: { ...apps, brief: { ...apps.echo, preferences: { depth: 1 } } } },
    });
    const run = await started(at, { app: 'brief', input: { text: 'hello' } });
    await whole(at, run);
    const listed = (await at.ask('/api/runs')).json as { readonly runs: readonly object[] };
    const summary = (query = '') => at.ask(`/api/runs/${run}/summary${query}`);
    expect((await summary()).json).toEqual({ ...listed.runs[0], flow: 'echo@1', shown: { depth: 1 } });
    expect((await summary('?depth=*&stages=off')).json).toMatchObject({ shown: { stages: 'off' } });
    expect((await summary('?depth=*')).json).toMatchObject({ shown: {} });
    await at.ask('/api/me/preferences', { method: 'PUT', json: { depth: 4 } });
    expect((await summary()).json).toMatchObject({ shown: { depth: 4 } });
    expect((await at.ask('/api/runs/nope/summary')).status).toBe(404);
  });

  test('with the same idempotency key is one run, and the key is good for nothing else', async () => {
    const at = house();
    const headers = { 'idempotency-key': 'k-1' };
    const json = { input: { text: 'once' } };
    const [one, two] = await Promise.all([
      at.ask('/api/runs', { json, headers }),
      at.ask('/api/runs', { json, headers }),
    ]);
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.json).toEqual(two.json);
    const other = await at.ask('/api/runs', { json: { input: { text: 'other' } }, headers });
    expect(other.status).toBe(409);
    expect(textAt(other, 'error', 'message')).toContain('use another key');
    const conversation = textAt(one, 'conversation');
    const attachments = [{ type: 'text/plain', data: 'more' }];
    for (const changed of [
      { input: { text: 'once', attachments } },
      { ...json, labels: { project: 'p' } },
      { ...json, limits: { turns: 1 } },
      { ...json, app: 'asks' },
    ])
      expect((await at.ask('/api/runs', { json: changed, headers })).status).toBe(409);
    expect((await at.ask('/api/runs', { json: { ...json, conversation }, headers })).json).toEqual(one.json);
    const whole = {
      json: { input: { text: 'all', attachments }, labels: { b: '1', a: '2' }, limits: { calls: 3 } },
      headers: { 'idempotency-key': 'k-3' },
    };
    const first = await at.ask('/api/runs', whole);
    expect(first.status).toBe(201);
    expect((await at.ask('/api/runs', whole)).json).toEqual(first.json);
    const long = 'x'.repeat(60_000);
    const large = { json: { input: { text: long } }, headers: { 'idempotency-key': 'k-2' } };
    expect((await at.ask('/api/runs', large)).json).toEqual((await at.ask('/api/runs', large)).json);
  });

  test('with the same idempotency key is the same run also when its share is used up', async () => {
    const at = await serving({ config: { apps, defaultApp: 'asks', server: { quotas: { waiting: 1 } } } });
    const asking = { json: { input: { text: 'x' } }, headers: { 'idempotency-key': 'k' } };
    const first = await at.ask('/api/runs', asking);
    expect(first.status).toBe(201);
    const { dispatch } = at.server.context.home.store;
    await expect.poll(async () => (await dispatch.unfinished('local')).waiting).toBe(1);
    expect((await at.ask('/api/runs', asking)).json).toEqual(first.json);
    expect((await at.ask('/api/runs', { json: { input: { text: 'x' } } })).status).toBe(429);
  });

  test.for([
    ['no text', { input: {} }, 'input.text'],
    ['an unknown app', { app: 'nope', input: { text: 'x' } }, 'There is no app'],
    ['a tenant of its own', { input: { text: 'x' }, tenant: 'other' }, '«tenant»'],
    ['an epoch', { input: { text: 'x' }, epoch: 7 }, '«epoch»'],
    ['a blob of somebody', { input: { text: 'x', attachments: [{ type: 'a', blob: {} }] } }, '«blob»'],
    ['a limit that is none', { input: { text: 'x' }, limits: { turns: -1 } }, 'limits.turns'],
    [
      'no conversation of theirs',
      { input: { text: 'x' }, conversation: 'conversation_1' },
      'There is no conversation',
    ],
  ] as const)('is not started with %s', async ([, json, why]) => {
    const at = house();
    const answer = await at.ask('/api/runs', { json });
    expect([400, 404]).toContain(answer.status);
    expect(textAt(answer, 'error', 'message')).toContain(why);
  });

  test('may want less than its app allows, and gets no more', async () => {
    const at = await serving({ config: { apps, defaultApp: 'echo', limits: { turns: 5 } } });
    const run = await started(at, {
      input: { text: 'x' },
      limits: { turns: 1_000, calls: 2, tokens: 10_000_000 },
    });
    const frames = await whole(at, run);
    expect(frames).toContain('"limits":{"turns":5,"calls":2,"tokens":1000000}');
  });

  test('is found by app, status, words and conversation, page by page', async () => {
    const at = await ownHouse();
    const runs = [];
    for (const text of ['Alpha', 'beta', 'gamma alpha']) runs.push(await started(at, { input: { text } }));
    for (const run of runs) await whole(at, run);
    const list = async (query: string): Promise<unknown> => (await at.ask(`/api/runs?${query}`)).json;
    expect(await list('text=ALPHA')).toMatchObject({
      runs: [{ run: runs[2] }, { run: runs[0] }],
      next: null,
    });
    expect(await list('limit=2')).toMatchObject({
      runs: [{ run: runs[2] }, { run: runs[1] }],
      next: runs[1],
    });
    expect(await list(`limit=2&after=${runs[1]}`)).toMatchObject({ runs: [{ run: runs[0] }], next: null });
    expect(await list('status=failed')).toMatchObject({ runs: [], next: null });
    expect(await list('unfinished=true')).toMatchObject({ runs: [], next: null });
    expect((await at.ask('/api/runs?order=up')).status).toBe(400);
    expect((await at.ask('/api/runs?limit=1e9')).status).toBe(400);
  });
});

describe('commands', () => {
  test('pause, resume and stop are answered with the entry they became, and asking twice is asking once', async () => {
    const at = house();
    const run = await started(at, { app: 'asks', input: { text: 'x' } });
    const post = (what: string, json: object = {}) => at.ask(`/api/runs/${run}/${what}`, { json });
    expect((await post('pause', { reason: 'lunch' })).json).toMatchObject({ run, changed: true });
    expect((await post('pause')).json).toMatchObject({ changed: false });
    expect((await at.ask(`/api/runs/${run}`)).json).toMatchObject({ status: 'paused' });
    expect((await post('resume')).json).toMatchObject({ changed: true });
    expect((await post('resume')).json).toMatchObject({ changed: false });
    const [one, two] = await Promise.all([post('stop'), post('stop')]);
    expect(one.status).toBe(200);
    expect(one.json).toEqual(two.json);
    await whole(at, run);
    expect((await at.ask(`/api/runs/${run}`)).json).toMatchObject({ status: 'stopped' });
    expect((await post('stop')).json).toEqual(one.json);
    const late = await post('resume');
    expect(late.status).toBe(409);
    expect(textAt(late, 'error', 'message')).toContain('has ended (stopped)');
  });

  test('a message reaches the run that works', async () => {
    const gate = Promise.withResolvers<void>();
    const config = {
      apps: {
        listens: appWith(async (scope) => {
          await scope.step({ key: 'wait' }, async () => gate.promise);
          return `heard ${scope.message()?.text}`;
        }, 'listens'),
      },
    };
    const at = await serving({ config });
    const run = await started(at, { input: { text: 'x' } });
    const key = { 'idempotency-key': 'm1' };
    const sent = await at.ask(`/api/runs/${run}/messages`, { json: { text: 'hurry' }, headers: key });
    expect(sent.status).toBe(201);
    const again = await at.ask(`/api/runs/${run}/messages`, { json: { text: 'hurry' }, headers: key });
    expect(again.json).toEqual(sent.json);
    const other = await at.ask(`/api/runs/${run}/messages`, { json: { text: 'slowly' }, headers: key });
    expect(other.status).toBe(409);
    expect(textAt(other, 'error', 'message')).toContain('use another key');
    gate.resolve();
    await whole(at, run);
    expect((await at.ask(`/api/runs/${run}`)).json).toMatchObject({ answer: 'heard hurry' });
    const late = await at.ask(`/api/runs/${run}/messages`, { json: { text: 'late' } });
    expect(late.status).toBe(409);
    expect(textAt(late, 'error', 'message')).toContain('takes no message');
  });

  test('reach a run that is parked, and wait there for what listens', async () => {
    const at = house();
    const run = await started(at, { app: 'asks', input: { text: 'x' } });
    await untilAnswer(
      () => at.ask(`/api/runs?waiting=true`),
      ({ text }) => text.includes(run),
    );
    const sent = await at.ask(`/api/runs/${run}/messages`, { json: { text: 'hurry' } });
    expect(sent.status).toBe(201);
    expect(await at.ask(`/api/runs/${run}/entries`).then(({ text }) => text)).toContain('message.queued');
    expect((await at.ask(`/api/runs/${run}/pause`, { method: 'POST' })).json).toMatchObject({
      changed: true,
    });
    expect((await at.ask(`/api/runs/${run}/stop`, { method: 'POST' })).json).toMatchObject({ changed: true });
    expect(await whole(at, run)).toContain('"outcome":"stopped"');
  });
});

describe('approvals', () => {
  test('of one run are found however many others ask', async () => {
    const at = await ownHouse();
    const first = await started(at, { app: 'asks', input: { text: 'first' } });
    for (let i = 0; i < 3; i += 1) await started(at, { app: 'asks', input: { text: 'x' } });
    const list = (query: string) => at.ask(`/api/approvals?${query}`);
    await untilAnswer(
      () => list('limit=200'),
      ({ text }) => text.split('"fingerprint"').length === 5,
    );
    expect((await list(`run=${first}&limit=1`)).json).toMatchObject({
      approvals: [{ run: first }],
      next: null,
    });
    expect((await list('run=run_nope')).json).toEqual({ approvals: [], next: null });
    const page = await list('limit=3');
    expect(page.json).toMatchObject({ approvals: { length: 3 } });
    expect((await list(`limit=3&after=${textAt(page, 'next')}`)).json).toMatchObject({
      approvals: [{ run: first }],
      next: null,
    });
  });

  async function asked(at: Serving): Promise<{ readonly run: string; readonly approval: string }> {
    const run = await started(at, { app: 'asks', input: { text: 'x' } });
    const list = await untilAnswer(
      () => at.ask(`/api/approvals?run=${run}`),
      ({ text }) => text.includes(run),
    );
    return { run, approval: textAt(list, 'approvals', 0, 'id') };
  }

  test('the same answer again gets the same result, any other is told who, when and what', async () => {
    const at = await ownHouse();
    const { run, approval } = await asked(at);
    const decide = (json: object) => decideOn(at, approval, json);
    const first = await decide({ decision: 'approve', rationale: 'fine' });
    expect(first.status).toBe(200);
    expect(first.json).toMatchObject({
      id: approval,
      run,
      decision: 'approve',
      by: 'local',
      status: 'decided',
    });
    expect((await decide({ decision: 'approve' })).json).toEqual(first.json);
    const other = await decide({ decision: 'reject' });
    expect(other.status).toBe(409);
    expect(textAt(other, 'error', 'message')).toMatch(/^local decided «approve» at \d{4}-.*Z/);
    expect(await whole(at, run)).toContain('approve null');
    expect((await decide({ decision: 'approve' })).json).toEqual(first.json);
    expect((await decide({ decision: 'reject' })).status).toBe(409);
    expect((await at.ask('/api/approvals')).json).toEqual({ approvals: [], next: null });
  });

  test('approve, reject and stop at once have one winner', async () => {
    const at = house();
    for (let i = 0; i < 10; i += 1) {
      const { run, approval } = await asked(at);
      const answers = await Promise.all([
        decideOn(at, approval),
        at.ask(`/api/approvals/${approval}`, { json: { decision: 'reject' } }),
        decideOn(at, approval, { decision: 'approve', rationale: 'too' }),
        at.ask(`/api/runs/${run}/stop`, { json: {} }),
      ]);
      const frames = await whole(at, run);
      expect(frames.match(/approval\.decided/g)?.length ?? 0).toBeLessThanOrEqual(1);
      const winners = answers.slice(0, 3).filter(({ status }) => status === 200);
      expect(new Set(winners.map((answer) => textAt(answer, 'decision'))).size).toBeLessThanOrEqual(1);
      for (const { status } of answers) expect([200, 409]).toContain(status);
    }
  });

  test('one that does not exist, or is decided as nobody can, changes nothing', async () => {
    const at = house();
    const { run, approval } = await asked(at);
    expect((await at.ask(`/api/approvals/${run}.a99`, { json: { decision: 'approve' } })).status).toBe(404);
    expect((await at.ask('/api/approvals/nonsense', { json: { decision: 'approve' } })).status).toBe(404);
    expect((await at.ask(`/api/approvals/${approval}`, { json: { decision: 'expire' } })).status).toBe(400);
    const stale = { decision: 'approve', fingerprint: 'of-something-else' };
    const refused = await at.ask(`/api/approvals/${approval}`, { json: stale });
    expect(refused.status).toBe(409);
    expect((await at.ask(`/api/approvals/${approval}`)).json).toMatchObject({ status: 'undecided' });
  });
});

describe('conversations', () => {
  test('have a history, are listed, and can be erased with every trace', async () => {
    const at = await ownHouse();
    const first = await at.ask('/api/runs', { json: { input: { text: 'one' } } });
    const conversation = textAt(first, 'conversation');
    const run = textAt(first, 'run');
    await whole(at, run);
    await whole(at, await started(at, { input: { text: 'two' }, conversation }));
    const history = await at.ask(`/api/conversations/${conversation}`);
    expect(history.json).toMatchObject({
      exchanges: [
        { text: 'one', answer: 'you said one' },
        { text: 'two', answer: 'you said two' },
      ],
    });
    await whole(at, await started(at, { input: { text: 'elsewhere' } }));
    const list = await at.ask('/api/conversations?limit=1');
    expect(list.json).toMatchObject({ conversations: [{ title: 'elsewhere' }] });
    const next = await at.ask(`/api/conversations?limit=1&after=${textAt(list, 'next')}`);
    expect(next.json).toMatchObject({ conversations: [{ conversation, title: 'two' }], next: null });
    expect((await at.ask(`/api/conversations/${conversation}`, { method: 'DELETE' })).status).toBe(204);
    for (const path of [`/api/conversations/${conversation}`, `/api/runs/${run}`, `/api/runs/${run}/events`])
      expect((await at.ask(path)).status).toBe(404);
    expect((await at.ask(`/api/conversations/${conversation}`, { method: 'DELETE' })).status).toBe(404);
  });

  test('that are erased while they work are stopped first, and their viewers let go', async () => {
    const at = await ownHouse();
    const start = await at.ask('/api/runs', { json: { app: 'asks', input: { text: 'x' } } });
    const run = textAt(start, 'run');
    const watching = whole(at, run);
    await untilAnswer(
      () => at.ask('/api/approvals'),
      ({ text }) => text.includes(run),
    );
    const path = `/api/conversations/${textAt(start, 'conversation')}`;
    expect((await at.ask(path, { method: 'DELETE' })).status).toBe(204);
    await watching;
    expect((await at.ask(`/api/runs/${run}`)).status).toBe(404);
    expect(at.problems).toEqual([]);
  });
});

describe('a large run', () => {
  const large = {
    says: appWith(async (scope) => {
      for (let i = 0; i < 40; i += 1) {
        await scope.step({ key: `${i}`, title: `${i}` }, async (step) => {
          for (let k = 0; k < 3; k += 1) step.say(`${i} ${k} ß😀`.repeat(2_500));
        });
      }
      return 'said';
    }, 'says'),
    asks: appWith(async (scope) => {
      const wide = { text: 'x'.repeat(30_000) };
      const asked = Array.from({ length: 50 }, (_, i) => i);
      await scope.parallel(
        Object.fromEntries(
          asked.map((i) => [`b${i}`, (branch) => branch.ask({ key: 'q', title: `${i}`, arguments: wide })]),
        ),
      );
      return 'decided';
    }, 'asks'),
  };

  test('[V40] is told in pages of so many bytes, and the next one goes on', async () => {
    const at = await serving({ config: { apps: large, defaultApp: 'says' } });
    const run = await started(at, { input: { text: 'x' } });
    const last = idsIn(await whole(at, run)).at(-1) ?? 0;
    const seen: number[] = [];
    for (let after: number | null = 0; after !== null;) {
      const page = await at.ask(`/api/runs/${run}/entries?limit=10000&after=${after}`);
      expect(page.text.length).toBeLessThan(400_000);
      const { entries, next } = page.json as { entries: { seq: number }[]; next: number | null };
      seen.push(...entries.map(({ seq }) => seq));
      after = next;
    }
    expect(seen).toEqual(Array.from({ length: last }, (_, i) => i + 1));
  });

  test('[V40] is the same tree, made while it is sent, now and at any moment', async () => {
    const at = await serving({ config: { apps: large, defaultApp: 'says' } });
    const run = await started(at, { input: { text: 'x' } });
    await whole(at, run);
    const tree = (await at.ask(`/api/runs/${run}`)).json as { steps: { text: string }[]; seq: number };
    expect(tree).toMatchObject({ run, status: 'completed', answer: 'said', notices: [], approvals: [] });
    expect(tree.steps.map(({ text }) => text)).toEqual(
      Array.from({ length: 40 }, (_, i) => [0, 1, 2].map((k) => `${i} ${k} ß😀`.repeat(2_500)).join('')),
    );
    const earlier = (await at.ask(`/api/runs/${run}?at=${tree.seq - 10}`)).json;
    expect(earlier).toMatchObject({ status: 'running', seq: tree.seq - 10 });
  });

  test('[V40] asks its questions in pages, and none is left out or told twice', async () => {
    const at = await serving({ config: { apps: large, defaultApp: 'asks' } });
    const run = await started(at, { input: { text: 'x' } });
    await untilAnswer(
      () => at.ask(`/api/runs?waiting=true`),
      ({ text }) => text.includes('"approvals":50'),
    );
    for (const query of ['', `run=${run}&`]) {
      const seen: string[] = [];
      for (let after: string | null = ''; after !== null;) {
        const page = await at.ask(`/api/approvals?${query}${after === '' ? '' : `after=${after}`}`);
        expect(page.text.length).toBeLessThan(1_100_000);
        const { approvals, next } = page.json as { approvals: { id: string }[]; next: string | null };
        seen.push(...approvals.map(({ id }) => id));
        after = next;
      }
      expect(seen.toSorted()).toEqual(Array.from({ length: 50 }, (_, i) => `${run}.a${i + 1}`).toSorted());
    }
  });

  test('[V40] a long conversation is told in pages', async () => {
    const at = await serving({ config: { apps, defaultApp: 'echo' } });
    const text = 'long '.repeat(30_000);
    let conversation = '';
    for (let i = 0; i < 6; i += 1) {
      const body = { input: { text: `${i} ${text}` }, ...(conversation === '' ? {} : { conversation }) };
      const answer = await at.ask('/api/runs', { json: body });
      conversation = textAt(answer, 'conversation');
      await whole(at, textAt(answer, 'run'));
    }
    const seen: string[] = [];
    for (let after: string | null = ''; after !== null;) {
      const query = after === '' ? '' : `?after=${after}`;
      const page = await at.ask(`/api/conversations/${conversation}${query}`);
      expect(page.text.length).toBeLessThan(1_100_000);
      const { exchanges, next } = page.json as { exchanges: { text: string }[]; next: string | null };
      seen.push(...exchanges.map((exchange) => exchange.text.slice(0, 1)));
      after = next;
    }
    expect(seen.join('')).toBe('012345');
  });
});
