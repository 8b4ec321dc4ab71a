import { failureOf } from '../../run/failure.ts';
import { blockSize } from './archive.ts';
import { type Piece, Slice, type Form } from './piece.ts';
import type { Source } from './source.ts';
import type { Sink, Viewer } from './viewer.ts';
import type { ServerResponse } from 'node:http';
import { sse, type Framing } from '../../wire/framing.ts';

/** From so many viewers on, what comes in a moment is joined: the number of writes is what viewers cost. */
const crowd = 50;
/** One more millisecond of joining for so many viewers, within these bounds. */
const viewersPerMillisecond = 25;
const shortestPause = 20;
const longestPause = 150;

interface ChannelSettings {
  readonly source: Source;
  readonly now: () => number;
  readonly problem: (cause: unknown) => void;
  /** Called with how many characters a viewer was given. */
  readonly delivered: (characters: number) => void;
}

/** One run in one protocol, and all who watch it there. A slow viewer costs a bounded buffer and misses nothing. */
export class Channel {
  readonly viewers = new Set<Viewer>();
  readonly #settings: ChannelSettings;
  readonly #window: Window;
  readonly #stop: () => void;
  #isClosed = false;
  #isEnded = false;
  #flushedAt = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(settings: ChannelSettings) {
    this.#settings = settings;
    this.#window = new Window(settings.source.start);
    this.#stop = settings.source.live({
      piece: (piece) => this.#hear(piece),
      over: (failure) => this.#end(failure),
    });
  }

  join(sink: Sink, after: number): Viewer {
    const viewer: Viewer = { sink, seq: after, is: 'live', since: 0, heard: true };
    this.viewers.add(viewer);
    sink.listen({
      drained: () => {
        if (viewer.is !== 'stalled') return;
        viewer.is = 'live';
        this.#serve(viewer);
      },
      gone: () => this.#leave(viewer),
    });
    this.#serve(viewer);
    return viewer;
  }

  /** Whether nobody can join any more. */
  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Look after everyone: a sign of life for those who heard nothing, the end for those who take nothing. */
  look({ isBeat, stalledBefore }: { readonly isBeat: boolean; readonly stalledBefore: number }): void {
    for (const viewer of this.viewers) {
      if (viewer.is === 'stalled' && viewer.since < stalledBefore) viewer.sink.cut();
      if (!isBeat) continue;
      if (viewer.is === 'live') viewer.sink.beat(viewer.heard);
      viewer.heard = false;
    }
  }

  /** The last entry it knows. */
  get head(): number {
    return this.#window.head;
  }

  /** Whether everyone who takes what they are given has all of a run that has come to `head`. */
  hasTold({ head, isOver }: { readonly head: number; readonly isOver: boolean }): boolean {
    this.#flush();
    if (this.head < head || (isOver && !this.#isEnded)) return false;
    return [...this.viewers].every(({ is, seq }) => is === 'stalled' || seq >= head);
  }

  /** Let everyone go. Whoever is not stalled has all there is; the others come back to their place. */
  close(farewell?: 'reconnect'): void {
    this.#isClosed = true;
    this.#stop();
    this.#flush();
    for (const viewer of this.viewers) {
      this.#leave(viewer);
      viewer.sink.end(farewell);
    }
  }

  #hear(piece: Piece): void {
    if (this.#isClosed) return;
    this.#window.push(piece);
    if (this.viewers.size < crowd && !this.#timer) this.#serveAll();
    else this.#flushSoon();
  }

  #end(failure: unknown): void {
    if (this.#isClosed) return;
    if (failure === undefined) {
      this.#isEnded = true;
      return this.#flush();
    }
    // Whoever is cut off here comes back with a cursor, to a store that answers again.
    this.#settings.problem(failure);
    this.close(farewellAfter(failure));
  }

  #flushSoon(): void {
    if (this.#timer) return;
    const pause = Math.min(longestPause, Math.max(shortestPause, this.viewers.size / viewersPerMillisecond));
    const due = this.#flushedAt + pause - this.#settings.now();
    if (due <= 0) return this.#flush();
    this.#timer = setTimeout(() => this.#flush(), due);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#serveAll();
    this.#flushedAt = this.#settings.now();
  }

  #serveAll(): void {
    for (const viewer of this.viewers) if (viewer.is === 'live') this.#serve(viewer);
  }

  #serve(viewer: Viewer): void {
    while (viewer.is === 'live' && viewer.seq < this.#window.head) {
      const slice = this.#window.slice(viewer.seq);
      if (!slice) return void this.#read(viewer);
      this.#give(viewer, slice);
    }
    if (viewer.is === 'live' && this.#isEnded) {
      this.#leave(viewer);
      viewer.sink.end();
    }
  }

  #give(viewer: Viewer, slice: Slice): void {
    const { sink } = viewer;
    viewer.seq = slice.last;
    if (slice.text === '') return;
    viewer.heard = true;
    this.#settings.delivered(slice.text.length);
    if (this.#write(sink, slice)) return;
    viewer.is = 'stalled';
    viewer.since = this.#settings.now();
  }

  /** Whoever is alone gets the text as it is; a form is made where it is shared. */
  #write(sink: Sink, slice: Slice): boolean {
    if (sink.say && this.viewers.size === 1) return sink.say(slice.text);
    return sink.write(slice.in(sink.form));
  }

  /** One page at a time for those who are behind the window, each as far as its connection takes it. */
  async #read(viewer: Viewer): Promise<void> {
    viewer.is = 'reading';
    try {
      const page = await this.#settings.source.page(viewer.seq);
      if (viewer.is !== 'reading') return;
      viewer.is = 'live';
      this.#give(viewer, page.from(viewer.seq, blockSize));
      this.#serve(viewer);
    } catch (cause) {
      this.#settings.problem(cause);
      this.#leave(viewer);
      viewer.sink.end(farewellAfter(cause));
    }
  }

  #leave(viewer: Viewer): void {
    viewer.is = 'gone';
    this.viewers.delete(viewer);
  }
}

