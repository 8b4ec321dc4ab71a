import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, test } from 'vitest';
import { chatActs } from '../../../test/chat-subject.ts';
import {
  type ChatPlan,
  chunk,
  openConversationServer,
  says,
  type ConversationServer,
} from '../../../test/conversation-server.ts';
import { everyCut } from '../../../test/cuts.ts';
import { delegate } from '../../../test/delegate.ts';
import { outline } from '../../../test/outline.ts';
import { frame } from '../../../test/sse-frame.ts';
import { type Act, sse } from '../../../test/upstream.ts';
import { type Failure, RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { ChatMessageRequest } from '../../wire/conversation-service.ts';
import { conversationGateway } from './conversation.ts';
import type { ConversationSettings } from './service.ts';
import { gatewayContract, type Subject } from '../gateway.contract.ts';
import type { AgentEvent, Turn } from '../gateway.ts';

const done = 'data: [DONE]\n\n';
const busy: Act[] = [{ head: 429 }, { send: '{"detail":"slow down"}' }, 'end'];
const quick = { random: () => 1, sleep: async () => undefined };

/** The gateway in the middle of a conversation: what it creates before is not the contract's business. */
async function subject(): Promise<Subject> {
  const service = await openConversationServer();
  const secret = 'token-9f31c0aa77';
  service.conversations.set('known', []);
  const inner = conversationGateway({ baseUrl: service.url, headers: { Authorization: secret } }, quick);
  const state = { ums_conversation_id: 'known' };
  return {
    gateway: { takeTurn: (turn, signal) => inner.takeTurn({ ...turn, state }, signal) },
    secret,
    plan: (...plans) =>
      service.answer(...plans.map((plan) => () => (plan === 'busy' ? busy : chatActs(plan, secret)))),
    async request(i) {
      const { headers, left } = await service.chat(i);
      return { key: String(headers['idempotency-key']), left };
    },
    get requests() {
      return service.chats.length;
    },
    close: () => service.close(),
  };
}

gatewayContract('conversation', subject);

const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };
const inside = (id: string, text = 'hi'): Turn => ({
  ...turn,
  messages: [{ role: 'user', text }],
  state: { ums_conversation_id: id, is_gpa: true },
});

let service: ConversationServer;
const opened: ConversationServer[] = [];
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close();
});

async function open(settings: Parameters<typeof openConversationServer>[0] = {}): Promise<void> {
  service = await openConversationServer(settings);
  opened.push(service);
}

interface Heard {
  readonly events: AgentEvent[];
  readonly failure?: Failure;
}

async function hear(given = turn, settings: Partial<ConversationSettings> = {}): Promise<Heard> {
  const gateway = conversationGateway({ baseUrl: service.url, ...settings }, quick);
  const events: AgentEvent[] = [];
  try {
    for await (const some of gateway.takeTurn(given, new AbortController().signal)) events.push(...some);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { events, failure: error.failure };
  }
  return { events };
}

const sent = (): string[] =>
  service.requests.map(({ method, path }) => `${method} ${path.slice('/v1'.length)}`);

