import type { AGUIEvent } from '@ag-ui/core';
import { EventEncoder } from '@ag-ui/encoder';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { quietly } from '../../../test/official/ag-ui-client.ts';
import { openUpstream, sse, type Act, type Upstream } from '../../../test/upstream.ts';
import { type Failure, RunError } from '../../run/failure.ts';
import { stopped } from '../../run/stopped.ts';
import { gatewayContract, type Act as Deed, type Plan, type Subject } from '../gateway.contract.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import { agUiGateway } from './ag-ui.ts';

const encoder = new EventEncoder();
/** As the official encoder writes it, also what no type of its knows. */
const send = (event: object): Act => ({ send: encoder.encodeSSE(event as AGUIEvent) });
const place = { threadId: 't', runId: 'r' };
const started = { type: 'RUN_STARTED', ...place };
const finished = { type: 'RUN_FINISHED', ...place };
const said = (delta: string, more: object = {}) => ({
  type: 'TEXT_MESSAGE_CONTENT',
  messageId: 'm',
  delta,
  ...more,
});
const quick = { random: () => 1, sleep: async () => undefined };

function deedFrames(deed: Deed): Act[] {
  switch (deed.do) {
    case 'say':
      return [send(said(deed.text))];
    case 'think':
      return [send({ type: 'REASONING_MESSAGE_CONTENT', messageId: 'q', delta: deed.text })];
    case 'call': {
      const { call: toolCallId, tool: toolCallName, pieces } = deed;
      const args = pieces.map((delta) => send({ type: 'TOOL_CALL_ARGS', toolCallId, delta }));
      const start = send({ type: 'TOOL_CALL_START', toolCallId, toolCallName });
      return [start, ...args, send({ type: 'TOOL_CALL_END', toolCallId })];
    }
    case 'use':
    case 'finish':
      return [];
    case 'hang':
      return ['hang'];
    case 'break':
      return ['reset'];
  }
}

/** The end of a run says how it ended and what it used at once. */
function actsOf(plan: Plan, secret: string): Act[] {
  if (plan === 'busy') return [{ head: 429 }, { send: 'slow down' }, 'end'];
  if (plan === 'refuse') return [{ head: 401 }, { send: `Wrong key: ${secret}` }, 'end'];
  const used = plan.flatMap((deed) =>
    deed.do === 'use' ? [{ inputTokens: deed.input, outputTokens: deed.output }] : [],
  );
  const isWhole = plan.some((deed) => deed.do === 'finish');
  const end: Act[] = isWhole
    ? [send({ ...finished, ...(used.length > 0 ? { usage: used } : {}) }), 'end']
    : [];
  return [sse, send(started), ...plan.flatMap(deedFrames), ...end];
}

/** What is kept for the next turn is told with each end: the contract asks for the rest. */
async function subject(): Promise<Subject> {
  const upstream = await openUpstream();
  const secret = 'token-4711-ag-ui-0815';
  const inner = agUiGateway({ name: 'a', url: upstream.url, key: secret }, quick);
  return {
    gateway: {
      takeTurn(turn, signal) {
        const source = inner.takeTurn(turn, signal)[Symbol.asyncIterator]();
        const bare = (events: readonly AgentEvent[]) =>
          events.filter(({ type }) => type !== 'state.reported');
        const iterator = {
          async next() {
            const step = await source.next();
            return step.done === true ? step : { done: false, value: bare(step.value) };
          },
          return: async () => (await source.return?.()) ?? { done: true, value: undefined },
        };
        return { [Symbol.asyncIterator]: () => iterator as AsyncIterator<readonly AgentEvent[]> };
      },
    },
    secret,
    knowsLength: false,
    plan: (...plans) => upstream.answer(...plans.map((plan) => actsOf(plan, secret))),
    async request(i) {
      const { headers, left } = await upstream.request(i);
      return { key: String(headers['idempotency-key']), left };
    },
    get requests() {
      return upstream.requests.length;
    },
    close: () => upstream.close(),
  };
}

