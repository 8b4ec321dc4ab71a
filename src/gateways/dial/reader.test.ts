import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { anyCut, everyCut } from '../../../test/cuts.ts';
import { dial } from '../../../test/dial-frames.ts';
import { RunError } from '../../run/failure.ts';
import { failureOfError } from '../chat/attempt.ts';
import { ChatReader } from '../chat/reader.ts';
import { Complaints } from '../http/event-channel.ts';
import { dialDialect } from './dialect.ts';
import type { AgentEvent } from '../gateway.ts';

const clean = (text: string): string => text;
const who = 'Deployment gpa';
const bytesOf = (...texts: string[]): Uint8Array => new TextEncoder().encode(texts.join(''));

function hear(chunks: readonly Uint8Array[]): unknown[] {
  const complaints = new Complaints(who, clean);
  const reader = new ChatReader({
    who,
    turn: { messages: [], idempotencyKey: 'k', conversation: 'c' },
    limit: 1024 * 1024,
    complaints,
    failureOf: (error) => failureOfError(who, error, clean),
    dialect: dialDialect(who, complaints),
  });
  const events: AgentEvent[] = [];
  try {
    for (const chunk of chunks) reader.read(chunk, events);
    if (reader.isComplete) reader.finish(events);
    else reader.abandon(events);
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return [...events, error.failure];
  }
  return events;
}

