import { describe, expect, test } from 'vitest';
import { answerOf } from '../../../test/conversation.ts';
import { ended, flowOf, startRun, testWorld } from '../../../test/world.ts';
import type { AgentEvent, Gateway } from '../../gateways/gateway.ts';
import { Engine } from '../../../test/engine.ts';
import type { TurnRequest } from '../scope.ts';

function gatewayOf(events: () => Iterable<readonly AgentEvent[]>): {
  gateway: Gateway;
  read: { chunks: number };
} {
  const read = { chunks: 0 };
  return {
    read,
    gateway: {
      async *takeTurn() {
        for (const chunk of events()) {
          read.chunks += 1;
          yield chunk;
        }
      },
    },
  };
}

async function turnOf(
  events: () => Iterable<readonly AgentEvent[]>,
  request: Partial<TurnRequest>,
  tokens = 1_000,
) {
  const { gateway, read } = gatewayOf(events);
  return { ...(await turnWith(gateway, request, tokens)), read };
}

async function turnWith(gateway: Gateway, request: Partial<TurnRequest>, tokens = 1_000) {
  const flow = flowOf(async (scope) => {
    try {
      const messages = [{ role: 'user' as const, text: 'go' }];
      const { text, calls, finish } = await scope.turn('model', { messages, ...request });
      return JSON.stringify({ text: text.slice(0, 8_000), calls, finish });
    } catch (thrown) {
      return String(thrown);
    }
  });
  const agents = [{ name: 'model', description: '', gateway, effect: 'pure' as const }];
  const world = testWorld({ flows: [flow], agents });
  const { run } = await startRun(new Engine(world, 'w1'), flow, { limits: { tokens } });
  const tree = await ended(world.store, run);
  return { tree, answer: answerOf(tree) };
}

function* forever(chunk: readonly AgentEvent[]): Iterable<readonly AgentEvent[]> {
  for (;;) yield chunk;
}

describe('a stream without an end', () => {
  test.for<{ name: string; chunk: readonly AgentEvent[] }>([
    { name: 'text', chunk: [{ type: 'text.appended', text: 'and so on ' }] },
    { name: 'reasoning', chunk: [{ type: 'text.appended', channel: 'reasoning', text: 'hm ' }] },
    { name: 'arguments', chunk: [{ type: 'call.appended', call: 'c1', tool: 'x', text: '{"a":[' }] },
    { name: 'empty pieces', chunk: [{ type: 'text.appended', text: '' }] },
    { name: 'empty chunks', chunk: [] },
    { name: 'stages', chunk: [{ type: 'stage.appended', stage: 's', text: 'x' }] },
  ])('[C25] of $name is cut at the budget, and is paid for', async ({ chunk }) => {
    const { tree, answer, read } = await turnOf(() => forever(chunk), {});
    expect(answer).toContain('has used up its 1000 tokens');
    expect(read.chunks).toBeLessThanOrEqual(4_001);
    expect(tree.open.size).toBe(0);
  });

  test('[C25] that failed has used up its tokens for the turns after it', async () => {
    const { tree } = await turnOf(() => forever([{ type: 'text.appended', text: 'and so on ' }]), {});
    expect(tree.spent.tokens).toBeGreaterThan(800);
  });

  test('[C25] an answer may use a little more than what is used up', async () => {
    const text = 'x'.repeat(8_000);
    const finished: readonly AgentEvent[] = [{ type: 'text.appended', text }];
    expect((await turnOf(() => [finished], {})).answer).toContain('used up');
    expect(JSON.parse((await turnOf(() => [finished], { answers: true })).answer)).toMatchObject({ text });
    const endless = await turnOf(() => forever(finished), { answers: true });
    expect(JSON.parse(endless.answer)).toMatchObject({ text, finish: 'budget' });
    expect(endless.tree.spent.tokens).toBeGreaterThan(8_000);
  });

  test('[C93] an answer of which nothing had come when the budget was used up is none', async () => {
    const hm: readonly AgentEvent[] = [
      { type: 'text.appended', channel: 'reasoning', text: 'hm '.repeat(99) },
    ];
    expect((await turnOf(() => forever(hm), { answers: true })).answer).toContain('used up');
  });
});

describe('complete calls', () => {
  test.for<{ name: string; pieces: readonly string[]; whole: string; finish: string }>([
    { name: 'in pieces', pieces: ['{"a"', ':{"b":"}"', '}}', 'no'], whole: '{"a":{"b":"}"}}', finish: 'cut' },
    {
      name: 'with brackets in strings',
      pieces: ['{"a":"\\"}]', '"}', 'no'],
      whole: '{"a":"\\"}]"}',
      finish: 'cut',
    },
    { name: 'a list', pieces: ['[1,', '2]', 'no'], whole: '[1,2]', finish: 'cut' },
    { name: 'with an empty piece at the end', pieces: ['{}', ''], whole: '{}', finish: 'calls' },
    { name: 'never JSON', pieces: ['{a}', '{}', '{}'], whole: '{a}{}{}', finish: 'calls' },
    { name: 'nothing', pieces: ['', ''], whole: '', finish: 'calls' },
  ])(
    '[C2] arguments $name: the stream is closed where the call is whole',
    async ({ pieces, whole, finish }) => {
      const chunks = [
        ...pieces.map((text, i): readonly AgentEvent[] => [
          { type: 'call.appended', call: 'c1', ...(i === 0 ? { tool: 'x' } : {}), text },
        ]),
        [{ type: 'turn.finished', reason: 'calls' }] as const,
      ];
      const { answer } = await turnOf(() => chunks, { maxCalls: 1 });
      expect(JSON.parse(answer)).toMatchObject({ finish, calls: [{ arguments: whole }] });
    },
  );

  test('[C2] the name may come last', async () => {
    const chunks: (readonly AgentEvent[])[] = [
      [{ type: 'call.appended', call: 'c1', text: '{}' }],
      [{ type: 'call.appended', call: 'c1', tool: 'x', text: '' }],
      [{ type: 'text.appended', text: 'never' }],
    ];
    const { answer } = await turnOf(() => chunks, { maxCalls: 1 });
    expect(JSON.parse(answer)).toEqual({
      text: '',
      finish: 'cut',
      calls: [{ id: 'c1', tool: 'x', arguments: '{}' }],
    });
  });

  const called = (id: string, text = '{}'): AgentEvent => ({
    type: 'call.appended',
    call: id,
    tool: 'x',
    text,
  });

  test('[C71] a stream that falls silent after its calls is closed', async () => {
    const silent: Gateway = {
      async *takeTurn(_turn, signal) {
        yield [called('c1')];
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      },
    };
    const { answer } = await turnWith(silent, { maxCalls: 1 });
    expect(JSON.parse(answer)).toMatchObject({ finish: 'cut', calls: [{ id: 'c1' }] });
  });

  test.for([
    { name: 'of calls', chunk: (i: number) => called(`c${i}`) },
    { name: 'of arguments', chunk: (i: number) => called(i === 0 ? 'c0' : 'c1', i === 0 ? '{}' : '[1,') },
  ])('[C71] a stream without an end $name that will not run is closed soon', async ({ chunk }) => {
    function* endless(): Iterable<readonly AgentEvent[]> {
      for (let i = 0; ; i += 1) yield [chunk(i)];
    }
    const { answer, read } = await turnOf(endless, { maxCalls: 1 }, 1_000_000);
    expect(JSON.parse(answer)).toMatchObject({ finish: 'cut' });
    expect(read.chunks).toBeLessThan(6_000);
  });
});