gatewayContract('ag-ui', subject);

const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream();
});
afterEach(() => upstream.close());

interface Heard {
  readonly events: readonly AgentEvent[];
  readonly failure?: Failure;
  readonly printed: readonly string[];
}

async function hear(acts: readonly Act[], given: Turn = turn): Promise<Heard> {
  upstream.answer(acts);
  const events: AgentEvent[] = [];
  let failure: Failure | undefined;
  const printed = await quietly(async () => {
    const { signal } = new AbortController();
    try {
      for await (const some of agUiGateway({ name: 'a', url: upstream.url }, quick).takeTurn(given, signal))
        events.push(...some);
    } catch (error) {
      if (!(error instanceof RunError)) throw error;
      ({ failure } = error);
    }
  });
  return { events, printed, ...(failure ? { failure } : {}) };
}

const run = (...events: object[]): Act[] => [sse, ...[started, ...events].map(send), 'end'];
const notices = ({ events }: Heard) => events.filter(({ type }) => type === 'notice.posted');
const textIn = ({ events }: Heard) =>
  events.map((event) => (event.type === 'text.appended' && !event.channel ? event.text : '')).join('');

describe('[GU4] what an agent tells', () => {
  test('agents, steps and calls are stages, each below what it is in', async () => {
    const { events } = await hear(
      run(
        { type: 'STEP_STARTED', stepName: 'plan' },
        { type: 'STEP_FINISHED', stepName: 'plan' },
        { type: 'STEP_STARTED', stepName: 'plan' },
        { type: 'STEP_FINISHED', stepName: 'plan' },
        { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'delegate' },
        { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"to":"b"}' },
        { type: 'TOOL_CALL_END', toolCallId: 'c' },
        {
          type: 'SUBAGENT_STARTED',
          subagentRunId: 'b',
          name: 'Bea',
          description: 'find it',
          parentToolCallId: 'c',
        },
        { type: 'SUBAGENT_STARTED', subagentRunId: 'd', name: 'Dee', parentSubagentRunId: 'b' },
        { type: 'STEP_STARTED', stepName: 'plan', subagentRunId: 'd' },
        said('deep', { messageId: 'x', subagentRunId: 'd' }),
        said('deeper', { messageId: 'y', subagentRunId: 'd' }),
        { type: 'STEP_FINISHED', stepName: 'plan', subagentRunId: 'd' },
        { type: 'SUBAGENT_ERROR', subagentRunId: 'd', message: 'lost it' },
        { type: 'SUBAGENT_FINISHED', subagentRunId: 'b' },
        {
          type: 'TOOL_CALL_RESULT',
          messageId: 'z',
          toolCallId: 'c',
          content: [
            { type: 'text', text: 'done' },
            { type: 'image', source: { type: 'url', value: 'http://h/a.png', mimeType: 'image/png' } },
          ],
        },
        {
          type: 'CUSTOM',
          name: 'attachment',
          value: { kind: 'attachment', attachment: { type: 'text/csv', data: 'a' } },
        },
        said('It is done.'),
        { ...finished, usage: [{ model: 'gpt', inputTokens: 3, outputTokens: 4 }] },
      ),
    );
    expect(events.map(brief)).toEqual([
      'open step  plan: plan in nothing',
      'close step  plan completed',
      'open step  plan (2): plan in nothing',
      'close step  plan (2) completed',
      'open call c: delegate in nothing {"to":"b"}',
      'open b: Bea in call c find it',
      'open d: Dee in b',
      'open step d plan: plan in d',
      'd content: deep',
      'd content: \n\ndeeper',
      'close step d plan completed',
      'd log: lost it\n',
      'close d failed',
      'close b completed',
      'call c content: done',
      'call c has image/png',
      'close call c completed',
      'item.attached',
      'text.appended',
      'turn.finished',
      'usage.reported',
      'state.reported',
    ]);
    expect(events.find(({ type }) => type === 'usage.reported')).toMatchObject({
      usage: { input: 3, output: 4, models: [{ model: 'gpt', input: 3, output: 4 }] },
    });
  });

  test('of a Vitrine: steps that get another title go on, and what is said stands where it was said', async () => {
    const at = (step: string, more: object = {}) => ({
      metadata: { step, kind: 'stage', inner: true, ...more },
    });
    const patch = [{ op: 'add', path: '/steps/s2/detail', value: 'half of it' }];
    const item = { kind: 'citation', title: 'A book', step: 's2' };
    const { events } = await hear(
      run(
        { type: 'STEP_STARTED', stepName: 's1 agent', metadata: { step: 's1', kind: 'turn' } },
        { type: 'STEP_STARTED', stepName: 's2 Lo', ...at('s2', { parent: 's1' }) },
        { type: 'STEP_FINISHED', stepName: 's2 Lo', metadata: {} },
        { type: 'STEP_STARTED', stepName: 's2 Look', ...at('s2', { parent: 's1' }) },
        { type: 'ACTIVITY_DELTA', messageId: 'a', activityType: 'vitrine-steps', patch },
        { type: 'CUSTOM', name: 'citation', value: item },
        said('inside', { messageId: 'run-s2' }),
        said('outside', { messageId: 'run-s1' }),
        { type: 'STEP_FINISHED', stepName: 's2 Look', metadata: { status: 'failed' } },
        { type: 'STEP_FINISHED', stepName: 's1 agent', metadata: { status: 'completed' } },
        { type: 'STEP_STARTED', stepName: 'of another' },
        { type: 'STEP_FINISHED', stepName: 'of another', metadata: {} },
        finished,
      ),
    );
    expect(events.slice(0, -2).map(brief)).toEqual([
      'open step  s1 agent: agent in nothing',
      'open step  s2 Lo: Lo in step  s1 agent',
      'stage.titled',
      'step  s2 Lo log: half of it\n',
      'step  s2 Lo has citation',
      'step  s2 Lo content: inside',
      'text.appended',
      'close step  s2 Lo failed',
      'close step  s1 agent completed',
      'open step  of another: of another in nothing',
      'close step  of another completed',
    ]);
    expect(events).toContainEqual({ type: 'text.appended', text: 'outside' });
  });

  test('chunks, older thoughts, messages that come whole, an answer that is only a result', async () => {
    const chunked = await hear(
      run(
        { type: 'TEXT_MESSAGE_CHUNK', messageId: 'm', delta: 'a' },
        { type: 'TEXT_MESSAGE_CHUNK', delta: 'b' },
        finished,
      ),
    );
    expect(textIn(chunked)).toBe('ab');
    const thought = await hear(
      run(
        { type: 'THINKING_TEXT_MESSAGE_CONTENT', delta: 'hm' },
        { ...finished, outcome: null, result: 'ok' },
      ),
    );
    expect(thought.events).toMatchObject([
      { channel: 'reasoning', text: 'hm' },
      { text: 'ok' },
      { reason: 'stop' },
      {},
    ]);
    const messages = [
      { id: 'a', role: 'assistant', content: 'old' },
      { id: 'u', role: 'user', content: 'hi' },
      { id: 'b', role: 'assistant', content: 'new' },
    ];
    expect(textIn(await hear(run({ type: 'MESSAGES_SNAPSHOT', messages }, finished)))).toBe('new');
    const halves = await hear(run(said('\ud83d'), said('\ude00'), finished));
    expect(textIn(halves)).toBe('😀');
  });

  test('it gets back its thread, the names of its messages, and what it shares', async () => {
    const first = await hear(
      run(
        { type: 'STATE_SNAPSHOT', snapshot: { a: 1 } },
        { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/b', value: 2 }] },
        said('one'),
        finished,
      ),
    );
    const { state } =
      first.events.find((event) => event.type === 'state.reported') ?? expect.fail('no state');
    const again: Turn = {
      messages: [
        { role: 'user', text: 'hi' },
        { role: 'assistant', text: 'one', state },
        { role: 'user', text: 'more' },
      ],
      idempotencyKey: 'k2',
      conversation: 'c',
      state,
    };
    await hear(run(said('two'), finished), again);
    expect(upstream.requests.map(({ body }) => body)).toMatchObject([
      { threadId: 'k', runId: 'k', messages: [{ id: 'k', role: 'user', content: 'hi' }] },
      {
        threadId: 'k',
        runId: 'k2',
        state: { a: 1, b: 2 },
        messages: [
          { id: 'k', content: 'hi' },
          { id: 'm', role: 'assistant', content: 'one' },
          { id: 'k2', content: 'more' },
        ],
      },
    ]);
  });
});

describe('[GU5] what an agent asks', () => {
  const interrupts = [
    { id: 'i1', reason: 'approval', message: 'Send it?', toolCallId: 'c' },
    { id: 'i2', reason: 'input', message: 'Which one?', responseSchema: { type: 'string' } },
    { id: 'i3', reason: 'approval' },
    { id: 'i4', reason: 'approval' },
  ];
  const asking = run(
    { type: 'TOOL_CALL_START', toolCallId: 'c', toolCallName: 'send' },
    { type: 'TOOL_CALL_ARGS', toolCallId: 'c', delta: '{"to":"ada"}' },
    { type: 'TOOL_CALL_END', toolCallId: 'c' },
    { ...finished, outcome: { type: 'interrupt', interrupts } },
  );

  test('is put to people, and all their answers go to the same thread', async () => {
    const { events } = await hear(asking);
    const questions = events.flatMap((event) => (event.type === 'question.asked' ? [event.question] : []));
    expect(questions).toMatchObject([
      { id: 'i1', title: 'Send it?', arguments: { to: 'ada' } },
      { id: 'i2', title: 'Which one?', schema: { type: 'string' } },
      { id: 'i3', title: 'a asks' },
      { id: 'i4' },
    ]);
    expect(events).toContainEqual({ type: 'turn.finished', reason: 'asks' });
    expect(events).toContainEqual({ type: 'stage.closed', stage: 'call c', outcome: 'completed' });
    const decided = [
      { decision: 'edit', answer: { to: 'bob' } },
      { decision: 'approve', answer: 'this' },
      { decision: 'reject', rationale: 'too dear' },
      { decision: 'expire' },
    ] as const;
    const answers = decided.map((made, i) => ({
      ...made,
      id: interrupts[i]?.id ?? '',
      token: questions[i]?.token ?? null,
    }));
    await hear(
      run(
        { type: 'TOOL_CALL_RESULT', messageId: 'z', toolCallId: 'c', content: 'sent' },
        said('ok'),
        finished,
      ),
      {
        ...turn,
        idempotencyKey: 'k2',
        answers,
      },
    );
    expect((await upstream.request(1)).body).toMatchObject({
      threadId: 'k',
      runId: 'k2',
      messages: [{ id: 'k', content: 'hi' }],
      resume: [
        { interruptId: 'i1', status: 'resolved', payload: { approved: true, arguments: { to: 'bob' } } },
        { interruptId: 'i2', status: 'resolved', payload: 'this' },
        { interruptId: 'i3', status: 'resolved', payload: { approved: false, reason: 'too dear' } },
        { interruptId: 'i4', status: 'cancelled' },
      ],
    });
  });

  test('without a name cannot be answered: the turn has failed, and says why', async () => {
    const { failure } = await hear(
      run({ ...finished, outcome: { type: 'interrupt', interrupts: [{ reason: 'approval' }] } }),
    );
    expect(failure).toEqual({
      code: 'unavailable',
      message: 'Agent a ended in a way that cannot be read: «outcome.interrupts.0.id» is wrong.',
    });
  });
});

describe('[GU6] an agent that misbehaves', () => {
  test('what nobody knows and what is malformed costs only itself, is told, and nothing is printed', async () => {
    const heard = await hear(
      run(
        { type: 'MOOD_CHANGED', mood: 'x' },
        { type: 'STEP_STARTED' },
        said('a'),
        said('b', { extra: 1 }),
        finished,
      ),
    );
    expect(notices(heard)).toMatchObject([
      { message: 'Agent a sent an event MOOD_CHANGED, which AG-UI does not know.' },
      { message: 'Agent a sent an event STEP_STARTED, whose «stepName» cannot be read.' },
    ]);
    expect(textIn(heard)).toBe('ab');
    expect(heard.printed).toEqual([]);
  });

  const half = encoder.encodeSSE(said('never') as AGUIEvent).slice(0, 20);
  test.for<{ name: string; acts: Act[]; failure: object; text?: string }>([
    {
      name: 'a connection that is lost',
      acts: [sse, send(started), send(said('a')), 'reset'],
      failure: {
        code: 'unavailable',
        message:
          'The connection to Agent a was lost in the middle of the answer. It may have acted on the message all the same.',
        retryable: false,
      },
    },
    {
      name: 'an end in the middle',
      acts: run(said('a')),
      failure: {
        code: 'unavailable',
        message: expect.stringContaining('before it said how its answer ended'),
      },
    },
    {
      name: 'half an event',
      acts: [sse, send(started), send(said('a')), { send: half }, 'end'],
      failure: { message: expect.stringContaining('no event of AG-UI') },
    },
    {
      name: 'an error',
      acts: run(said('a'), { type: 'RUN_ERROR', message: 'The model is away', code: 'model_down' }),
      failure: { code: 'unavailable', message: 'The model is away.' },
    },
    {
      name: 'an error of a Vitrine',
      acts: run(said('a'), { type: 'RUN_ERROR', message: 'No.', code: 'refused' }),
      failure: { code: 'refused', message: 'No.' },
    },
    {
      name: 'somebody else who stops it',
      acts: run(said('a'), { ...finished, outcome: { type: 'cancelled' } }),
      failure: { code: 'rejected', message: 'Agent a was stopped elsewhere.' },
    },
    {
      name: 'a page',
      acts: [{ head: 200, headers: { 'content-type': 'text/html' } }, { send: '<p>' }, 'end'],
      failure: { message: expect.stringContaining('check its url') },
      text: '',
    },
  ])('$name fails the turn after what was told', async ({ acts, failure, text = 'a' }) => {
    const heard = await hear(acts);
    expect(heard.failure).toMatchObject(failure);
    expect(textIn(heard)).toBe(text);
    expect(heard.events.some(({ type }) => type === 'turn.finished')).toBe(false);
    expect(heard.printed).toEqual([]);
  });
});

test('[GU3] whoever is no Vitrine is not told to stop: the connection ends', async () => {
  upstream.answer([sse, send(started), send(said('a')), 'hang']);
  const controller = new AbortController();
  const told = agUiGateway({ name: 'a', url: upstream.url }).takeTurn(turn, controller.signal);
  const iterator = told[Symbol.asyncIterator]();
  await iterator.next();
  controller.abort(stopped);
  await (
    await upstream.request(0)
  ).left;
  await expect(iterator.next()).rejects.toBe(stopped);
  expect(upstream.requests).toHaveLength(1);
});

function brief(event: AgentEvent): string {
  if (event.type === 'stage.opened')
    return `open ${event.stage}: ${event.title} in ${event.parent ?? 'nothing'} ${event.query ?? ''}`.trimEnd();
  if (event.type === 'stage.closed') return `close ${event.stage} ${event.outcome}`;
  if (event.type === 'stage.appended') return `${event.stage} ${event.channel ?? 'content'}: ${event.text}`;
  if (event.type !== 'stage.attached') return event.type;
  const { stage, item } = event;
  return `${stage} has ${item.kind === 'attachment' ? item.attachment.type : item.kind}`;
}