const capture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../test/captures/dial/${name}.stream.sse`, import.meta.url));

const mixed = bytesOf(
  dial.role,
  dial.heartbeat,
  dial.stage({ index: 0, name: 'Ä\ud83d' }, { index: 1, name: 'B', parent_stage_index: 0 }),
  dial.stage({ index: 0, name: '\ude00', content: 'x' }, { name: 'lost' }),
  'data: {"choices":[{"index":0,"delta":{"content":"Grüße 😀"}}]}\r\n\r\n',
  dial.attachment({ index: 0, data: 'd' }),
  dial.state({ a: [1, { b: null }] }),
  dial.stage({ index: 1, content: '\ud83d', status: 'failed' }, { index: 0, status: 'completed' }),
  dial.last({ statistics: { usage_per_model: [{ index: 0, model: 'm', prompt_tokens: 1 }] } }),
  dial.done,
);

describe('cuts', () => {
  test.for<{ name: string; bytes: Uint8Array }>([
    { name: 'the stages of a real agent', bytes: capture('general-purpose-agent') },
    { name: 'an error after a stop', bytes: capture('boom1') },
    { name: 'everything at once', bytes: mixed },
  ])('[H1] $name, cut at every byte, and into single bytes, tells the same', ({ bytes }) => {
    const whole = hear([bytes]);
    expect(whole.length).toBeGreaterThan(3);
    const text = JSON.stringify(whole);
    const others = [...everyCut(bytes)].filter((pieces) => JSON.stringify(hear(pieces)) !== text);
    expect(others).toEqual([]);
  });

  test('[H1] any stages, right or wrong, cut anywhere, tell the same', () => {
    const piece = fc.record(
      {
        index: fc.oneof({ weight: 8, arbitrary: fc.nat(3) }, fc.constantFrom(-1, 'x', null)),
        name: fc.option(fc.string({ unit: 'binary', maxLength: 3 })),
        content: fc.string({ unit: 'grapheme', maxLength: 5 }),
        status: fc.constantFrom('completed', 'failed', 'open', null, 'odd'),
        parent_stage_index: fc.nat(4),
        attachments: fc.array(fc.oneof(fc.record({ data: fc.string() }), fc.anything({ maxDepth: 1 }))),
      },
      { requiredKeys: [] },
    );
    const frame = fc.oneof(
      fc.array(piece, { maxLength: 3 }).map((pieces) => dial.stage(...pieces)),
      fc.json({ maxDepth: 3 }).map((text) => dial.custom(JSON.parse(text))),
      fc.string({ unit: 'binary' }).map((text) => dial.text(text)),
      fc.constantFrom(dial.heartbeat, dial.stop, dial.error({ message: 'no' }), 'data: {\n\n', '\r'),
    );
    fc.assert(
      fc.property(
        fc.array(frame, { maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 6 }),
        (frames, places) => {
          const bytes = bytesOf(...frames, dial.done);
          expect(hear(anyCut(bytes, places))).toEqual(hear([bytes]));
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('reading', () => {
  const told = (...frames: string[]): unknown[] => hear([bytesOf(...frames, dial.stop, dial.done)]);

  test('usage is told with that of each model', () => {
    const usage_per_model = [
      { index: 0, model: 'gpt-4o', prompt_tokens: 10, completion_tokens: 5 },
      { index: 1, model: 'dall-e-3', prompt_tokens: 1, completion_tokens: 2 },
    ];
    const models = [
      { model: 'gpt-4o', input: 10, output: 5 },
      { model: 'dall-e-3', input: 1, output: 2 },
    ];
    const statistics = { usage_per_model, discarded_messages: [] };
    expect(told(dial.last({ statistics }))[0]).toEqual({
      type: 'usage.reported',
      usage: { input: 11, output: 7, models },
    });
    const sum = { input: 11, output: 7, models };
    expect(told(dial.last({ usage: null, statistics }))[0]).toEqual({ type: 'usage.reported', usage: sum });
  });

  test('messages that were left out, forms and statistics that cannot be read are told', () => {
    const notices = told(
      dial.custom({ form_schema: { type: 'object' } }),
      dial.custom({ form_schema: { type: 'object' } }),
      dial.last({ statistics: { discarded_messages: [1, 2], usage_per_model: 'many' } }),
    );
    expect(notices).toMatchObject([
      { code: 'UPSTREAM_UNSUPPORTED' },
      { code: 'UPSTREAM_MALFORMED', message: `${who} sent statistics whose usage_per_model cannot be read` },
      { code: 'HISTORY_SHORTENED', message: `${who} left out 2 of the messages it was sent.` },
      { type: 'usage.reported' },
      { type: 'turn.finished' },
    ]);
  });

  test('the latest state wins, and none is told where there is none', () => {
    const states = told(dial.state({ turn: 1 }), dial.state(null), dial.state({ turn: 2 }));
    expect(states).toEqual([
      { type: 'state.reported', state: { turn: 1 } },
      { type: 'state.reported', state: { turn: 2 } },
      { type: 'turn.finished', reason: 'stop' },
    ]);
  });

  test('[A4] nesting that would overflow the stack of whoever writes it is not read', () => {
    const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
    const frame = `data: {"choices":[{"delta":{"custom_content":{"state":${deep}}}}]}\n\n`;
    expect(told(frame)).toMatchObject([{ code: 'UPSTREAM_MALFORMED' }, { type: 'turn.finished' }]);
    const fair = `${'['.repeat(400)}${']'.repeat(400)}`;
    const [state] = told(frame.replace(deep, fair));
    expect(JSON.stringify(state)).toContain(fair);
  });

  test.for<{ name: string; frame: (i: number) => string; what: string }>([
    { name: 'stages', frame: (index) => dial.stage({ index, name: 'x' }), what: 'stages' },
    {
      name: 'uses of one stage',
      frame: () => dial.stage({ index: 0, name: 'x', status: 'completed' }),
      what: 'stages',
    },
    { name: 'attachments', frame: () => dial.attachment({ data: 'x' }), what: 'attachments' },
  ])('[A4] more than 10000 $name are too many', ({ frame, what }) => {
    const frames = (count: number): Uint8Array =>
      bytesOf(...Array.from({ length: count }, (_, i) => frame(i)));
    expect(hear([frames(10_000)]).at(-1)).not.toHaveProperty('code');
    expect(hear([frames(10_001)]).at(-1)).toMatchObject({
      code: 'too-large',
      message: expect.stringContaining(`more than 10000 ${what}`),
    });
  });

  test('[A4] [X24] more than 500 stages in one event are too many to be read in one go', () => {
    const pieces = Array.from({ length: 501 }, (_, index) => ({ index, name: 'n' }));
    expect(hear([bytesOf(dial.stage(...pieces))])).toEqual([
      {
        code: 'too-large',
        message: `${who} sent 501 stages or attachments in one event; 500 are allowed.`,
      },
    ]);
  });

  test('[A4] ten notices are enough for an answer in which nothing can be read', () => {
    const events = told(...Array.from({ length: 50 }, () => dial.stage({ name: 'no index' })));
    expect(events).toHaveLength(12);
    expect(events.at(-2)).toMatchObject({ message: `${who} sent 40 more pieces that cannot be read.` });
  });
});
