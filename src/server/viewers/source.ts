import { LRUCache } from 'lru-cache';
import type { Telling } from '../../projections/projection.ts';
import type { Chunk, Journal, Blobs } from '../../stores/store.ts';
import type { Framing, WireFrame } from '../../wire/framing.ts';
import { type Archive } from './archive.ts';
import { inBlocks } from './page.ts';
import type { Places } from './places.ts';
import { Outgoing } from '../../guards/outgoing.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { breather } from '../../loop/machine.ts';
import type { Entry } from '../../run/events.ts';
import { longRun } from '../runs/long-run.ts';
import { nativePiece, toldPiece, type Piece } from './channel.ts';
import { blockSize } from './viewer.ts';
import { decodeAll, encode, framesAfter } from '../../run/entries.ts';

/** A run as those who watch here are told it. */
export type Teller = Telling<WireFrame>;

/** Where the frames of one run in one protocol come from. */
export interface Source {
  /** The entry its live pieces begin after. */
  readonly start: number;
  /** Everything after `start`, and then what comes, until the run ends. Returns what ends it before. */
  live(hearer: Hearer): () => void;
  /** A piece that holds the entry after `after`, for those who have fallen behind. */
  page(after: number): Promise<Piece>;
}

export interface Hearer {
  piece(piece: Piece): void;
  /** All was told, or why no more can be. */
  over(failure?: unknown): void;
}

export interface SourceParts {
  readonly run: string;
  readonly journal: Pick<Journal, 'follow' | 'watch'>;
  readonly archive: Archive;
  /** Frames that were put together, as they may leave the server. */
  readonly clean: (frames: string) => string;
  /** How they look to those who watch here. */
  readonly framing: Framing;
  /** Where tellings of it were kept. */
  readonly places: Places<Teller>;
}

/** The entries themselves. Nothing is computed: what the store has is what viewers get. */
export function nativeSource(
  { run, journal, archive }: Pick<SourceParts, 'run' | 'journal' | 'archive'>,
  head: number,
): Source {
  return {
    start: head,
    live: (hearer) =>
      watching(journal)(run, head, {
        chunk: (chunk) => hearer.piece(nativePiece(chunk)),
        over: (failure) => hearer.over(failure),
      }),
    page: (after) => archive.page(run, after),
  };
}

/** How many characters of entries are told from one remembered place to the next. */
const stride = 64 * 1024;
/** How many told strides are kept for those who catch up. */
const keptStrides = 16;

interface Stride {
  readonly piece: Piece;
  /** The telling at its end. */
  readonly next: Teller;
}

/** Each open step makes a telling dearer to keep by about so many characters of entries. */
const perStep = 256;

/**
 * Frames computed from entries. A telling is kept every so often: whoever comes with a cursor, also later, or has fallen
 * behind, is told from the nearest one on, at the same cost anywhere in the run.
 */
export function toldSource(parts: SourceParts, head: number): Source {
  const { run, archive, places } = parts;
  const strides = new LRUCache<number, Promise<Stride>>({ max: keptStrides });
  const placeAt = (seq: number): Teller => {
    const place = places.nearest(seq);
    return place.jump?.(seq) ?? place;
  };
  const begin = placeAt(head);

  const tellStride = async (from: Teller): Promise<Stride> => {
    const next = from.fork();
    const page = await archive.page(run, from.seq);
    const { text } = page.from(from.seq, strideOf(from));
    return { piece: inBlocks(told(next, text, parts), blockSize), next };
  };
  /** Many fall behind together: each stride is told once for all of them. */
  const strideFrom = (from: Teller): Promise<Stride> => {
    const known = strides.get(from.seq) ?? tellStride(from);
    strides.set(from.seq, known);
    known.catch(() => strides.delete(from.seq));
    return known;
  };

  return {
    start: begin.seq,
    live: (hearer) => tellLive(parts, begin.fork(), hearer),
    async page(after) {
      let from = placeAt(after);
      for (;;) {
        const { piece, next } = await strideFrom(from);
        if (piece.last > after) return piece;
        from = next;
      }
    },
  };
}

