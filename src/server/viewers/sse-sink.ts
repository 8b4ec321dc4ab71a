import type { ServerResponse } from 'node:http';
import { sse, type Framing } from '../../wire/framing.ts';
import type { Form } from './piece.ts';
import type { Sink } from './viewer.ts';

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
