import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frames } from '../../../test/chat-frames.ts';
import { anyCut, everyCut } from '../../../test/cuts.ts';
import { RunError } from '../../run/failure.ts';
import { failureOfError } from './attempt.ts';
import { ChatReader } from './reader.ts';
import { Complaints } from '../http/event-channel.ts';
import type { AgentEvent, Message } from '../gateway.ts';

const clean = (text: string): string => text;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const capture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../test/captures/dial/${name}.stream.sse`, import.meta.url));

interface Heard {
  readonly events: AgentEvent[];
  readonly error?: RunError;
}

function hear(chunks: readonly Uint8Array[], { limit = 1000, messages = [] as Message[] } = {}): Heard {
  const turn = { messages, idempotencyKey: 'k', conversation: 'c' };
  const failureOf = (error: unknown): RunError => failureOfError('Model m', error, clean);
  const complaints = new Complaints('Model m', clean);
  const reader = new ChatReader({ who: 'Model m', turn, limit, complaints, failureOf });
  const events: AgentEvent[] = [];
  try {
    for (const chunk of chunks) reader.read(chunk, events);
    if (reader.isComplete) reader.finish(events);
    else reader.abandon(events);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { events, error };
  }
  return { events };
}

const heard = (...texts: string[]): AgentEvent[] => hear(texts.map(bytesOf)).events;

/** What a reader of the journal sees, however it was cut: the same texts, joined. */
function joined({ events, error }: Heard): unknown[] {
  const list: Record<string, unknown>[] = [];
  for (const event of events) {
    const last = list.at(-1);
    const isMore =
      last?.['type'] === event.type &&
      ((event.type === 'text.appended' && last['channel'] === event.channel) ||
        (event.type === 'call.appended' && last['call'] === event.call && event.tool === undefined));
    if (isMore) last['text'] = `${String(last['text'])}${event.text}`;
    else list.push({ ...event });
  }
  return [...list, error?.failure];
}

const rich = bytesOf(
  [
    '\uFEFF: ping\r\n\r\n',
    frames.delta({ role: 'assistant', content: '' }),
    frames.reasoning('thinking… '),
    frames.text('Grüße, 世界 😀'),
    frames.call({ index: 1, id: 'b', name: 'read', arguments: '{"p":' }),
    frames.call({ index: 0, id: 'a', name: 'find', arguments: '{"q":"' }),
    frames.call({ index: 1, arguments: '"ü"}' }),
    frames.call({ index: 0, arguments: '}"}' }),
    'data: {"choices":[{"de\n\n',
    frames.finish('tool_calls').replaceAll('\n', '\r\n'),
    frames.usage(3, 4),
    frames.done,
  ].join(''),
);

describe('cuts', () => {
  test.for<{ name: string; bytes: Uint8Array }>([
    { name: 'tool calls of a DIAL app', bytes: capture('tools') },
    { name: 'a function call of a DIAL app', bytes: capture('func') },
    { name: 'an error after the finish reason of a DIAL app', bytes: capture('boom1') },
    { name: 'everything at once', bytes: rich },
  ])('[H1] $name, cut at every byte, and into single bytes, tells the same', ({ bytes }) => {
    const whole = joined(hear([bytes]));
    expect(whole.length).toBeGreaterThan(1);
    for (const pieces of everyCut(bytes)) expect(joined(hear(pieces))).toEqual(whole);
  });

  test('[H1] any stream of chunks, right or wrong, cut anywhere, tells the same', () => {
    const piece = fc.oneof(
      fc.string().map((text) => frames.text(text)),
      fc.string({ unit: 'binary' }).map((text) => frames.reasoning(text)),
      fc
        .record({
          index: fc.option(fc.nat(3), { nil: undefined }),
          id: fc.option(fc.constantFrom('a', 'b', ''), { nil: undefined }),
          name: fc.option(fc.constantFrom('t', 'u', ''), { nil: undefined }),
          arguments: fc.string({ maxLength: 4 }),
        })
        .map(({ index, id, name, arguments: text }) =>
          frames.call({
            ...(index === undefined ? {} : { index }),
            ...(id === undefined ? {} : { id }),
            ...(name === undefined ? {} : { name }),
            arguments: text,
          }),
        ),
      fc.json({ maxDepth: 2 }).map((json) => `data: ${json}\r\n\r\n`),
      fc.constantFrom(frames.finish(), frames.usage(1, 2), ': hi\n\n', 'data: {\n\n', '\n', 'event: x\n'),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }),
        fc.array(fc.nat(), { maxLength: 8 }),
        (list, places) => {
          const bytes = bytesOf(list.join(''));
          expect(joined(hear(anyCut(bytes, places)))).toEqual(joined(hear([bytes])));
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('captures', () => {
  test('two calls of a DIAL app, one in pieces', () => {
    expect(hear([capture('tools')])).toEqual({
      events: [
        { type: 'call.appended', call: 'call_a', tool: 'get_weather', text: '' },
        { type: 'call.appended', call: 'call_a', text: '{"city":' },
        { type: 'call.appended', call: 'call_a', text: '"Paris"}' },
        { type: 'call.appended', call: 'call_b', tool: 'get_time', text: '{}' },
        { type: 'turn.finished', reason: 'calls' },
      ],
    });
  });

  test('a function call as it was before there were several', () => {
    expect(hear([capture('func')]).events).toEqual([
      { type: 'call.appended', call: 'call_8254c329a928_0', tool: 'get_weather', text: '{"city":"Paris"}' },
      { type: 'turn.finished', reason: 'calls' },
    ]);
  });

  test('a failure that comes after the word stop', () => {
    const { events, error } = hear([capture('boom1')]);
    expect(events).toEqual([{ type: 'text.appended', text: 'partial ' }]);
    expect(error?.failure).toMatchObject({ code: 'unavailable', retryable: true });
  });
});

describe('text', () => {
  test('bytes that are not UTF-8 become U+FFFD', () => {
    const [before = '', after = ''] = frames.text('|').split('|');
    const bytes = Uint8Array.from([...bytesOf(before), 0xff, 0xe2, 0x82, ...bytesOf(after)]);
    expect(hear([bytes]).events).toEqual([{ type: 'text.appended', text: '\uFFFD\uFFFD' }]);
  });

  test('a character cut in two by upstream is told whole, and half a one as U+FFFD', () => {
    const halves = ['"\\ud83d"', '"\\ude00!"', '"\\ud83d"'].map(
      (json) => `data: {"choices":[{"delta":{"content":${json}}}]}\n\n`,
    );
    expect(heard(...halves, frames.finish())).toEqual([
      { type: 'text.appended', text: '😀!' },
      { type: 'text.appended', text: '\uFFFD' },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });

  test.for<{ name: string; delta: unknown; events: AgentEvent[] }>([
    {
      name: 'reasoning_content',
      delta: { reasoning_content: 'r' },
      events: [{ type: 'text.appended', text: 'r', channel: 'reasoning' }],
    },
    {
      name: 'reasoning',
      delta: { reasoning: 'r' },
      events: [{ type: 'text.appended', text: 'r', channel: 'reasoning' }],
    },
    {
      name: 'both with the same text, once',
      delta: { reasoning: 'r', reasoning_content: 'r' },
      events: [{ type: 'text.appended', text: 'r', channel: 'reasoning' }],
    },
    {
      name: 'a list of parts',
      delta: {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'r' }] },
          { type: 'text', text: 't' },
        ],
      },
      events: [
        { type: 'text.appended', text: 'r', channel: 'reasoning' },
        { type: 'text.appended', text: 't' },
      ],
    },
    { name: 'nothing', delta: { content: null, reasoning_content: '', tool_calls: null }, events: [] },
  ])('a delta with $name is understood', ({ delta, events }) => {
    expect(heard(frames.delta(delta))).toEqual(events);
  });

  test('a refusal is told as text: it is the answer, in the words of the model', () => {
    expect(heard(frames.delta({ refusal: 'No.' }), frames.finish())).toEqual([
      { type: 'text.appended', text: 'No.' },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });
});

describe('calls', () => {
  const calls = (events: readonly AgentEvent[]): Record<string, string> => {
    const texts: Record<string, string> = {};
    for (const event of events) {
      if (event.type !== 'call.appended') continue;
      if (event.tool !== undefined) expect(texts).not.toHaveProperty([event.call]);
      texts[event.call] = (texts[event.call] ?? `${String(event.tool)} `) + event.text;
    }
    return texts;
  };

  test('[H10] arguments in single characters lose none, however they repeat', () => {
    const text = '{"a":"}}}}","b":[[""]],"c":"aaaa"}';
    const events = heard(
      frames.call({ index: 0, id: 'x', name: 't' }),
      ...Array.from(text, (character) => frames.call({ index: 0, arguments: character })),
    );
    expect(calls(events)).toEqual({ x: `t ${text}` });
  });

  test.for<{ name: string; pieces: Parameters<typeof frames.call>[0][]; expected: Record<string, string> }>([
    {
      name: 'interleaved indexes',
      pieces: [
        { index: 0, id: 'a', name: 't', arguments: '1' },
        { index: 1, id: 'b', name: 'u', arguments: '2' },
        { index: 0, arguments: '3' },
        { index: 1, arguments: '4' },
      ],
      expected: { a: 't 13', b: 'u 24' },
    },
    {
      name: 'an id and a name that come late',
      pieces: [
        { index: 0, arguments: '{' },
        { index: 0, id: 'a' },
        { index: 0, name: 't' },
        { index: 0, arguments: '}' },
      ],
      expected: { a: 't {}' },
    },
    {
      name: 'an id that comes after its call was told',
      pieces: [
        { index: 0, name: 't', arguments: '{' },
        { index: 0, id: 'late', arguments: '}' },
      ],
      expected: { call_8254c329a928_0: 't {}' },
    },
    {
      name: 'no ids at all',
      pieces: [
        { index: 0, id: null, name: 't', arguments: '1' },
        { index: 3, id: '', name: 't', arguments: '2' },
      ],
      expected: { call_8254c329a928_0: 't 1', call_8254c329a928_1: 't 2' },
    },
    {
      name: 'one id for two calls',
      pieces: [
        { index: 0, id: 'a', name: 't', arguments: '1' },
        { index: 1, id: 'a', name: 't', arguments: '2' },
        { index: 0, arguments: '3' },
      ],
      expected: { a: 't 13', call_8254c329a928_1: 't 2' },
    },
    {
      name: 'an id of an earlier turn',
      pieces: [{ index: 0, id: 'used', name: 't', arguments: '1' }],
      expected: { call_8254c329a928_0: 't 1' },
    },
    {
      name: 'no indexes, whole calls',
      pieces: [
        { id: 'a', name: 't', arguments: '1' },
        { id: 'b', name: 't', arguments: '2' },
      ],
      expected: { a: 't 1', b: 't 2' },
    },
    {
      name: 'no indexes, in pieces',
      pieces: [
        { id: 'a', name: 't', arguments: '1' },
        { arguments: '2' },
        { name: 'u', arguments: '3' },
        { id: 'a', arguments: '4' },
      ],
      expected: { a: 't 124', call_8254c329a928_1: 'u 3' },
    },
    {
      name: 'index 0 for all of them',
      pieces: [
        { index: 0, id: 'a', name: 't', arguments: '1' },
        { index: 0, id: 'b', name: 'u', arguments: '2' },
        { index: 0, arguments: '3' },
      ],
      expected: { a: 't 1', b: 'u 23' },
    },
    {
      name: 'the name and the id in every piece',
      pieces: [
        { index: 0, id: 'a', name: 't', arguments: '1' },
        { index: 0, id: 'a', name: 't', arguments: '2' },
      ],
      expected: { a: 't 12' },
    },
    {
      name: 'another id in every piece, without a name',
      pieces: [
        { index: 0, id: 'a', name: 't', arguments: '1' },
        { index: 0, id: 'z', arguments: '2' },
      ],
      expected: { a: 't 12' },
    },
  ])('[H10] $name', ({ pieces, expected }) => {
    const messages: Message[] = [
      { role: 'assistant', text: '', calls: [{ id: 'used', tool: 't', arguments: '' }] },
    ];
    const { events } = hear(
      pieces.map((piece) => bytesOf(frames.call(piece))),
      { messages },
    );
    expect(calls(events)).toEqual(expected);
  });

  test('a call whose tool is never named is not told, and a notice says so', () => {
    expect(heard(frames.call({ index: 0, id: 'a', arguments: '{}' }), frames.finish('tool_calls'))).toEqual([
      expect.objectContaining({ type: 'notice.posted', code: 'UPSTREAM_MALFORMED' }),
      { type: 'turn.finished', reason: 'calls' },
    ]);
  });

  test('arguments that are an object already are told as JSON', () => {
    const piece = { index: 0, id: 'a', function: { name: 't', arguments: { q: 1 } } };
    expect(calls(heard(frames.delta({ tool_calls: [piece] })))).toEqual({ a: 't {"q":1}' });
  });

  test('[H4] arguments over the limit are too large, before they are put together', () => {
    const piece = frames.call({ index: 0, arguments: 'x'.repeat(400) });
    const { error } = hear([frames.call({ index: 0, id: 'a', name: 't' }), piece, piece, piece].map(bytesOf));
    expect(error?.failure).toMatchObject({ code: 'too-large', message: expect.stringContaining('1000') });
  });
});

describe('the end', () => {
  test.for<{ name: string; texts: string[]; reason: string }>([
    { name: 'stop', texts: [frames.finish('stop')], reason: 'stop' },
    { name: 'length', texts: [frames.finish('length')], reason: 'length' },
    { name: 'content_filter', texts: [frames.finish('content_filter')], reason: 'filter' },
    { name: 'an unknown reason', texts: [frames.finish('eos')], reason: 'other' },
    {
      name: 'stop after calls',
      texts: [frames.call({ index: 0, id: 'a', name: 't' }), frames.finish('stop')],
      reason: 'calls',
    },
    { name: 'no reason but [DONE]', texts: [frames.text('a'), frames.done], reason: 'stop' },
    { name: 'an empty reason and [DONE]', texts: [frames.finish(''), frames.done], reason: 'stop' },
  ])('$name finishes the turn: $reason', ({ texts, reason }) => {
    expect(heard(...texts).at(-1)).toEqual({ type: 'turn.finished', reason });
  });

  test('text after a finish reason is told before the turn is finished', () => {
    expect(heard(frames.finish(), frames.text('more'), frames.done)).toEqual([
      { type: 'text.appended', text: 'more' },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });

  test.for<{ name: string; texts: string[] }>([
    { name: 'in a chunk without choices', texts: [frames.finish(), frames.usage(3, 4)] },
    {
      name: 'in the last chunk',
      texts: [
        frames.of({
          choices: [{ delta: {}, finish_reason: 'stop' }],
          usage: { prompt_tokens: 3, completion_tokens: 4 },
        }),
      ],
    },
    {
      name: 'in every chunk, growing',
      texts: [frames.usage(3, 1), frames.usage(3, 2), frames.usage(3, 4), frames.finish()],
    },
  ])('usage $name is told once, at the end', ({ texts }) => {
    expect(heard(...texts, frames.done)).toEqual([
      { type: 'usage.reported', usage: { input: 3, output: 4 } },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });

  test('usage tells what was cached and what was thought', () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    };
    expect(heard(frames.of({ choices: [], usage }), frames.done)[0]).toEqual({
      type: 'usage.reported',
      usage: { input: 9, output: 5, cached: 8, reasoning: 4 },
    });
  });

  test('nothing after [DONE] is told', () => {
    expect(heard(frames.text('a') + frames.done + frames.text('b'))).toEqual([
      { type: 'text.appended', text: 'a' },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });
});

describe('what is wrong', () => {
  test.for<{ name: string; data: string }>([
    { name: 'text that is not JSON', data: '{"choices":[' },
    { name: 'JSON that is no object', data: '[1]' },
    { name: 'an object that says nothing', data: '{"type":"ping"}' },
    { name: 'content that is a number', data: '{"choices":[{"delta":{"content":5}}]}' },
    { name: 'a second answer', data: '{"choices":[{"delta":{}},{"delta":{"content":"x"}}]}' },
  ])('[H3] $name becomes a notice, and the turn goes on', ({ data }) => {
    expect(heard(`data: ${data}\n\n`, frames.text('on'))).toEqual([
      expect.objectContaining({ type: 'notice.posted', code: 'UPSTREAM_MALFORMED' }),
      { type: 'text.appended', text: 'on' },
    ]);
  });

  test('[H3] usage that cannot be read does not cost the text beside it', () => {
    const chunk = { choices: [{ delta: { content: 'a' } }], usage: { prompt_tokens: 'many' } };
    expect(heard(frames.of(chunk))).toEqual([{ type: 'text.appended', text: 'a' }]);
  });

  test('[H3] a flood of wrong pieces gives ten notices and a count', () => {
    const events = heard('data: {\n\n'.repeat(1000), frames.done);
    expect(events).toHaveLength(12);
    expect(events[10]).toMatchObject({ message: 'Model m sent 990 more pieces that cannot be read.' });
  });

  test.for<{ name: string; text: string; failure: object }>([
    {
      name: 'an object',
      text: frames.error({ message: 'Broken', type: 'x' }),
      failure: { code: 'unavailable', message: 'Model m reported an error: Broken.', retryable: false },
    },
    {
      name: 'a text',
      text: frames.error('Broken!'),
      failure: { code: 'unavailable', message: 'Model m reported an error: Broken!', retryable: false },
    },
    {
      name: 'a status as number',
      text: frames.error({ message: 'Busy', code: 503 }),
      failure: { code: 'unavailable', message: 'Model m reported an error: Busy.', retryable: true },
    },
    {
      name: 'a status as text',
      text: frames.error({ message: 'No', code: '403' }),
      failure: { code: 'refused', message: 'Model m reported an error: No.', retryable: false },
    },
    {
      name: 'a known word',
      text: frames.error({ message: 'Slow down', type: 'rate_limit_error' }),
      failure: { code: 'unavailable', message: 'Model m reported an error: Slow down.', retryable: true },
    },
    {
      name: 'an event named error',
      text: 'event: error\ndata: {"error":{"message":"Gone"}}\n\n',
      failure: { code: 'unavailable', message: 'Model m reported an error: Gone.', retryable: false },
    },
    {
      name: 'nothing that can be understood',
      text: frames.error([]),
      failure: {
        code: 'unavailable',
        message: 'Model m reported an error: it gave no reason.',
        retryable: false,
      },
    },
  ])('[H9] an error in the stream, as $name, fails after what was told', ({ text, failure }) => {
    const { events, error } = hear([bytesOf(frames.text('a') + frames.finish() + text)]);
    expect(events).toEqual([{ type: 'text.appended', text: 'a' }]);
    expect(error?.failure).toEqual(failure);
  });

  test('[H4] an event over the limit fails after what was told before it', () => {
    const { events, error } = hear([bytesOf(frames.text('a') + `data: ${'x'.repeat(2000)}`)]);
    expect(events).toEqual([{ type: 'text.appended', text: 'a' }]);
    expect(error?.failure).toMatchObject({ code: 'too-large' });
  });
});
