import { describe, expect, test, vi } from 'vitest';
import { ask, resultsIn, say } from '../../../test/conversation.ts';
import { appWith, keyAt, serving, textAt, type Answered, type Serving } from '../../../test/serving.ts';
import { toolOf } from '../../../test/world.ts';
import type { Exchange, RunInput, Scope } from '../../engine/scope.ts';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';
import type { SentMessage, Wish as AnyWish } from '../../projections/door.ts';
import { protocol } from '../../projections/protocol.ts';
import { overStory } from '../../projections/story-projection.ts';
import { sse, type Framing } from '../../wire/framing.ts';
import type { SseFrame } from '../../wire/sse-frame.ts';

type Wish = AnyWish<Framing>;

/** A protocol that asks for exactly what its request says, and tells each entry by its kind. */
const kinds = overStory<null, null, string>({
  memory: () => null,
  own: () => null,
  tell: {
    'run.started': ({ frames }) => void frames.push('begun'),
    'text.appended': ({ frames }, { text }) => void frames.push('text', text),
    'approval.requested': ({ frames }, { title }) => void frames.push(`asks ${title}`),
    'approval.decided': ({ frames }, { decision }) => void frames.push(decision),
    'run.ended': ({ frames }, { outcome, answer }) =>
      void frames.push(`${outcome} ${JSON.stringify(answer)}`),
  },
  rest: ({ frames }) => void frames.push('rests'),
  goOn: ({ frames }) => void frames.push('goes on'),
});

const probe = protocol<ReturnType<typeof kinds.begin>, string, SseFrame>({
  name: 'probe',
  projection: () => kinds,
  write: (frame) => ({ data: frame }),
  ends: 'question',
  prelude: (tree) => [`stands at ${tree.seq}`],
  block: (frames) => ({ frames }),
  doors: (['POST', 'GET', 'DELETE'] as const).map((method) => ({
    method,
    path: '/probe',
    about: 'Whatever the request says.',
    read({ body, query, header }) {
      if (method !== 'POST') return JSON.parse(String(query['wish'])) as Wish;
      return { ...(body as Wish), ...(header('x-retry') ? { isRetry: true } : {}) } as Wish;
    },
  })),
});

interface Seen {
  text?: string;
  history?: readonly Exchange[];
  attachments?: RunInput['attachments'];
}

const seen: Seen = {};
const remembering = {
  name: 'remembering',
  version: '1',
  async run(scope: Scope, { text, attachments }: RunInput): Promise<string> {
    Object.assign(seen, { text, attachments, history: await scope.history() });
    return `Heard ${text}.`;
  },
};

const apps = {
  remembering: { flow: remembering },
  asking: appWith(async (scope) => {
    scope.say('First. ');
    const { decision } = await scope.ask({ key: 'may', title: 'May I?' });
    scope.say(`Then ${decision}.`);
    return `You said ${decision}.`;
  }, 'asking'),
};

function speaking(more: Parameters<typeof serving>[0] = {}): Promise<Serving> {
  return serving({ protocols: [probe], ...more, config: { apps, ...more.config } });
}

function framesIn({ text }: Answered): string[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => data);
}

const user = (text: string): SentMessage => ({ role: 'user', text });
const answer = (text: string, more: Partial<SentMessage> = {}): SentMessage => ({
  role: 'assistant',
  text,
  ...more,
});
const start = (app: string, text: string, more: object = {}): object => ({
  wants: 'start',
  form: 'whole',
  app,
  message: user(text),
  ...more,
});

function runOf(answered: Answered): string {
  const run = answered.headers.get('x-run-id');
  if (run === null) throw new Error(`no run: ${answered.text}`);
  return run;
}

