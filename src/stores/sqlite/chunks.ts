import type { DatabaseSync } from 'node:sqlite';
import { type Summed, change, query, chunkSum, noSum, sumOf } from './rows.ts';
import { isCorrupt, damagedAfter, damagedCommand } from './damage.ts';
import type { RunRows } from './runs.ts';
import { type Tables, pageSize } from '../rules/tables.ts';
import type { Chunk, Receipt } from '../store.ts';
import { chunkRemoval, placedIds } from './chunk-removal.ts';

export interface KeptChunk extends Omit<Summed, 'run'> {
  readonly sum: string | null;
}

/** The chunks of runs, which are known here by their numbers. */
export interface KeptChunks {
  /** Gives the chunk's id. */
  add(run: number, chunk: Omit<Summed, 'run'>, sum: string): number;
  /** The last one that ends at an entry, or before it. */
  endingAt(run: number, seq: number): Pick<KeptChunk, 'last' | 'sum'> | undefined;
  /** Those with entries after one, in order. */
  after(run: number, seq: number): Iterable<KeptChunk>;
  remove(run: number): void;
  /** A transaction was undone. */
  forget(): void;
}

/** Which chunk it is, and its last entry. */
interface Place {
  readonly id: number;
  readonly last: number;
}

interface Fresh extends Place {
  readonly run: number;
}

/** So many come before all of them are put into the index: a few for each run that streams, and read in a moment. */
const placedTogether = 1_000;

/** So many stand in one row of the index at most: whoever looks for one of them reads them all. */
const placedInOne = 64;

/** The ids of all chunks of the run called `number`, those that are not in the index yet among them. */
export const chunkIds = `${placedIds} number
  UNION ALL SELECT id FROM chunk WHERE id > (SELECT upTo FROM placed) AND chunk.run = number`;

/**
 * Chunks lie in the order of commits, and an index says where those of a run lie. In that each run has its own end, so it
 * would cost every commit a page for each run that it is about: chunks are put into it many at a time, those of a run in one
 * row. The few that came since are known by heart to the only writer; anyone else looks through them.
 */
export function keptChunks(database: DatabaseSync, remember: boolean): KeptChunks {
  const insert = database.prepare(
    'INSERT INTO chunk (run, first, last, at, frames, sum) VALUES (?, ?, ?, ?, ?, ?)',
  );
  const one = query<KeptChunk>(database, 'SELECT first, last, at, frames, sum FROM chunk WHERE id = ?');
  const end = query<Pick<KeptChunk, 'last' | 'sum'>>(database, 'SELECT last, sum FROM chunk WHERE id = ?');
  const placed = placedChunks(database);
  const fresh = freshChunks(database, remember);
  const look = chunksIn(database);
  const removal = chunkRemoval(database, (run) => look(run, 0));
  return {
    add(run, { first, last, at, frames }, sum) {
      const { lastInsertRowid } = insert.run(run, first, last, at, frames, sum);
      const id = Number(lastInsertRowid);
      fresh.add({ run, id, last });
      return id;
    },
    endingAt(run, seq) {
      const found = fresh.of(run).findLast(({ last }) => last <= seq);
      for (const places of [found ? [found] : [], placed.endingBy(run, seq)])
        for (const { id, last } of places) {
          const chunk = end.one(id);
          // What a disk has made something else of is passed by: those before it are good all the same.
          if (chunk?.last === last) return chunk;
        }
      return undefined;
    },
    *after(run, seq) {
      let reached = seq;
      for (const places of [placed.after(run, seq), fresh.of(run)])
        for (const { id, last } of places) {
          const chunk = last > reached ? one.one(id) : undefined;
          if (!chunk || chunk.last <= reached) continue;
          yield chunk;
          reached = chunk.last;
        }
    },
    remove(run) {
      fresh.place();
      removal(run);
    },
    forget: () => fresh.forget(),
  };
}

interface PlacedChunks {
  /** Those that end at an entry, or before it, the last one first. */
  endingBy(run: number, seq: number): Iterable<Place>;
  /** Those with entries after one, in order. */
  after(run: number, seq: number): Iterable<Place>;
}

