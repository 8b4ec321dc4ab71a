import { Slice, type Piece } from './channel.ts';

/**
 * A piece in blocks. Whoever reads it gets the rest of the block they are in and then whole blocks, which are the same
 * for everyone: thousands who catch up at once share what they are sent.
 */
export function inBlocks(piece: Piece, size: number): Piece {
  const blocks: { readonly first: number; readonly slice: Slice }[] = [];
  for (let at = piece.first - 1; at < piece.last;) {
    const { text, last } = piece.from(at, size);
    blocks.push({ first: at + 1, slice: new Slice(detached(text), last) });
    at = last;
  }
  return {
    first: piece.first,
    last: piece.last,
    size: piece.size,
    text: (after, until) => piece.text(after, until),
    from(after) {
      const block = blocks.findLast(({ first }) => first <= after + 1) ?? blocks[0];
      if (!block) return new Slice('', piece.last);
      const { first, slice } = block;
      return after < first ? slice : new Slice(detached(piece.text(after, slice.last)), slice.last);
    },
  };
}

/** A part of a string holds the whole in memory, for as long as anyone waits with it. */
function detached(text: string): string {
  return Buffer.from(text).toString();
}