describe('a conversation', () => {
  test('[A6] is created with a body, told as state at once, and continued under its id', async () => {
    await open();
    service.answer(says('Found ', '2'));
    const first = await hear(turn, { title: 'Vitrine' });
    expect(first.events).toEqual([
      { type: 'state.reported', state: { ums_conversation_id: 'conversation-1' } },
      { type: 'text.appended', text: 'Found ' },
      { type: 'text.appended', text: '2' },
      { type: 'turn.finished', reason: 'stop' },
    ]);
    const second = await hear(inside('conversation-1', 'and now?'));
    expect(second.events.map(({ type }) => type)).not.toContain('state.reported');
    expect(sent()).toEqual([
      'POST /conversations',
      'POST /conversations/conversation-1/chat',
      'POST /conversations/conversation-1/chat',
    ]);
    expect(service.requests[0]?.body).toEqual({ title: 'Vitrine' });
    expect(service.requests[1]?.body).toEqual({ message: { role: 'user', content: 'hi' }, stream: true });
    expect(ChatMessageRequest.safeParse(service.requests[2]?.body).success).toBe(true);
    expect(service.conversations.get('conversation-1')?.map(({ content }) => content)).toEqual([
      'You manage users.',
      'hi',
      'Found 2',
      'and now?',
      'Found 2',
    ]);
  });

  test('is sent the last message of the person alone, with what stands for attachments', async () => {
    await open();
    await hear({
      ...turn,
      messages: [
        { role: 'system', text: 'Be kind.' },
        { role: 'user', text: 'one' },
        { role: 'assistant', text: 'two' },
        { role: 'user', text: 'three', attachments: [{ type: 'text/plain', title: 'n', data: 'milk' }] },
      ],
    });
    const content = 'three\n\nAttachment "n" (text/plain):\nmilk';
    expect(service.chats[0]?.body).toEqual({ message: { role: 'user', content }, stream: true });
  });

  test('that gets another id in the stream is known by that one', async () => {
    await open();
    service.answer(() => [
      sse,
      { send: frame({ conversation_id: 'other' }) + chunk({}, 'stop') + done },
      'end',
    ]);
    const { events } = await hear();
    expect(events.filter(({ type }) => type === 'state.reported')).toEqual([
      { type: 'state.reported', state: { ums_conversation_id: 'conversation-1' } },
      { type: 'state.reported', state: { ums_conversation_id: 'other' } },
    ]);
  });

  test('with an id of any characters stays inside its path', async () => {
    await open();
    service.conversations.set('a/b ?#ü', []);
    await hear(inside('a/b ?#ü'));
    expect(sent()).toEqual(['POST /conversations/a%2Fb%20%3F%23%C3%BC/chat']);
  });

  test.for<{ name: string; state: Json }>([
    { name: 'nothing', state: null },
    { name: 'a state of somebody else', state: { is_gpa: true } },
    { name: 'an id that is none', state: { ums_conversation_id: 7 } },
    { name: 'an id that leads out of the path', state: { ums_conversation_id: '..' } },
  ])('is created where the state holds $name', async ({ state }) => {
    await open();
    await hear({ ...turn, state });
    expect(sent()).toEqual(['POST /conversations', 'POST /conversations/conversation-1/chat']);
  });

  test('the creation is asked for again, also after a failure, since it harms nobody', async () => {
    await open();
    service.refuseToCreate([{ head: 500 }, 'end'], ['reset']);
    const { events, failure } = await hear();
    expect(failure).toBeUndefined();
    expect(events.map(({ type }) => type).slice(0, 3)).toEqual([
      'turn.retried',
      'turn.retried',
      'state.reported',
    ]);
  });

  test.for<{ name: string; acts: Act[]; failure: Partial<Failure> }>([
    {
      name: 'refused',
      acts: [{ head: 422 }, { send: '{"detail":"field required"}' }, 'end'],
      failure: {
        code: 'malformed',
        message: expect.stringContaining('answered 422: field required.') as never,
      },
    },
    {
      name: 'no JSON',
      acts: [{ head: 200 }, { send: '<html>' }, 'end'],
      failure: { code: 'unavailable', message: expect.stringContaining('no JSON') as never },
    },
    {
      name: 'without an id',
      acts: [{ head: 200 }, { send: '{"id":""}' }, 'end'],
      failure: { code: 'unavailable', message: expect.stringContaining('without an id') as never },
    },
    {
      name: 'without end',
      acts: [{ head: 200 }, { endless: 'x'.repeat(9999) }],
      failure: { code: 'too-large' },
    },
    {
      name: 'compressed',
      acts: [{ head: 200, headers: { 'content-encoding': 'gzip' } }, { endless: 'bomb' }],
      failure: { code: 'unavailable', message: expect.stringContaining('gzip') as never },
    },
  ])('a creation that is $name is a failure, and nothing is said', async ({ acts, failure }) => {
    await open();
    service.refuseToCreate(acts);
    expect(await hear()).toMatchObject({ events: [], failure });
    expect(service.chats).toHaveLength(0);
  });
});