/** What the index says. */
function placedChunks(database: DatabaseSync): PlacedChunks {
  const select = 'SELECT ends, chunks FROM chunkPlace WHERE run = ?';
  const rowsAfter = query<PlacedRow>(database, `${select} AND last > ? ORDER BY last`);
  const rowsBefore = query<PlacedRow>(database, `${select} AND last <= ? ORDER BY last DESC`);
  const first = query<PlacedRow>(database, `${select} AND last > ? ORDER BY last LIMIT 1`);
  return {
    *endingBy(run, seq) {
      if (seq === 0) return;
      yield* placesIn(first.one(run, seq))
        .filter(({ last }) => last <= seq)
        .toReversed();
      for (const row of rowsBefore.each(run, seq)) yield* placesIn(row).toReversed();
    },
    *after(run, seq) {
      for (const row of rowsAfter.each(run, seq))
        for (const place of placesIn(row)) if (place.last > seq) yield place;
    },
  };
}

interface PlacedRow {
  readonly ends: string;
  readonly chunks: string;
}

/** None where a disk has made something else of it: one end too few, and each would be taken for that of another chunk. */
function placesIn(row: PlacedRow | undefined): readonly Place[] {
  if (!row) return [];
  const [ends = [], chunks = []] = [row.ends, row.chunks].map(numbersIn);
  return ends.length === chunks.length ? chunks.map((id, i) => ({ id, last: ends[i] ?? 0 })) : [];
}

function numbersIn(text: string): readonly number[] {
  try {
    const numbers: unknown = JSON.parse(text);
    return Array.isArray(numbers) ? numbers.map((number) => (typeof number === 'number' ? number : 0)) : [];
  } catch {
    // What is missed is told by whoever needs it.
    return [];
  }
}

interface FreshChunks {
  add(chunk: Fresh): void;
  of(run: number): readonly Fresh[];
  /** Put all of them into the index. */
  place(): void;
  forget(): void;
}

function freshChunks(database: DatabaseSync, remember: boolean): FreshChunks {
  const lookAfter = chunksIn(database);
  const look = (run?: number): readonly Fresh[] => lookAfter(run);
  const index = placing(database);
  let known: Map<number, Fresh[]> | undefined;
  let count = 0;
  const note = (chunk: Fresh): void => {
    const others = known?.get(chunk.run);
    if (others) others.push(chunk);
    else known?.set(chunk.run, [chunk]);
    count += 1;
  };
  const knowAll = (): Map<number, Fresh[]> => {
    if (known) return known;
    known = new Map();
    count = 0;
    for (const chunk of look()) note(chunk);
    return known;
  };
  const place = (): void => {
    if (knowAll().size > 0) index(knowAll());
    known = undefined;
  };
  return {
    add(chunk) {
      // What is not known yet is found with the others.
      if (known) note(chunk);
      else if (remember) knowAll();
      if (count >= placedTogether) place();
    },
    of: (run) => (remember ? (knowAll().get(run) ?? []) : look(run)),
    place,
    forget: () => (known = undefined),
  };
}

/**
 * Looks through those after an id: unless told otherwise, those that are not in the index. Where a page makes no sense, those
 * on the others are found all the same.
 */
function chunksIn(database: DatabaseSync): (run?: number, after?: number) => readonly Fresh[] {
  const select = 'SELECT run, id, last FROM chunk WHERE';
  const fresh = 'id > coalesce(?, (SELECT upTo FROM placed))';
  const all = query<Fresh>(database, `${select} ${fresh} ORDER BY id`);
  const ofRun = query<Fresh>(database, `${select} ${fresh} AND run = ? ORDER BY id`);
  const one = query<Fresh>(database, `${select} id = ?`);
  const ends = query<{ readonly first: number; readonly last: number }>(
    database,
    'SELECT coalesce(?, upTo) + 1 AS first, (SELECT coalesce(max(chunk), 0) FROM head) AS last FROM placed',
  );
  return (run, after) => {
    const from = after ?? null;
    const found = unlessCorrupt(() => (run === undefined ? all.all(from) : ofRun.all(from, run)));
    if (found) return found;
    const readable: Fresh[] = [];
    const { first, last } = ends.one(from) ?? { first: 1, last: 0 };
    for (let id = first; id <= last; id += 1) {
      const chunk = unlessCorrupt(() => one.one(id));
      if (chunk && (run === undefined || chunk.run === run)) readable.push(chunk);
    }
    return readable;
  };
}

/** In the order of the index, so that each of its pages is looked for once. */
function placing(database: DatabaseSync): (ofRuns: ReadonlyMap<number, readonly Fresh[]>) => void {
  const insert = change(
    database,
    'INSERT OR IGNORE INTO chunkPlace (run, last, ends, chunks) VALUES (?, ?, ?, ?)',
  );
  const move = change(database, 'UPDATE placed SET upTo = ?');
  return (ofRuns) => {
    let upTo = 0;
    for (const [run, all] of [...ofRuns].toSorted(([one], [other]) => one - other))
      for (let from = 0; from < all.length; from += placedInOne) {
        const part = all.slice(from, from + placedInOne);
        const [ends, ids] = [part.map(({ last }) => last), part.map(({ id }) => id)];
        insert(run, ends.at(-1) ?? 0, JSON.stringify(ends), JSON.stringify(ids));
        upTo = Math.max(upTo, ...ids);
      }
    move(upTo);
  };
}