describe('[PR3] the history that a client sends', () => {
  test('is the conversation: edits and cuts count, and what is kept here is not mixed in', async () => {
    const at = await speaking();
    const conversation = 'thread';
    await at.ask('/probe', { json: start('remembering', 'One?', { conversation }) });
    await at.ask('/probe', { json: start('remembering', 'Two?', { conversation }) });
    expect(seen.history).toMatchObject([{ text: 'One?', answer: 'Heard One?.' }]);
    const history = [user('One, but edited?'), answer('Another answer.')];
    await at.ask('/probe', { json: start('remembering', 'Three?', { conversation, history }) });
    expect(seen.history).toEqual([{ run: '', text: 'One, but edited?', answer: 'Another answer.' }]);
    await at.ask('/probe', { json: start('remembering', 'Four?', { conversation, history: [] }) });
    expect(seen.history).toEqual([]);
  });

  test('is recorded with its attachments, what is large beside the journal, and found by its words', async () => {
    const at = await speaking();
    const data = 'x'.repeat(50_000);
    const file = { type: 'text/plain', title: 'long.txt', data };
    const history = [
      { role: 'system', text: 'Be brief.' },
      { ...user('Look at zanzibar'), attachments: [file] },
      answer('It is long.'),
      { role: 'system', text: 'Be polite.' },
    ];
    const run = runOf(await at.ask('/probe', { json: start('remembering', 'And?', { history }) }));
    expect(seen.history).toEqual([
      { run: '', text: 'Be brief.\n\nLook at zanzibar', answer: 'It is long.', attachments: [file] },
    ]);
    expect(seen.text).toBe('Be polite.\n\nAnd?');
    const events = await at.ask(`/api/runs/${run}/events`);
    expect(events.text).toContain('Look at zanzibar');
    expect(events.text.length).toBeLessThan(20_000);
    expect(await at.ask('/api/runs?text=zanzibar')).toMatchObject({ json: { runs: [{ run }] } });
    const long = Array.from({ length: 40 }, (_, i) => [
      user(`${i} ${'y'.repeat(2_000)}`),
      answer('ok'),
    ]).flat();
    await at.ask('/probe', { json: start('remembering', 'Long?', { history: long }) });
    expect(seen.history?.at(-1)?.text).toMatch(/^39 y+$/);
    expect(seen.history).toHaveLength(40);
  });
});

test('[PR4] without a name of the client’s, each request is a conversation of its own', async () => {
  const at = await speaking();
  await at.ask('/probe', { json: start('remembering', 'One?') });
  await at.ask('/probe', { json: start('remembering', 'Two?') });
  expect(seen.history).toEqual([]);
});

test('[PR5] runs and states that this server did not give are left out, with a notice', async () => {
  const at = await speaking();
  const state = { ums_conversation_id: 'stolen' };
  const history = [
    user('One?'),
    answer('Yes.', { state }),
    user('Two?'),
    answer('No.', { run: 'run_other' }),
  ];
  const run = runOf(await at.ask('/probe', { json: start('remembering', 'Three?', { history }) }));
  const { text } = await at.ask(`/api/runs/${run}/events`);
  expect(text).not.toContain('stolen');
  expect(text).toContain('trustsClientState');
  expect(text).toContain('run_other');
  expect(text.match(/CLIENT_STATE_IGNORED/g)).toHaveLength(2);
  const trusting = { trusting: { flow: remembering, trustsClientState: true } };
  const other = await speaking({ config: { apps: trusting } });
  const known = runOf(await other.ask('/probe', { json: start('trusting', 'Three?', { history }) }));
  const told = (await other.ask(`/api/runs/${known}/events`)).text;
  expect(told).toContain('stolen');
  expect(told.match(/CLIENT_STATE_IGNORED/g), 'a run of others is never read').toHaveLength(1);
});

