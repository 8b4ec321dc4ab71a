import { RunError } from '../../run/failure.ts';
import type { Journal } from '../../stores/store.ts';
import { inBlocks } from './page.ts';
import { shelfOf } from './shelf.ts';
import { nativePiece, type Piece } from './channel.ts';
import { blockSize } from './viewer.ts';

/** Pages of journals, read once for all who catch up: thousands who come back at once cost a few reads. */
export interface Archive {
  /** A piece that holds the entry after `after`. */
  page(run: string, after: number): Promise<Piece>;
  /** The run is gone. */
  forget(run: string): void;
}

/** How many bytes are kept, and how many reads are under way at once. */
const room = 24 * 1024 * 1024;
const readers = 4;
/** Pages begin at round numbers, so that viewers who are near each other share them. */
const grid = 1_024;

export function archiveOf(journal: Pick<Journal, 'read'>): Archive {
  const shelf = shelfOf(room);
  const reading = new Map<string, Promise<Piece | undefined>>();
  const inTurn = turnstile(readers);

  const read = async (run: string, after: number): Promise<Piece | undefined> => {
    const chunks = await inTurn(() => journal.read(run, after));
    const [first] = chunks;
    const last = chunks.at(-1);
    if (!first || !last) return undefined;
    const frames = chunks.map((chunk) => chunk.frames).join('');
    const page = inBlocks(nativePiece({ first: first.first, last: last.last, frames }), blockSize);
    shelf.put(run, page);
    return page;
  };
  const readOnce = (run: string, after: number): Promise<Piece | undefined> => {
    const key = `${after} ${run}`;
    const known = reading.get(key);
    if (known) return known;
    const fresh = read(run, after).finally(() => reading.delete(key));
    reading.set(key, fresh);
    return fresh;
  };

  return {
    async page(run, after) {
      const near = shelf.find(run, after) ?? (await readOnce(run, after - (after % grid)));
      if (near && near.last > after) return near;
      const page = shelf.find(run, after) ?? (await readOnce(run, after));
      if (page) return page;
      throw new RunError('unknown', `Run ${run} has no entry ${after + 1}.`);
    },
    forget: (run) => shelf.forget(run),
  };
}

/** At most so many at once; the others wait in line. */
function turnstile(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async (work) => {
    if (inside >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else inside += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else inside -= 1;
    }
  };
}
