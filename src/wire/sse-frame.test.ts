import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyText } from '../../test/arbitraries.ts';
import { sseText, sseTexts, type SseFrame } from './sse-frame.ts';
import { sseReader, type SseEvent } from './sse.ts';

function read(text: string): SseEvent[] {
  const events: SseEvent[] = [];
  sseReader().read(new TextEncoder().encode(text), (event) => events.push(event));
  return events;
}

const hostile = fc.oneof(
  anyText,
  fc.constantFrom('a\nevent: b', 'a\r\ndata: {}', '\n\nid: 9\n\n', ': x', 'é\u0085'),
);

test('a frame is read back as it was written', () => {
  expect(sseText({ event: 'run.start', id: 7, data: '{"a":1}' })).toBe(
    'event: run.start\nid: 7\ndata: {"a":1}\n\n',
  );
  expect(sseText({ data: '{}' })).toBe('data: {}\n\n');
  expect(read(sseText({ event: 'message', id: 12, data: '"x"' }))).toEqual([
    { event: 'message', id: '12', data: '"x"' },
  ]);
});

test('[S15] whatever stands in names and data, one frame is one event', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ event: hostile, value: hostile, id: fc.nat() })), (all) => {
      const frames = all.map(({ event, value, id }): SseFrame => ({
        event,
        id,
        data: JSON.stringify(value),
      }));
      const events = read(sseTexts(frames));
      expect(events.map(({ id, data }) => ({ id, data }))).toEqual(
        frames.map(({ id, data }) => ({ id: String(id), data })),
      );
      for (const { event } of events) expect(event).toMatch(/^[\w.:-]+$/);
    }),
    { numRuns: 500 },
  );
});

test('[S15] data with line ends of any kind stays within its frame', () => {
  fc.assert(
    fc.property(hostile, hostile, (first, second) => {
      const events = read(sseTexts([{ data: `x${first}` }, { data: `y${second}`, id: 3 }]));
      expect(events.map(({ data }) => data)).toEqual([readable(`x${first}`), readable(`y${second}`)]);
    }),
    { numRuns: 300 },
  );
});

/** What UTF-8 and the format can carry: line ends become one kind, half characters the mark for unreadable ones. */
function readable(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').toWellFormed();
}

test.for([Number.NaN, -1, 1.5, Infinity, 2 ** 60])('[S15] %d is not written as an id', (id) => {
  expect(() => sseText({ data: '{}', id })).toThrow('is not a cursor');
});
