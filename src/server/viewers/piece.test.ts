import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLinear } from '../../../test/growth.ts';
import type { Entry } from '../../run/events.ts';
import { nativePiece, toldPiece, type Piece } from './channel.ts';
import { encodeAll } from '../../run/entries.ts';

const texts = fc.array(fc.string({ maxLength: 60, unit: 'binary' }), { minLength: 1, maxLength: 40 });
const place = (largest: number) =>
  fc.record({
    start: fc.integer({ min: 1, max: 2_000 }),
    most: fc.integer({ min: 1, max: largest }),
    cut: fc.nat(),
  });

function entriesOf(start: number, said: readonly string[]): Entry[] {
  return said.map((text, i) => ({
    seq: start + i,
    at: 1,
    event: { type: 'text.appended', step: 1, channel: i % 2 === 0 ? 'content' : 'log', text },
  }));
}

/** Everything a viewer gets who takes slices of some size, from a cursor on. */
function taken(piece: Piece, after: number, most: number): string {
  let text = '';
  for (let at = after; at < piece.last;) {
    const slice = piece.from(at, most);
    expect(slice.last).toBeGreaterThan(at);
    text += slice.text;
    at = slice.last;
  }
  return text;
}

test('slices of any size, from any cursor, are together what comes after the cursor', () => {
  fc.assert(
    fc.property(texts, place(400), (said, { start, most, cut }) => {
      const entries = entriesOf(start, said);
      const piece = nativePiece({ first: start, last: start + said.length - 1, frames: encodeAll(entries) });
      const after = start - 1 + (cut % (said.length + 1));
      expect(taken(piece, after, most)).toBe(encodeAll(entries.filter(({ seq }) => seq > after)));
    }),
  );
});

test('a slice ends with a whole entry, and one that is too long alone', () => {
  const frames = encodeAll(entriesOf(1, ['short', 'x'.repeat(500), 'short']));
  const piece = nativePiece({ first: 1, last: 3, frames });
  expect(piece.from(0, 100).last).toBe(1);
  expect(piece.from(1, 100).last).toBe(2);
  expect(piece.from(2, 100)).toMatchObject({ last: 3 });
});

test('a viewer from before the piece gets all of it', () => {
  const frames = encodeAll(entriesOf(5, ['a', 'b']));
  expect(nativePiece({ first: 5, last: 6, frames }).from(2, 10_000)).toEqual({ text: frames, last: 6 });
});

test('told frames are cut where entries end, also those of entries that tell nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 30 }), { minLength: 1, maxLength: 30 }),
      place(120),
      (frames, { start, most, cut }) => {
        const ends: number[] = [];
        let length = 0;
        for (const frame of frames) ends.push((length += frame.length));
        const piece = toldPiece(start, frames.join(''), ends);
        const from = cut % (frames.length + 1);
        expect(piece.last).toBe(start + frames.length - 1);
        expect(taken(piece, start - 1 + from, most)).toBe(frames.slice(from).join(''));
      },
    ),
  );
});

test('[L12] reading a long piece on costs what it is long', () => {
  const work = (size: number): void => {
    const said = Array.from({ length: size / 100 }, () => 'x'.repeat(100));
    const piece = nativePiece({ first: 1, last: said.length, frames: encodeAll(entriesOf(1, said)) });
    for (let at = 0; at < piece.last;) at = piece.from(at, 1_000).last;
  };
  expect(isLinear(work, 50_000, 16)).toBe(true);
});
