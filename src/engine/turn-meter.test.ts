import { describe, expect, test } from 'vitest';
import { answerOf } from '../../test/conversation.ts';
import { ended, flowOf, startRun, testWorld } from '../../test/world.ts';
import type { AgentEvent, Gateway } from '../gateways/gateway.ts';
import { Engine } from './engine.ts';
import type { TurnRequest } from './scope.ts';

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
  const flow = flowOf(async (scope) => {
    try {
      const messages = [{ role: 'user' as const, text: 'go' }];
      const { text, calls, finish } = await scope.turn('model', { messages, ...request });
      return JSON.stringify({ text, calls, finish });
    } catch (thrown) {
      return String(thrown);
    }
  });
  const agents = [{ name: 'model', description: '', gateway, effect: 'pure' as const }];
  const world = testWorld({ flows: [flow], agents });
  const { run } = await startRun(new Engine(world, 'w1'), flow, { limits: { tokens } });
  const tree = await ended(world.store, run);
  return { tree, read, answer: answerOf(tree) };
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
    expect(endless.answer).toContain('used up');
  });
});

describe('complete calls', () => {
  test.for<{ name: string; pieces: readonly string[]; read: number }>([
    { name: 'arguments in pieces', pieces: ['{"a"', ':{"b":"}"', '}}', 'never'], read: 3 },
    { name: 'brackets and escapes in strings', pieces: ['{"a":"\\"}]', '"}', 'never'], read: 2 },
    { name: 'a list', pieces: ['[1,', '2]', 'never'], read: 2 },
    { name: 'arguments that are never JSON', pieces: ['{a}', '{}', '{}'], read: 4 },
    { name: 'no arguments', pieces: ['', ''], read: 3 },
  ])('[C2] $name: the stream is closed where the call is whole', async ({ pieces, read: expected }) => {
    const chunks = [
      ...pieces.map((text, i): readonly AgentEvent[] => [
        { type: 'call.appended', call: 'c1', ...(i === 0 ? { tool: 'x' } : {}), text },
      ]),
      [{ type: 'turn.finished', reason: 'calls' }] as const,
    ];
    const { read } = await turnOf(() => chunks, { maxCalls: 1 });
    expect(read.chunks).toBe(expected);
  });

  test('[C2] the name may come last', async () => {
    const chunks: (readonly AgentEvent[])[] = [
      [{ type: 'call.appended', call: 'c1', text: '{}' }],
      [{ type: 'call.appended', call: 'c1', tool: 'x', text: '' }],
      [{ type: 'text.appended', text: 'never' }],
    ];
    const { read, answer } = await turnOf(() => chunks, { maxCalls: 1 });
    expect(read.chunks).toBe(2);
    expect(JSON.parse(answer)).toMatchObject({ finish: 'cut', calls: [{ tool: 'x', arguments: '{}' }] });
  });
});