function tellLive(parts: SourceParts, teller: Teller, hearer: Hearer): () => void {
  const { run, journal, places } = parts;
  // Where an answer was over before, nothing is waited for.
  if (teller.hasEnded) {
    queueMicrotask(() => hearer.over());
    return () => {};
  }
  let since = 0;
  const chunk = (given: Chunk): void => {
    const piece = nativePiece(given);
    while (teller.seq < piece.last && !teller.hasEnded) {
      const { text } = piece.from(teller.seq, stride);
      hearer.piece(told(teller, text, parts));
      since += text.length;
      if (since < strideOf(teller)) continue;
      places.keep(teller.fork());
      since = 0;
    }
    if (!teller.hasEnded) return;
    stop();
    hearer.over();
  };
  const stop = watching(journal)(run, teller.seq, { chunk, over: (failure) => hearer.over(failure) });
  return stop;
}

/** So far apart that keeping costs less than telling, however many steps are open. */
function strideOf({ weight }: Teller): number {
  return stride + perStep * weight;
}

/** What a protocol puts together of several texts is cleaned once more. */
function told(teller: Teller, entries: string, { clean, framing }: SourceParts): Piece {
  const first = teller.seq + 1;
  const ends: number[] = [];
  let text = '';
  for (const entry of decodeAll(entries)) {
    text += framing.text(teller.tell(entry).map((frame) => cleaned(frame, clean)));
    ends.push(text.length);
  }
  return toldPiece(first, text, ends);
}

function cleaned(frame: WireFrame, clean: SourceParts['clean']): WireFrame {
  return typeof frame.data === 'string' ? { ...frame, data: clean(frame.data) } : frame;
}

type Watch = NonNullable<Journal['watch']>;

/** How runs of a journal are watched, also of one that can only be followed. */
function watching(journal: Pick<Journal, 'follow' | 'watch'>): Watch {
  if (journal.watch) return journal.watch;
  return (run, after, watcher) => {
    const left = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const chunk of journal.follow(run, after, left.signal)) watcher.chunk(chunk);
    };
    follow().then(
      () => left.signal.aborted || watcher.over(),
      (failure: unknown) => left.signal.aborted || watcher.over(failure),
    );
    return () => left.abort();
  };
}

type Readable = Pick<Journal, 'read' | 'follow' | 'watch'>;

/**
 * How many entries before the first one that leaves are looked at: a secret in pieces may have begun there. More of them only
 * where those nearest make up less than so many characters, which is more than any secret in any spelling.
 */
const lookBack = [8, 128];

const enough = 256 * 1024;

/** Of how many runs it is known how it stands behind the page that left last. */
const standing = 200;

/**
 * A journal as it may leave the server: every protocol, list and terminal reads this one. What was recorded here, with all
 * secrets of now known, was held back when it was recorded; neither that nor what was looked at once is looked at again.
 */
export function outgoingJournal(journal: Readable, secrets: Secrets): Readable {
  const left = new LRUCache<string, Left>({ max: standing });
  /** Whoever reads on takes over how it stands. */
  const takeOver = (run: string, first: number): Outgoing | undefined => {
    const known = left.get(run);
    if (known?.next !== first || known.version !== secrets.version) return undefined;
    left.delete(run);
    return known.outgoing;
  };
  const isClean = (run: string, after: number): boolean =>
    secrets.isEmpty || secrets.isVouched(run, { from: after + 1 });
  const follow: Journal['follow'] = (run, after, signal) =>
    isClean(run, after)
      ? journal.follow(run, after, signal)
      : followed(journal, secrets, { run, after, signal });
  return {
    follow,
    watch: (run, after, watcher) => watching(isClean(run, after) ? journal : { follow })(run, after, watcher),
    async read(run, after) {
      const chunks = await journal.read(run, after);
      const [first, last] = [chunks[0], chunks.at(-1)];
      if (!first || !last || secrets.isEmpty) return chunks;
      const part = { from: first.first, to: last.last };
      if (secrets.isVouched(run, { ...part, from: after + 1 })) return chunks;
      const { version } = secrets;
      const outgoing = takeOver(run, first.first) ?? (await outgoingBefore(journal, secrets, first));
      const told = await cleanedChunks(outgoing, chunks);
      left.set(run, { next: part.to + 1, version, outgoing });
      if (told.every((chunk, i) => chunk === chunks[i])) secrets.vouchPart(run, { ...part, version });
      return told;
    },
  };
}