describe('[PR6] a request that goes on', () => {
  test('decides by name or fingerprint, and is answered by what comes then; again, by the same', async () => {
    const at = await speaking();
    const asked = await at.ask('/probe', { json: start('asking', 'x', { form: 'stream' }) });
    expect(framesIn(asked)).toEqual(['begun', 'text', 'First. ', 'asks May I?', 'rests']);
    const fingerprint = textAt(await at.ask('/api/approvals'), 'approvals', 0, 'fingerprint');
    const decisions = [{ question: fingerprint, decision: 'approve' }];
    const going = { json: { wants: 'decide', form: 'stream', decisions } };
    const gone = await at.ask('/probe', going);
    expect(framesIn(gone).filter((frame) => frame !== 'woken')).toEqual([
      'goes on',
      'approve',
      'text',
      'Then approve.',
      'completed "You said approve."',
    ]);
    expect(runOf(gone)).toBe(runOf(asked));
    expect((await at.ask('/probe', going)).text).toBe(gone.text);
    const other = [{ question: fingerprint, decision: 'reject' }];
    expect(
      await at.ask('/probe', { json: { wants: 'decide', form: 'whole', decisions: other } }),
    ).toMatchObject({ status: 409 });
  });

  test('goes on after a tool phase, and nowhere else', async () => {
    const gateway = scriptedGateway(({ messages, tools }) =>
      tools && resultsIn(messages) === 0 ? [ask('list_files', {})] : [say('One file.')],
    );
    const settings = { agent: 'model', rules: { pauseAfterTool: true } };
    const at = await speaking({
      config: {
        agents: { model: { description: 'A model.', gateway, effect: 'pure' } },
        tools: [toolOf('list_files', () => ['a.md'])],
        apps: { talk: { flow: 'converse', settings } },
      },
    });
    const labels = { requestId: 'req_1', 'converse.protocol': 'two-stage' };
    const more = { conversation: 'thread', labels, form: 'stream' };
    const first = await at.ask('/probe', { json: start('talk', 'What is there?', more) });
    expect(framesIn(first).at(-1)).toBe('rests');
    const resumed = (toolBatchId: number): Promise<Answered> => {
      const batch = { requestId: 'req_1', toolBatchId };
      return at.ask('/probe', {
        json: { wants: 'resume', of: { conversation: 'thread' }, batch, form: 'stream' },
      });
    };
    expect(await resumed(9)).toMatchObject({ status: 409 });
    const second = await resumed(1);
    expect([framesIn(second)[0], framesIn(second).at(-1)]).toEqual(['goes on', 'completed "One file."']);
    expect(runOf(second)).toBe(runOf(first));
    expect(await resumed(1), 'it has ended').toMatchObject({ status: 409 });
  });

  test('counts only from somebody who may decide, about what was shown', async () => {
    const at = await speaking({ config: { apps, auth: { local: 'key' } } });
    const [ada, bob] = [await keyAt(at, { name: 'ada' }), await keyAt(at, { name: 'bob' })];
    const other = await keyAt(at, { name: 'eve', tenant: 'elsewhere' });
    await vi.waitFor(async () => {
      for (const key of [ada, bob, other])
        expect(await at.ask('/api/runs', { key })).toMatchObject({ status: 200 });
    });
    await at.ask('/probe', { key: ada, json: start('asking', 'x') });
    const list = await at.ask('/api/approvals', { key: ada });
    const [id, fingerprint] = [
      textAt(list, 'approvals', 0, 'id'),
      textAt(list, 'approvals', 0, 'fingerprint'),
    ];
    const decide = (key: string, question: string): Promise<Answered> =>
      at.ask('/probe', {
        key,
        json: { wants: 'decide', form: 'whole', decisions: [{ question, decision: 'approve' }] },
      });
    expect(await decide(bob, fingerprint)).toMatchObject({ status: 403 });
    expect(await decide(other, fingerprint)).toMatchObject({ status: 404 });
    expect(await decide(ada, `${id}~00000000`)).toMatchObject({ status: 409 });
    expect(await decide(ada, `${id}~${fingerprint}`)).toMatchObject({ status: 200 });
  });
});

test('[PR7] a run is followed from a cursor, as one, from what stands, or not at all', async () => {
  const at = await speaking();
  const asked = await at.ask('/probe', { json: start('asking', 'x', { conversation: 'thread' }) });
  const run = runOf(asked);
  const follow = (more: object): Promise<Answered> =>
    at.ask(`/probe?wish=${encodeURIComponent(JSON.stringify({ wants: 'follow', form: 'stream', ...more }))}`);
  const of = { conversation: 'thread' };
  const first = await follow({ of, answer: 'last' });
  const all = framesIn(first);
  expect(all).toEqual(['begun', 'text', 'First. ', 'asks May I?', 'rests']);
  const entry = Number(
    /id: (\d+)\ndata: First\. |data: First\. \nid: (\d+)/.exec(first.text)?.slice(1).join(''),
  );
  expect(entry).toBeGreaterThan(1);
  for (const frames of [0, 1, 2])
    expect(framesIn(await follow({ of: { run }, answer: 0, after: { entry: entry - 1, frames } }))).toEqual(
      all.slice(1 + frames),
    );
  const question = textAt(await at.ask('/api/approvals'), 'approvals', 0, 'fingerprint');
  await at.ask('/probe', {
    json: { wants: 'decide', form: 'none', decisions: [{ question, decision: 'reject' }] },
  });
  const joined = framesIn(await follow({ of, answer: 'all' }));
  expect(joined).toEqual([
    ...all.slice(0, -1),
    'reject',
    'text',
    'Then reject.',
    'completed "You said reject."',
  ]);
  expect(framesIn(await follow({ of, answer: 'last' }))[0]).toBe('goes on');
  const [stands] = framesIn(await follow({ of, answer: 'prelude' }));
  expect(stands).toMatch(/^stands at \d+$/);
  expect(await follow({ of, answer: 'last', endedWithin: 0 })).toMatchObject({ status: 204 });
  expect(await follow({ of, answer: 'last', endedWithin: 3_600_000 })).toMatchObject({ status: 200 });
  expect(await follow({ of: { conversation: 'none' }, answer: 'last', endedWithin: 60_000 })).toMatchObject({
    status: 204,
  });
  expect(await follow({ of: { run: 'run_none' }, answer: 'last' })).toMatchObject({ status: 404 });
});