/** Where the journal itself is damaged, there is nothing to come back for. */
function farewellAfter(cause: unknown): 'reconnect' | undefined {
  return failureOf(cause).code === 'damaged' ? undefined : 'reconnect';
}

/** How much of a watched run is kept at hand, and how much is written to one viewer at once. Characters. */
const windowSize = 256 * 1024;
const sliceSize = 64 * 1024;

/** The newest frames of one run in one protocol, shared by all who watch it. */
class Window {
  /** The last entry that is known here. */
  head: number;
  readonly #pieces: Piece[] = [];
  #size = 0;
  /** What was given last, and to whom: nearly all viewers are at the same place, and get the same bytes. */
  #given: Slice | undefined;
  #givenAfter = -1;
  #givenAt = -1;

  constructor(start: number) {
    this.head = start;
  }

  push(piece: Piece): void {
    this.#pieces.push(piece);
    this.#size += piece.size;
    this.head = piece.last;
    while (this.#size > windowSize && this.#pieces.length > 1) this.#size -= this.#pieces.shift()?.size ?? 0;
  }

  /** What a viewer at `after` gets next; undefined when that is no longer here. */
  slice(after: number): Slice | undefined {
    if (this.#givenAfter === after && this.#givenAt === this.head) return this.#given;
    const newest = this.#pieces.at(-1);
    const isNext = newest?.first === after + 1 && newest.size <= sliceSize;
    this.#given = isNext ? newest.from(after, sliceSize) : this.#join(after);
    this.#givenAfter = after;
    this.#givenAt = this.head;
    return this.#given;
  }

  #join(after: number): Slice | undefined {
    const pieces = this.#pieces;
    const oldest = pieces[0];
    if (!oldest || oldest.first > after + 1) return undefined;
    let last = after;
    let text = '';
    for (let i = pieces.findLastIndex((piece) => piece.first <= after + 1); i < pieces.length; i += 1) {
      const piece = pieces[i];
      if (!piece || text.length >= sliceSize) break;
      const slice = piece.from(last, sliceSize - text.length);
      text += slice.text;
      last = slice.last;
      if (last < piece.last) break;
    }
    return new Slice(text, last);
  }
}

/** A comment: no client takes it for a frame, and whatever is between us sees that the connection lives. */
export const comment = ': \n\n';
/** Without an id and without data: clients only learn how soon to come back. */
export const farewell = ': the server is going away; come back with your cursor\nretry: 1000\n\n';

/** A probe after so many milliseconds of silence finds peers that are gone without a word. */
const probeAfter = 5_000;

/**
 * Frames as one chunk of a response. Made here and not by the response, which would make it anew, in three writes, for
 * each of thousands of viewers.
 */
const chunked: Form = (frames) => inChunk(Buffer.from(frames));
const chunkedBytes: Form = (frames) => inChunk(Buffer.from(frames, 'latin1'));

function inChunk(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]);
}
const lineEnd = Buffer.from('\r\n');

/** For clients, and proxies, that know no chunks: the end of the connection is the end of the stream. */
const plain: Form = (frames) => Buffer.from(frames);
const plainBytes: Form = (frames) => Buffer.from(frames, 'latin1');

/** Server-sent events on a response that is written by hand. It has its socket, and nothing was written to it. */
export function sseSink(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { beat = comment, framing = sse }: { readonly beat?: string; readonly framing?: Framing } = {},
): Sink {
  const { socket, req } = response;
  const knowsChunks = req.httpVersion !== '1.0';
  const [inChunks, asItIs] = framing.isBinary ? [chunkedBytes, plainBytes] : [chunked, plain];
  const form = knowsChunks ? inChunks : asItIs;
  // What is at hand already leaves with the head, in one write.
  socket?.cork();
  setImmediate(() => socket?.uncork());
  response.writeHead(200, {
    ...headers,
    'content-type': framing.type,
    'cache-control': 'no-store',
    ...(knowsChunks ? { 'transfer-encoding': 'chunked' } : { connection: 'close' }),
    // Proxies that gather before they pass on would turn a live stream into a download.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  socket?.setNoDelay(true);
  socket?.setKeepAlive(true, probeAfter);
  const write = (bytes: Buffer): boolean => socket?.write(bytes) ?? true;
  return {
    framing,
    form,
    write,
    say(frames) {
      const size = framing.isBinary ? frames.length : Buffer.byteLength(frames);
      const text = knowsChunks ? `${size.toString(16)}\r\n${frames}\r\n` : frames;
      // Where every character is a byte, nothing has to be encoded.
      return socket?.write(text, size === frames.length ? 'latin1' : 'utf8') ?? true;
    },
    held: () => socket?.writableLength ?? 0,
    // Between bytes there is no room for a comment.
    beat: (heard) => void (heard || framing.isBinary || write(form(beat))),
    end(why) {
      if (why && !framing.isBinary) write(form(farewell));
      // Whoever is told to come back comes to a server that may be another one.
      response.end(why ? () => socket?.destroySoon() : undefined);
    },
    cut: () => void response.destroy(),
    listen({ drained, gone }) {
      socket?.on('drain', drained);
      response.on('close', () => {
        // The connection may outlive the stream, and serve another one.
        socket?.off('drain', drained);
        gone();
      });
      response.on('error', gone);
    },
  };
}