function unlessCorrupt<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
    return undefined;
  }
}

/** The journals of runs, each chunk chained to the one before. */
export function chunkRows(runs: RunRows, kept: KeptChunks): Pick<Tables, 'addChunk' | 'chunksAfter'> {
  return {
    addChunk(chunk, at) {
      const { run, last, frames } = chunk;
      const { number, sum: previous } = runs.head(run);
      const sum = chunkSum(previous, { ...chunk, at });
      const id = kept.add(number, { ...chunk, at }, sum);
      runs.moveHead(run, { chunk: id, last, sum, bytes: Buffer.byteLength(frames) }, at);
    },
    chunksAfter(run, seq) {
      const head = runs.head(run);
      const chunks: Chunk[] = [];
      let end = { last: 0, sum: noSum };
      try {
        const { last, sum } = kept.endingAt(head.number, seq) ?? end;
        end = { last, sum: sum ?? noSum };
        let size = 0;
        for (const { sum: found, at, ...place } of kept.after(head.number, seq)) {
          const chunk = { run, ...place };
          if (chunk.first !== end.last + 1 || found !== chunkSum(end.sum, { ...chunk, at })) break;
          chunks.push(chunk);
          end = { last: chunk.last, sum: found };
          size += chunk.frames.length;
          if (size >= pageSize) return chunks;
        }
      } catch (thrown) {
        if (!isCorrupt(thrown)) throw thrown;
      }
      const isWhole = end.last === head.last && end.sum === head.sum;
      // What is good is given first; whoever comes back for more is told.
      if (!isWhole && chunks.length === 0)
        throw damagedAfter({ run, state: head.state }, Math.min(seq, end.last));
      return chunks;
    },
  };
}

export interface StoredCommand {
  readonly id: string;
  readonly used: number | null;
  readonly command: string;
  readonly sum: string | null;
}

export function commandRows(
  database: DatabaseSync,
  runs: RunRows,
  isSound: boolean,
): Pick<Tables, 'command' | 'addCommand' | 'useCommand' | 'pending' | 'hasPending'> {
  const select = `SELECT id, used, command, sum FROM command ${isSound ? '' : 'NOT INDEXED'}`;
  const byId = query<StoredCommand>(database, `${select} WHERE run = ? AND id = ?`);
  const pending = query<StoredCommand>(database, `${select} WHERE run = ? AND used IS NULL ORDER BY number`);
  const nobodys = query(database, "SELECT 1 FROM command NOT INDEXED WHERE typeof(run) <> 'integer'");
  const insert = change(database, 'INSERT INTO command (run, id, command, sum) VALUES (?, ?, ?, ?)');
  const use = change(database, 'UPDATE command SET used = ?, sum = ? WHERE run = ? AND id = ?');
  return {
    command(run, id) {
      const row = byId.one(runs.number(run), id);
      if (!row && !isSound) throw damagedCommand(run, id);
      return row && { id: row.id, used: row.used, command: commandOf(run, row) };
    },
    addCommand({ run, id, command }) {
      const text = JSON.stringify(command);
      insert(runs.number(run), id, text, sumOf(run, id, text, null));
    },
    useCommand(run, id, seq) {
      const number = runs.number(run);
      const text = byId.one(number, id)?.command ?? '';
      use(seq, sumOf(run, id, text, seq), number, id);
    },
    pending(run) {
      const rows = pending.all(runs.number(run));
      // A command that does not say whose it is may be the one that is not found.
      if (rows.length === 0 && !isSound && nobodys.one()) throw damagedCommand(run, 'that waits');
      return rows.map((row) => ({ id: row.id, run, command: commandOf(run, row) }));
    },
    hasPending: (run) => pending.one(runs.number(run)) !== undefined,
  };
}

/** Commands were checked when they came in. */
function commandOf(run: string, stored: StoredCommand): Receipt['command'] {
  if (!isWhole(run, stored)) throw damagedCommand(run, stored.id);
  return JSON.parse(stored.command) as Receipt['command'];
}

export function isWhole(run: string, { id, used, command, sum }: StoredCommand): boolean {
  return sum === sumOf(run, id, command, used);
}
