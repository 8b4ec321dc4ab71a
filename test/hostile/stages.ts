// Floods of stages, as DIAL's agents tell them: so many pieces in each chunk, and no end.
export type Flood = 'wide' | 'nested' | 'untidy';

interface Piece {
  readonly index: number;
  readonly name?: string;
  readonly content?: string;
  readonly status?: string;
  readonly parent_stage_index?: number;
  readonly attachments?: readonly object[];
}

const perChunk = 400;

export const stages: Readonly<Record<Flood, (chunk: number) => readonly Piece[]>> = {
  /** One above all others is closed first; then each below it, in order. */
  wide(chunk) {
    const opened = 4_000;
    const at = chunk * perChunk;
    if (chunk === 0) return [{ index: 0, name: 'all' }];
    if (at === opened) return [{ index: 0, status: 'completed' }];
    return pieces(at, (index) =>
      index < opened
        ? { index, name: 'w', parent_stage_index: 0 }
        : { index: index - opened, status: 'completed' },
    );
  },
  /** Each below the one before. */
  nested: (chunk) =>
    pieces(chunk * perChunk, (index) => ({ index, name: 'n', parent_stage_index: Math.max(0, index - 1) })),
  /** Opened twice, closed twice, written to when closed, below what is not there, with attachments of nothing. */
  untidy: (chunk) =>
    pieces(chunk * perChunk, (i) => ({
      index: i % 50,
      name: 'u',
      content: 'x'.repeat(20),
      status: i % 3 === 0 ? 'completed' : 'open',
      parent_stage_index: 1_000_000 + i,
      attachments: [{}, { data: 'x' }],
    })),
};

function pieces(from: number, each: (i: number) => Piece): readonly Piece[] {
  return Array.from({ length: perChunk }, (_, k) => each(from + k));
}
