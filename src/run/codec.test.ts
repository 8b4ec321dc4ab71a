import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries, anyEvent, anyJson, everyKind } from '../../test/arbitraries.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import { RunEvent, type Entry } from './events.ts';
import { foldAll, decodeAll, encode, encodeAll, framesAfter } from './entries.ts';

function textEntry(text: string): Entry {
  return { seq: 1, at: 5, event: { type: 'text.appended', step: 3, channel: 'content', text } };
}

test('[F20] entries of every kind are read as they were written', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(anyEntries, (entries) => {
      for (const { event } of entries) seen.add(event.type);
      expect(decodeAll(encodeAll(entries))).toEqual(entries);
    }),
  );
  expect([...seen].toSorted()).toEqual(everyKind.toSorted());
});

test('[F20] what is written is what the schema takes', () => {
  fc.assert(
    fc.property(anyEvent, (event) => {
      expect(RunEvent.safeParse(event).error).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('[F20] a tree folded from what was read is the tree of what was written', () => {
  fc.assert(
    fc.property(fc.oneof(anyEntries, plausibleRun), (entries) => {
      expect(foldAll(decodeAll(encodeAll(entries)))).toEqual(foldAll(entries));
    }),
  );
});

test('[F21] a frame is an id, one line of data and an empty line, whatever is in it', () => {
  fc.assert(
    fc.property(anyEntries, (entries) => {
      for (const entry of entries) expect(encode(entry)).toMatch(/^id: \d+\ndata: [^\r\n]+\n\n$/);
    }),
  );
});

const odd = [
  '',
  '\ud800',
  'a\udc00',
  '\u2028\u2029',
  '\0',
  '\r',
  '\n',
  '\r\n\r\n',
  '\n\nid: 2\ndata: {}\n\n',
  '\ufeff',
  '😀',
];
test.for(odd.map((text) => ({ text, name: JSON.stringify(text) })))(
  '[F21] text $name comes back whole',
  ({ text }) => {
    expect(decodeAll(encode(textEntry(text)) + encode({ ...textEntry('next'), seq: 2 }))).toEqual([
      textEntry(text),
      { ...textEntry('next'), seq: 2 },
    ]);
  },
);

test('[F22] frames cut at any cursor are the frames of the entries after it', () => {
  const chunk = fc.tuple(fc.oneof(anyEntries, plausibleRun), fc.integer({ min: 0, max: 120 }));
  fc.assert(
    fc.property(chunk, ([numbered, before]) => {
      const entries = numbered.map((entry) => ({ ...entry, seq: entry.seq + before }));
      const frames = encodeAll(entries);
      for (let cursor = 0; cursor <= before + entries.length + 1; cursor += 1) {
        const rest = entries.filter(({ seq }) => seq > cursor);
        expect(framesAfter(frames, cursor)).toBe(encodeAll(rest));
      }
    }),
    { numRuns: 30 },
  );
});

test('[F22] frames of two chunks joined are the frames of all', () => {
  fc.assert(
    fc.property(anyEntries, fc.nat({ max: 60 }), (entries, cut) => {
      expect(encodeAll(entries.slice(0, cut)) + encodeAll(entries.slice(cut))).toBe(encodeAll(entries));
    }),
  );
});

test('[F23] text of an answer takes few bytes', () => {
  const entry = { ...textEntry('hello'), at: 1_794_000_000_000 };
  expect(encode(entry)).toBe('id: 1\ndata: {"t":1794000000000,"s":3,"x":"hello"}\n\n');
});

test('[F23] text with more to it than the short form holds keeps everything', () => {
  const entry: Entry = {
    seq: 1,
    at: 5,
    event: { type: 'text.appended', step: 3, channel: 'content', text: 'x', tool: 'search' },
  };
  expect(decodeAll(encode(entry))).toEqual([entry]);
});

test('[F24] an event of an unknown kind is written back as it was read, byte for byte', () => {
  fc.assert(
    fc.property(anyJson, fc.constantFrom('step.dreamt', 'unknown', '__proto__', 7), (more, type) => {
      const frame = `id: 4\ndata: ${JSON.stringify({ t: 9, e: { type, more } })}\n\n`;
      const [entry] = decodeAll(frame);
      expect(entry?.event.type).toBe('unknown');
      expect(entry && encode(entry)).toBe(frame);
    }),
  );
});

test('[F21] a frame that was cut short is not taken for a whole one', () => {
  const frames = encodeAll([textEntry('hello'), { ...textEntry('world'), seq: 2 }]);
  for (let length = frames.length - 3; length > frames.length - 20; length -= 1) {
    expect(() => decodeAll(frames.slice(0, length))).toThrow(SyntaxError);
  }
});