describe('a conversation that is forgotten', () => {
  test.for([404, 500] as const)(
    '[E233] is not replaced for what a person agreed to there, where that is a %i',
    async (unknown) => {
      await open({ unknown });
      const { events, failure } = await hear({ ...inside('lost'), isAgreed: true });
      expect(failure).toMatchObject({
        code: 'rejected',
        message: expect.stringContaining('not sent anywhere'),
      });
      expect(events).toEqual([]);
      expect(sent()).not.toContain('POST /conversations');
    },
  );

  test('[E232] can be asked about before anything is sent', async () => {
    await open();
    const gateway = conversationGateway({ baseUrl: service.url }, quick);
    const { signal } = new AbortController();
    service.conversations.set('known', []);
    const knows = async (each: Turn): Promise<boolean | undefined> => gateway.remembers?.(each, signal);
    expect(await Promise.all([inside('known'), inside('lost'), turn].map(knows))).toEqual([
      true,
      false,
      false,
    ]);
    await service.close();
    expect(await knows(inside('known'))).toBeUndefined();
  });

  test.for([404, 500] as const)(
    'is created again once, with a notice, where that is a %i',
    async (unknown) => {
      await open({ unknown });
      service.answer(says('unused'), says('new here'));
      const { events, failure } = await hear(inside('lost'));
      expect(failure).toBeUndefined();
      expect(events).toMatchObject([
        { type: 'notice.posted', code: 'CONVERSATION_RENEWED', message: expect.stringContaining('lost') },
        { type: 'state.reported', state: { ums_conversation_id: 'conversation-1' } },
        { type: 'text.appended', text: 'new here' },
        { type: 'turn.finished' },
      ]);
      const look = unknown === 500 ? ['GET /conversations/lost'] : [];
      expect(sent()).toEqual([
        'POST /conversations/lost/chat',
        ...look,
        'POST /conversations',
        'POST /conversations/conversation-1/chat',
      ]);
    },
  );

  test('[A1] a service that breaks in a conversation it knows is not asked again', async () => {
    await open();
    service.conversations.set('known', []);
    service.answer(() => [{ head: 500 }, { send: 'Internal Server Error' }, 'end']);
    const { events, failure } = await hear(inside('known'));
    expect(events).toEqual([]);
    expect(failure).toMatchObject({ code: 'unavailable', retryable: false });
    expect(failure?.message).toMatch(/answered 500: Internal Server Error\. It may have acted/);
    expect(sent()).toEqual(['POST /conversations/known/chat', 'GET /conversations/known']);
  });

  test('[A22 A23] a service that may be told twice is, in the conversation it knows, and is named', async () => {
    await open();
    service.conversations.set('known', []);
    const breaks: ChatPlan = () => [{ head: 500 }, { send: 'Internal Server Error' }, 'end'];
    service.answer(breaks, says('done'));
    const again = { ...inside('known'), isRepeatable: true };
    expect((await hear(again)).events[0]).toMatchObject({ type: 'turn.retried' });
    expect(sent()).toEqual(['POST /conversations/known/chat', 'POST /conversations/known/chat']);
    service.answer(breaks);
    expect((await hear(again, { name: 'users' })).failure).toEqual({
      code: 'unavailable',
      message: 'The conversation service users answered 500: Internal Server Error.',
      retryable: true,
    });
  });

  test('[A25] a service whose connection is lost is told of in words', async () => {
    await open();
    service.conversations.set('known', []);
    service.answer(() => ['reset']);
    expect((await hear(inside('known'), { name: 'users' })).failure?.message).toBe(
      'The connection to the conversation service users was lost. It may have acted on the message all the same.',
    );
  });

  test('a service that forgets what it has just created is given up', async () => {
    await open();
    service.answer(() => [{ head: 404 }, { send: '{"detail":"Conversation not found"}' }, 'end']);
    const { failure } = await hear(inside('lost'));
    expect(failure).toMatchObject({ code: 'unknown' });
    expect(service.chats).toHaveLength(2);
  });
});