interface Left {
  /** The entry that leaves next. */
  readonly next: number;
  readonly version: number;
  readonly outgoing: Outgoing;
}

interface Following {
  readonly run: string;
  readonly after: number;
  readonly signal: AbortSignal;
}

async function* followed(
  journal: Readable,
  secrets: Secrets,
  { run, after, signal }: Following,
): AsyncGenerator<Chunk> {
  let outgoing: Outgoing | undefined;
  for await (const chunk of journal.follow(run, after, signal)) {
    outgoing ??= await outgoingBefore(journal, secrets, chunk);
    yield alone(outgoing, chunk);
  }
}

/** What runs keep beside their journals. */
export function outgoingBlobs(blobs: Pick<Blobs, 'get'>, secrets: Secrets): Pick<Blobs, 'get'> {
  return {
    async get(tenant, blob) {
      const text = await blobs.get(tenant, blob);
      return text === undefined ? text : secrets.cleanLong(text, breather());
    },
  };
}

/** As it stands before a chunk leaves. */
async function outgoingBefore(
  journal: Pick<Journal, 'read'>,
  secrets: Secrets,
  { run, first, frames }: Chunk,
): Promise<Outgoing> {
  const outgoing = new Outgoing(secrets);
  if (first === 1 || !hasPieces(frames)) return outgoing;
  const breathe = breather();
  for (const entry of await entriesBefore(journal, run, first)) {
    outgoing.take(entry);
    await breathe();
  }
  outgoing.leave();
  return outgoing;
}

/** The last ones before an entry: fewer where they are long. */
async function entriesBefore(
  journal: Pick<Journal, 'read'>,
  run: string,
  first: number,
): Promise<readonly Entry[]> {
  const before: Entry[] = [];
  for (const count of lookBack) {
    before.length = 0;
    let size = 0;
    for (let after = Math.max(0, first - 1 - count); after < first - 1;) {
      const chunks = await journal.read(run, after);
      const texts = chunks.map(({ frames }) => framesAfter(frames, after));
      for (const entry of texts.flatMap(decodeAll)) if (entry.seq < first) before.push(entry);
      size += texts.join('').length;
      after = chunks.at(-1)?.last ?? first;
    }
    if (size >= enough) break;
  }
  return before;
}

/** Most of what is read from its middle is text. Where there is none, nothing that began before can go on. */
function hasPieces(frames: string): boolean {
  return frames.includes('"x":') || frames.includes('.appended"');
}

function alone(outgoing: Outgoing, chunk: Chunk): Chunk {
  const given = decodeAll(chunk.frames);
  for (const entry of given) outgoing.take(entry);
  return withEntries(chunk, given, outgoing.leave());
}

/** Chunks that leave together. To look at a megabyte takes tens of milliseconds, in which others are served. */
async function cleanedChunks(outgoing: Outgoing, chunks: readonly Chunk[]): Promise<readonly Chunk[]> {
  const size = chunks.reduce((sum, { frames }) => sum + frames.length, 0);
  const breathe = breather({ isLong: size > longRun });
  const given: Entry[][] = [];
  for (const { frames } of chunks) {
    const entries = decodeAll(frames);
    for (const entry of entries) {
      outgoing.take(entry);
      await breathe();
    }
    given.push(entries);
  }
  const told = outgoing.leave();
  let at = 0;
  return chunks.map((chunk, i) => {
    const entries = given[i] ?? [];
    return withEntries(chunk, entries, told.slice(at, (at += entries.length)));
  });
}

/** Frames that held no secret stay as they are, to the letter. */
function withEntries(chunk: Chunk, given: readonly Entry[], told: readonly Entry[]): Chunk {
  if (told.every((entry, i) => entry === given[i])) return chunk;
  const texts = chunk.frames.split('\n\n');
  const frames = told.map((entry, i) => (entry === given[i] ? `${texts[i]}\n\n` : encode(entry)));
  return { ...chunk, frames: frames.join('') };
}
