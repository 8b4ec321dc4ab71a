// An agent of AG-UI whose events come as the official encoder writes them, and in no order at all.
import type { AGUIEvent } from '@ag-ui/core';
import { EventEncoder } from '@ag-ui/encoder';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { quietly } from '../../../test/official/ag-ui-client.ts';
import { openUpstream, sse, type Act, type Upstream } from '../../../test/upstream.ts';
import { RunError } from '../../run/failure.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import { agUiGateway } from './ag-ui.ts';

const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };
const place = { threadId: 't', runId: 'r' };
const agent = { subagentRunId: 'a1' };
const interrupt = (id: string) => ({ id, reason: 'approval', message: `May I ${id}?` });

/** Everything an agent can say, once, in an order that makes sense. */
const events: readonly object[] = [
  { type: 'RUN_STARTED', ...place },
  { type: 'STEP_STARTED', stepName: 'look' },
  { type: 'SUBAGENT_STARTED', subagentRunId: 'a1', name: 'Finder' },
  { type: 'TEXT_MESSAGE_START', messageId: 'm1', role: 'assistant', ...agent },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm1', delta: 'inside', ...agent },
  { type: 'TEXT_MESSAGE_END', messageId: 'm1', ...agent },
  { type: 'TOOL_CALL_START', toolCallId: 'c1', toolCallName: 'search', ...agent },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '{"q":', ...agent },
  { type: 'TOOL_CALL_ARGS', toolCallId: 'c1', delta: '1}', ...agent },
  { type: 'TOOL_CALL_END', toolCallId: 'c1', ...agent },
  { type: 'TOOL_CALL_RESULT', messageId: 'm2', toolCallId: 'c1', content: 'found', ...agent },
  { type: 'SUBAGENT_FINISHED', subagentRunId: 'a1' },
  { type: 'STEP_FINISHED', stepName: 'look' },
  { type: 'STATE_SNAPSHOT', snapshot: { n: 1 } },
  { type: 'STATE_DELTA', delta: [{ op: 'replace', path: '/n', value: 2 }] },
  { type: 'STATE_DELTA', delta: [{ op: 'add', path: '/__proto__/x', value: 3 }] },
  { type: 'CUSTOM', name: 'odd', value: { constructor: null } },
  { type: 'NEVER_HEARD_OF', what: 'x' },
  { type: 'TEXT_MESSAGE_START', messageId: 'm3', role: 'assistant' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 'm3', delta: 'said' },
  { type: 'TEXT_MESSAGE_CONTENT', messageId: 7, delta: 'wrong' },
  { type: 'TEXT_MESSAGE_END', messageId: 'm3' },
  { type: 'RUN_FINISHED', ...place },
];
const asking = {
  type: 'RUN_FINISHED',
  ...place,
  outcome: { type: 'interrupt', interrupts: [interrupt('q1'), interrupt('q2')] },
};

let upstream: Upstream;
beforeEach(async () => {
  upstream = await openUpstream();
});
afterEach(() => upstream.close());

interface Heard {
  readonly told: readonly AgentEvent[];
  readonly failure: RunError | undefined;
  readonly printed: readonly string[];
}

async function hear(given: readonly object[]): Promise<Heard> {
  const encoder = new EventEncoder();
  const sent = given.map((event): Act => ({ send: encoder.encodeSSE(event as AGUIEvent) }));
  upstream.answer([sse, ...sent, 'end']);
  const told: AgentEvent[] = [];
  let failure: RunError | undefined;
  const printed = await quietly(async () => {
    const gateway = agUiGateway({ name: 'a', url: upstream.url }, { sleep: async () => undefined });
    try {
      for await (const some of gateway.takeTurn(turn, new AbortController().signal)) told.push(...some);
    } catch (thrown) {
      if (!(thrown instanceof RunError)) throw thrown;
      failure = thrown;
    }
  });
  return { told, failure, printed };
}

/** Stages that are told of before they are open, or after they are closed. */
function strayIn(told: readonly AgentEvent[]): string[] {
  const open = new Set<string>();
  return told.flatMap((event) => {
    if (!('stage' in event)) return [];
    const isKnown = open.has(event.stage);
    if (event.type === 'stage.opened') open.add(event.stage);
    if (event.type === 'stage.closed') open.delete(event.stage);
    return isKnown === (event.type === 'stage.opened') ? [`${event.type} ${event.stage}`] : [];
  });
}

test('[PR43] events dropped, doubled and out of order: the turn ends or fails, stages stay in order, nothing is printed', async () => {
  const ends = new Set<string>();
  const shuffled = fc.shuffledSubarray([...events, ...events], { minLength: 5 });
  const nearly = fc
    .shuffledSubarray([...events.keys()], { minLength: 15 })
    .map((kept) => events.filter((_, i) => kept.includes(i)));
  await fc.assert(
    fc.asyncProperty(fc.oneof(shuffled, nearly), async (given) => {
      const { told, failure, printed } = await hear(given);
      expect(printed).toEqual([]);
      expect(strayIn(told)).toEqual([]);
      const finished = told.filter(({ type }) => type === 'turn.finished').length;
      expect(finished).toBe(failure ? 0 : 1);
      ends.add(failure?.failure.code ?? 'finished');
    }),
    { numRuns: 80 },
  );
  expect([...ends].toSorted()).toEqual(['finished', 'unavailable']);
});

test('[PR43] what stands behind the end does not count, and two questions at once are both asked', async () => {
  const { told, failure } = await hear([
    ...events.slice(0, -1),
    asking,
    events[4] ?? {},
    events.at(-1) ?? {},
  ]);
  expect(failure).toBeUndefined();
  const asked = told.flatMap((event) => (event.type === 'question.asked' ? [event.question.title] : []));
  expect(asked).toEqual(['May I q1?', 'May I q2?']);
  expect(told.filter(({ type }) => type === 'turn.finished')).toEqual([
    { type: 'turn.finished', reason: 'asks' },
  ]);
});

test('[PR43] a frame of many megabytes is read, and one without end fails the turn', async () => {
  const large = 'x'.repeat(4 * 1024 * 1024);
  const said = (delta: string) => ({ type: 'TEXT_MESSAGE_CONTENT', messageId: 'm', delta });
  const start = { type: 'TEXT_MESSAGE_START', messageId: 'm', role: 'assistant' };
  const { failure, told } = await hear([events[0] ?? {}, start, said(large), events.at(-1) ?? {}]);
  expect(failure).toBeUndefined();
  expect(
    told.map((event) => (event.type === 'text.appended' ? event.text.length : 0)).reduce((a, b) => a + b, 0),
  ).toBe(large.length);
  upstream.answer([sse, { endless: `data: ${'x'.repeat(1024 * 1024)}` }]);
  const endless = agUiGateway({ name: 'a', url: upstream.url }).takeTurn(turn, new AbortController().signal);
  await expect(endless[Symbol.asyncIterator]().next()).rejects.toBeInstanceOf(RunError);
});