describe('the end', () => {
  const cases: { name: string; plan: ChatPlan; failure: string }[] = [
    {
      name: 'a stream that ends without [DONE], also after a stop',
      plan: () => [sse, { send: chunk({ content: 'half' }) + chunk({}, 'stop') }, 'end'],
      failure: 'closed without [DONE]. It may have acted on the message all the same.',
    },
    {
      name: 'a stream that is cut',
      plan: () => [sse, { send: chunk({ content: 'half' }) }, 'reset'],
      failure: 'It may have acted on the message all the same.',
    },
    {
      name: 'an error in the stream',
      plan: () => [
        sse,
        { send: chunk({ content: 'half' }) + frame({ error: { message: 'no tools' } }) },
        'hang',
      ],
      failure: 'reported an error: no tools. It may have acted on the message all the same.',
    },
  ];
  test.for(cases)('[A1 A2] $name is a failure after what was said', async ({ plan, failure: words }) => {
    await open();
    service.answer(plan, says('again'));
    const { events, failure } = await hear();
    expect(events.slice(1)).toEqual([{ type: 'text.appended', text: 'half' }]);
    expect(failure).toMatchObject({ code: 'unavailable', retryable: false });
    expect(failure?.message).toContain(words);
    expect(service.chats).toHaveLength(1);
  });

  test('[A3] a turn is finished when the service has written its history, which it does after [DONE]', async () => {
    await open();
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    service.answer(({ save }) => [
      sse,
      { send: chunk({ content: 'a' }) + chunk({}, 'stop') + done },
      { until },
      { does: () => save('a') },
      'end',
    ]);
    const gateway = conversationGateway({ baseUrl: service.url });
    const iterator = gateway.takeTurn(turn, new AbortController().signal)[Symbol.asyncIterator]();
    await iterator.next();
    expect((await iterator.next()).value).toEqual([{ type: 'text.appended', text: 'a' }]);
    const last = iterator
      .next()
      .then(({ value }) => ({ value, history: service.conversations.get('conversation-1') }));
    goOn();
    const { value, history } = await last;
    expect(value).toEqual([{ type: 'turn.finished', reason: 'stop' }]);
    expect(history).toHaveLength(3);
  });

  test('[A5] an answer in one piece is told as well', async () => {
    await open();
    const block = { content: 'Found 2 users.', conversation_id: 'conversation-1' };
    service.answer(() => [
      { head: 200, headers: { 'content-type': 'application/json' } },
      { send: JSON.stringify(block) },
      'end',
    ]);
    expect((await hear()).events.slice(1)).toEqual([
      { type: 'text.appended', text: 'Found 2 users.' },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });
});

describe('the captures of a real service', () => {
  const capture = (name: string): Uint8Array =>
    readFileSync(new URL(`../../../test/captures/conversation-service/${name}`, import.meta.url));
  const bytes = capture('chat.stream.sse');
  const json = { 'content-type': 'application/json' };
  const plain = { 'content-type': 'text/plain; charset=utf-8' };
  const created = '6219941a-110d-4275-b659-39d9a607a133';

  /** The service had it until it was asked, so that what it answers is what was captured. */
  const forgetting = (id: string, acts: Act[]): void => {
    service.conversations.set(id, []);
    const forgets = (): Act[] => {
      service.conversations.delete(id);
      return acts;
    };
    service.answer(forgets, says('new here'));
  };

  test('a conversation it creates is continued under the id it gives', async () => {
    await open();
    service.conversations.set(created, []);
    service.refuseToCreate([{ head: 200, headers: json }, { send: capture('create.json') }, 'end']);
    const { events, failure } = await hear();
    expect(failure).toBeUndefined();
    expect(events[0]).toEqual({ type: 'state.reported', state: { ums_conversation_id: created } });
    expect(sent()).toEqual(['POST /conversations', `POST /conversations/${created}/chat`]);
  });

  test('a creation it refuses is a failure in its own words', async () => {
    await open();
    service.refuseToCreate([
      { head: 422, headers: json },
      { send: capture('create-without-body.json') },
      'end',
    ]);
    const { failure } = await hear();
    expect(failure).toMatchObject({ code: 'malformed', message: expect.stringContaining('field required') });
  });

  test('a conversation it does not know, which it answers with 500, is created again once', async () => {
    await open();
    const lost: Act[] = [{ head: 500, headers: plain }, { send: capture('unknown.txt') }, 'end'];
    forgetting('lost', lost);
    const { events, failure } = await hear(inside('lost'));
    expect(failure).toBeUndefined();
    expect(events.map((event) => ('code' in event ? event.code : event.type))).toEqual([
      'CONVERSATION_RENEWED',
      'state.reported',
      'text.appended',
      'turn.finished',
    ]);
    expect(sent().filter((line) => line === 'POST /conversations')).toHaveLength(1);
  });

  test('a conversation it says it does not have is created again once', async () => {
    await open();
    const lost: Act[] = [{ head: 404, headers: json }, { send: capture('not-found.json') }, 'end'];
    forgetting('lost', lost);
    const { events } = await hear(inside('lost'));
    expect(events.at(-1)?.type).toBe('turn.finished');
    expect(service.chats).toHaveLength(2);
  });

  test('shows what it said, and keeps the id it is known by', async () => {
    await open();
    service.answer(() => [sse, { send: bytes }, 'end']);
    const gateway = conversationGateway({ baseUrl: service.url });
    const { tree } = await delegate({ gateway, name: 'ums', state: 'conversation-id' });
    expect(outline(tree, 1)).toMatchInlineSnapshot(`
      "turn «ums» completed
        content "Found 2 users: John, Ann ""
    `);
    expect(tree.states.get('ums')?.state).toEqual({
      ums_conversation_id: '57d6f51f-8812-4b8f-9de9-a4cf50e444c6',
    });
  });

  test('reads the same for a cut at every seventh byte', async () => {
    await open();
    const id = '57d6f51f-8812-4b8f-9de9-a4cf50e444c6';
    service.conversations.set(id, []);
    const cuts = [...everyCut(bytes)].filter((_, i) => i % 7 === 0);
    for (const pieces of cuts) {
      service.answer(() => [sse, ...pieces.map((send) => ({ send })), 'end']);
      const { events } = await hear(inside(id));
      const text = events.map((event) => (event.type === 'text.appended' ? event.text : '')).join('');
      expect([text, events.at(-1)?.type]).toEqual(['Found 2 users: John, Ann ', 'turn.finished']);
    }
  });
});

describe('what the history shows', () => {
  const ask = (given: Turn, settings: Partial<ConversationSettings> = {}) => {
    const gateway = conversationGateway({ baseUrl: service.url, ...settings });
    const { signal } = new AbortController();
    return Promise.all([gateway.arrived?.(given, signal), gateway.answered?.(given, signal)]);
  };
  const past = (...messages: [string, string | null][]) =>
    service.conversations.set(
      'known',
      messages.map(([role, content]) => ({ role, content })),
    );

  test('[A7] a message that was answered arrived, with all that was said in answer', async () => {
    await open();
    past(
      ['system', 's'],
      ['user', 'hi'],
      ['assistant', 'Let me see. '],
      ['tool', '{}'],
      ['assistant', 'Two.'],
    );
    expect(await ask(inside('known'))).toEqual([true, 'Let me see. Two.']);
  });

  test('[A7] a message without an answer arrived', async () => {
    await open();
    past(['user', 'before'], ['assistant', 'x'], ['user', 'hi'], ['assistant', null]);
    expect(await ask(inside('known'))).toEqual([true, undefined]);
  });

  test('[A7] a message that is missing did not arrive, if the service writes before it acts', async () => {
    await open();
    past(['user', 'before'], ['assistant', 'x']);
    expect(await ask(inside('known'), { records: 'before' })).toEqual([false, undefined]);
    expect(await ask(inside('known'))).toEqual([undefined, undefined]);
  });

  test('[A7] words that were said before prove nothing', async () => {
    await open();
    past(['user', 'hi'], ['assistant', 'x'], ['user', 'hi'], ['assistant', 'y']);
    expect(await ask(inside('known'), { records: 'before' })).toEqual([undefined, undefined]);
    past(['user', 'hi'], ['assistant', 'x'], ['user', 'other']);
    expect(await ask(inside('known'), { records: 'before' })).toEqual([undefined, undefined]);
    past(['user', 'hi'], ['assistant', 'x']);
    const again = { ...inside('known'), messages: [...turn.messages, ...turn.messages] };
    expect(await ask(again)).toEqual([undefined, undefined]);
  });

  test('[A7] a conversation that is not there, or not known, proves nothing', async () => {
    await open();
    expect(await ask(inside('gone'), { records: 'before' })).toEqual([undefined, undefined]);
    expect(await ask(turn, { records: 'before' })).toEqual([undefined, undefined]);
  });

  test('whoever asks may leave', async () => {
    await open();
    const gateway = conversationGateway({ baseUrl: service.url });
    const asking = gateway.arrived?.(inside('known'), AbortSignal.abort(new Error('enough')));
    await expect(asking).rejects.toThrow('enough');
  });
});