test('[PR8] a request that stops is answered by how the run ended', async () => {
  const at = await speaking();
  const run = runOf(await at.ask('/probe', { json: start('asking', 'x', { conversation: 'thread' }) }));
  const wish = { wants: 'stop', form: 'whole', of: { conversation: 'thread' } };
  const stop = (): Promise<Answered> =>
    at.ask(`/probe?wish=${encodeURIComponent(JSON.stringify(wish))}`, { method: 'DELETE' });
  const stopped = await stop();
  expect(stopped.json).toMatchObject({ frames: expect.arrayContaining([expect.stringMatching(/^stopped/)]) });
  expect(runOf(stopped)).toBe(run);
  expect((await stop()).json).toEqual(stopped.json);
});

test('[PR9] what else is asked is told from what is the caller’s', async () => {
  const looking = protocol<ReturnType<typeof kinds.begin>, string, SseFrame>({
    name: 'desk',
    projection: () => kinds,
    write: (frame) => ({ data: frame }),
    framing: sse,
    doors: [
      {
        method: 'GET',
        path: '/desk',
        about: 'Apps, and the runs of a conversation.',
        role: 'viewer',
        read: () => ({
          wants: 'look',
          look: async (desk) => ({
            apps: desk.apps.map(({ name }) => name),
            answers: (await desk.runs('thread')).map(({ tree }) => tree.ended?.answer),
          }),
        }),
      },
    ],
  });
  const at = await speaking({ protocols: [probe, looking] });
  for (const text of ['One', 'Two'])
    await at.ask('/probe', { json: start('remembering', text, { conversation: 'thread' }) });
  expect(await at.ask('/desk')).toMatchObject({
    status: 200,
    json: { apps: ['remembering', 'asking'], answers: ['Heard One.', 'Heard Two.'] },
  });
});

describe('[PR10] a request that is sent again', () => {
  test('joins the run it began: by its key, or where a client library says so', async () => {
    const at = await speaking();
    const json = start('remembering', 'Once?');
    const headers = { 'idempotency-key': 'k1' };
    const first = runOf(await at.ask('/probe', { json, headers }));
    expect(runOf(await at.ask('/probe', { json, headers }))).toBe(first);
    const tried = start('remembering', 'Tried?');
    const second = runOf(await at.ask('/probe', { json: tried }));
    const again = { headers: { 'x-retry': '1' } };
    expect(runOf(await at.ask('/probe', { json: tried, ...again }))).toBe(second);
    const another = start('remembering', 'Not tried?');
    expect(runOf(await at.ask('/probe', { json: another, ...again }))).not.toBe(second);
  });

  test('and the same asked anew is another run', async () => {
    const at = await speaking();
    const json = start('remembering', 'Again?');
    const runs = new Set([runOf(await at.ask('/probe', { json })), runOf(await at.ask('/probe', { json }))]);
    expect(runs.size).toBe(2);
  });

  test.for([
    ['/v1/chat/completions', { model: 'remembering', messages: [{ role: 'user', content: 'Ten?' }] }],
    ['/v1/responses', { model: 'remembering', input: 'Ten?' }],
    ['/openai/deployments/remembering/chat/completions', { messages: [{ role: 'user', content: 'Ten?' }] }],
  ] as const)('also where ten ask it at once: %s', async ([path, json]) => {
    const at = await serving({ config: { apps } });
    const asked = await Promise.all(Array.from({ length: 10 }, () => at.ask(path, { json })));
    const runs = new Set(asked.map(runOf));
    expect(runs.size).toBe(10);
    const again = { 'x-stainless-retry-count': '1' };
    expect(runs).toContain(runOf(await at.ask(path, { json, headers: again })));
  });

  test('joins the run it began also while that is being started', async () => {
    const at = await speaking();
    const { dispatch } = at.server.context.home.store;
    const [looks, goesOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const find = dispatch.find.bind(dispatch);
    vi.spyOn(dispatch, 'find').mockImplementationOnce(async (wanted) => {
      looks.resolve();
      await goesOn.promise;
      return find(wanted);
    });
    const json = start('remembering', 'Slow?');
    const first = at.ask('/probe', { json });
    await looks.promise;
    const again = at.ask('/probe', { json, headers: { 'x-retry': '1' } });
    // Whoever comes after both has had their answer: the one that is sent again had time to overtake.
    await at.ask('/probe', { json: start('remembering', 'Other?') });
    goesOn.resolve();
    expect(runOf(await again)).toBe(runOf(await first));
  });
});
