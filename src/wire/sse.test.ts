import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type SseEvent, sseReader, SseTooLarge } from './sse.ts';

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function readAll(chunks: readonly Uint8Array[], limit?: number): { events: SseEvent[]; isTooLarge: boolean } {
  const reader = sseReader(limit);
  const events: SseEvent[] = [];
  try {
    for (const chunk of chunks) reader.read(chunk, (event) => events.push(event));
  } catch (error) {
    if (!(error instanceof SseTooLarge)) throw error;
    return { events, isTooLarge: true };
  }
  return { events, isTooLarge: false };
}

function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const edges = [0, ...places.map((place) => place % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
  return edges.slice(1).map((edge, i) => bytes.slice(edges[i], edge));
}

/** The same rules, the slow way: everything decoded at once and looked at as text. */
function readSlowly(bytes: Uint8Array): SseEvent[] {
  const events: SseEvent[] = [];
  let data: string[] = [];
  let event = '';
  let id = '';
  const lines = new TextDecoder().decode(bytes).split(/\r\n|\r|\n/);
  for (const line of lines.slice(0, -1)) {
    const [, field = '', value = ''] = /^([^:]*):? ?([^]*)$/.exec(line) ?? [];
    if (line === '') {
      if (data.length > 0) events.push({ event: event || 'message', data: data.join('\n'), id });
      data = [];
      event = '';
    } else if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
    else if (field === 'id' && !value.includes('\0')) id = value;
  }
  return events;
}

const pieces = fc.oneof(
  fc
    .constantFrom(
      'data',
      'data:',
      'data: ',
      'event: ',
      'id: ',
      'id: \0',
      'retry: 5',
      ':',
      ': ping',
      'x: y',
      ' ',
    )
    .map(bytesOf),
  fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\uFEFF', '{"a":1}', 'é', '😀', '\0').map(bytesOf),
  fc.string({ unit: 'binary' }).map(bytesOf),
  fc
    .constantFrom([0xff], [0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0x80])
    .map((list) => Uint8Array.from(list)),
);
const streams = fc
  .array(pieces, { maxLength: 40 })
  .map((list) => Uint8Array.from(list.flatMap((piece) => [...piece])));

describe('reading', () => {
  test.for<{ name: string; text: string; data: string[] }>([
    { name: 'one event', text: 'data: a\n\n', data: ['a'] },
    { name: 'several lines of data', text: 'data: a\ndata: b\n\n', data: ['a\nb'] },
    {
      name: 'no space after the colon, and only one taken away',
      text: 'data:a\n\ndata:  b\n\n',
      data: ['a', ' b'],
    },
    { name: 'data without a colon', text: 'data\n\n', data: [''] },
    {
      name: 'carriage returns, alone and with line feeds',
      text: 'data: a\r\rdata: b\r\n\r\ndata: c\n\n',
      data: ['a', 'b', 'c'],
    },
    { name: 'comments and unknown fields are skipped', text: ': ping\n\nfoo: bar\ndata: a\n\n', data: ['a'] },
    {
      name: 'a byte order mark at the start only',
      text: '\uFEFFdata: a\n\ndata: \uFEFFb\n\n',
      data: ['a', '\uFEFFb'],
    },
    { name: 'an event that is not closed is not told', text: 'data: a\n\ndata: b\n', data: ['a'] },
    { name: 'an event without data is not told', text: 'event: x\n\ndata: a\n\n', data: ['a'] },
  ])('$name', ({ text, data }) => {
    expect(readAll([bytesOf(text)]).events.map((event) => event.data)).toEqual(data);
  });

  test('the name holds for one event, the id until another comes', () => {
    const text = 'event: step\nid: 7\ndata: a\n\ndata: b\n\nid: 8\0\ndata: c\n\n';
    expect(readAll([bytesOf(text)]).events).toEqual([
      { event: 'step', data: 'a', id: '7' },
      { event: 'message', data: 'b', id: '7' },
      { event: 'message', data: 'c', id: '7' },
    ]);
  });

  test('bytes that are not UTF-8 become replacement characters', () => {
    const bytes = Uint8Array.from([...bytesOf('data: '), 0xff, 0x61, 0xe2, 0x82, 10, 10]);
    expect(readAll([bytes]).events[0]?.data).toBe('\uFFFDa\uFFFD');
  });

  test('any cut of any stream reads as the slow reader reads it whole', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        expect(readAll(cut(bytes, places)).events).toEqual(readSlowly(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  test('one byte at a time reads the same', () => {
    fc.assert(
      fc.property(streams, (bytes) => {
        expect(readAll([...bytes].map((byte) => Uint8Array.of(byte))).events).toEqual(readSlowly(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('a chunk may be overwritten after it was read', () => {
    const reader = sseReader();
    const events: SseEvent[] = [];
    const chunk = bytesOf('data: half');
    reader.read(chunk, (event) => events.push(event));
    chunk.fill(0);
    reader.read(bytesOf(' whole\n\n'), (event) => events.push(event));
    expect(events[0]?.data).toBe('half whole');
  });
});

describe('limits', () => {
  test.for<{ name: string; text: string; isTooLarge: boolean }>([
    { name: 'a line of exactly the limit is read', text: `data: ${'x'.repeat(10)}\n\n`, isTooLarge: false },
    { name: 'a line over the limit is refused', text: `data: ${'x'.repeat(11)}\n\n`, isTooLarge: true },
    {
      name: 'a line over the limit is refused before its end comes',
      text: `data: ${'x'.repeat(11)}`,
      isTooLarge: true,
    },
    { name: 'a comment over the limit is refused', text: `:${'x'.repeat(16)}\n`, isTooLarge: true },
    {
      name: 'short lines that make a long event are refused',
      text: 'data: abcd\n'.repeat(4),
      isTooLarge: true,
    },
    { name: 'empty lines of data without end are refused', text: 'data\n'.repeat(18), isTooLarge: true },
    { name: 'many short events are no long one', text: 'data: abcd\n\n'.repeat(50), isTooLarge: false },
  ])('$name', ({ text, isTooLarge }) => {
    expect(readAll([bytesOf(text)], 16).isTooLarge).toBe(isTooLarge);
  });

  test('where a stream is refused, and what was told before, does not depend on the cut', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        expect(readAll(cut(bytes, places), 8)).toEqual(readAll([bytes], 8));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('where what is too long is left out', () => {
  function readOn(chunks: readonly Uint8Array[], limit: number): unknown[] {
    const reader = sseReader(limit);
    const heard: unknown[] = [];
    for (const chunk of chunks)
      reader.read(
        chunk,
        ({ data }) => heard.push(data),
        () => heard.push(null),
      );
    return heard;
  }

  test.for<{ name: string; text: string; heard: unknown[] }>([
    {
      name: 'a line',
      text: `data: a\n\ndata: ${'x'.repeat(99)}\n\ndata: b\n\n`,
      heard: ['a', null, 'b'],
    },
    {
      name: 'many lines',
      text: `data: a\n\n${'data: abcd\n'.repeat(9)}\ndata: b\n\n`,
      heard: ['a', null, 'b'],
    },
    {
      name: 'a line among others of its event',
      text: `data: a\ndata: ${'x'.repeat(99)}\ndata: c\n\ndata: b\n\n`,
      heard: [null, 'b'],
    },
    { name: 'what never ends', text: `data: a\n\ndata: ${'x'.repeat(99)}`, heard: ['a', null] },
  ])('[A21] $name costs its event and no other, wherever it is cut', ({ text, heard }) => {
    const bytes = bytesOf(text);
    expect(readOn([bytes], 16)).toEqual(heard);
    expect(
      readOn(
        [...bytes].map((byte) => Uint8Array.of(byte)),
        16,
      ),
    ).toEqual(heard);
  });

  test('[A21] what is heard does not depend on the cut', () => {
    fc.assert(
      fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (bytes, places) => {
        expect(readOn(cut(bytes, places), 8)).toEqual(readOn([bytes], 8));
      }),
      { numRuns: 1000 },
    );
  });
});

test.for([
  ['retry: 1500\n\n', 1500],
  ['retry: 1500\nretry:20\r\ndata: x\n\n', 20],
  ['retry: soon\n\n', undefined],
  ['retry: -1\nretry: 1.5\n\n', undefined],
  ['data: x\n\n', undefined],
] as const)('how soon to come back is read from %j', ([text, expected]) => {
  const reader = sseReader();
  for (const byte of bytesOf(text)) reader.read(Uint8Array.of(byte), () => {});
  expect(reader.retry).toBe(expected);
});
