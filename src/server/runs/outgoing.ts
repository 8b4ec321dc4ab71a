import { Outgoing } from '../../guards/outgoing.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { decodeAll, encode } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import type { Blobs, Chunk, Journal } from '../../stores/store.ts';
import { envelopeIn } from './files.ts';

type Readable = Pick<Journal, 'read' | 'follow'>;

/** How many entries before the first one that leaves are looked at: a secret in pieces may have begun there. */
const lookBack = 128;

/**
 * A journal as it may leave the server: every protocol, list and terminal reads this one. What was recorded here, with all
 * secrets of now known, was held back when it was recorded, and is not looked at again.
 */
export function outgoingJournal(journal: Readable, secrets: Secrets): Readable {
  const isClean = (run: string, after: number): boolean =>
    secrets.isEmpty || secrets.isVouched(run, after + 1);
  return {
    follow: (run, after, signal) =>
      isClean(run, after)
        ? journal.follow(run, after, signal)
        : followed(journal, secrets, { run, after, signal }),
    async read(run, after) {
      const chunks = await journal.read(run, after);
      const [first] = chunks;
      if (!first || isClean(run, after)) return chunks;
      const outgoing = await outgoingBefore(journal, secrets, first);
      return inOneGo(outgoing, chunks);
    },
  };
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
      return text === undefined || envelopeIn(text) ? text : secrets.clean(text);
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
  for (let after = Math.max(0, first - 1 - lookBack); after < first - 1;) {
    const entries = (await journal.read(run, after)).flatMap((chunk) => decodeAll(chunk.frames));
    outgoing.pass(entries.filter(({ seq }) => seq > after && seq < first));
    after = entries.at(-1)?.seq ?? first;
  }
  return outgoing;
}

/** Most of what is read from its middle is text. Where there is none, nothing that began before can go on. */
function hasPieces(frames: string): boolean {
  return frames.includes('"x":') || frames.includes('.appended"');
}

function alone(outgoing: Outgoing, chunk: Chunk): Chunk {
  const given = decodeAll(chunk.frames);
  return withEntries(chunk, given, outgoing.pass(given));
}

function inOneGo(outgoing: Outgoing, chunks: readonly Chunk[]): readonly Chunk[] {
  const given = chunks.map(({ frames }) => decodeAll(frames));
  const told = outgoing.pass(given.flat());
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
