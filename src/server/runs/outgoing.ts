import { LRUCache } from 'lru-cache';
import { Outgoing } from '../../guards/outgoing.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { breather } from '../../loop/loop-turn.ts';
import { decodeAll, encode, framesAfter } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import type { Blobs, Chunk, Journal } from '../../stores/store.ts';
import { envelopeIn } from './files.ts';
import { longRun } from './long-run.ts';
import { watching } from '../viewers/source.ts';

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
      const told = await cleaned(outgoing, chunks);
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

/** What runs keep beside their journals. A file that somebody sent is as they sent it. */
export function outgoingBlobs(blobs: Pick<Blobs, 'get'>, secrets: Secrets): Pick<Blobs, 'get'> {
  return {
    async get(tenant, blob) {
      const text = await blobs.get(tenant, blob);
      return text === undefined || envelopeIn(text) ? text : secrets.cleanLong(text, breather());
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
async function cleaned(outgoing: Outgoing, chunks: readonly Chunk[]): Promise<readonly Chunk[]> {
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
