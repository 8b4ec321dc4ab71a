import type { ServerResponse } from 'node:http';
import type { Form } from './piece.ts';
import type { Sink } from './viewer.ts';

/** A comment: no client takes it for a frame, and whatever is between us sees that the connection lives. */
const comment = ': \n\n';
/** Without an id and without data: clients only learn how soon to come back. */
const farewell = ': the server is going away; come back with your cursor\nretry: 1000\n\n';

/** A probe after so many milliseconds of silence finds peers that are gone without a word. */
const probeAfter = 5_000;

/**
 * Frames as one chunk of a response. Made here and not by the response, which would make it anew, in three writes, for
 * each of thousands of viewers.
 */
const chunked: Form = (frames) => {
  const bytes = Buffer.from(frames);
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, lineEnd]);
};
const lineEnd = Buffer.from('\r\n');

/** For clients, and proxies, that know no chunks: the end of the connection is the end of the stream. */
const plain: Form = (frames) => Buffer.from(frames);

/** Server-sent events on a response that is written by hand. It has its socket, and nothing was written to it. */
export function sseSink(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  beat = comment,
): Sink {
  const { socket, req } = response;
  const knowsChunks = req.httpVersion !== '1.0';
  const form = knowsChunks ? chunked : plain;
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    ...(knowsChunks ? { 'transfer-encoding': 'chunked' } : {}),
    // Proxies that gather before they pass on would turn a live stream into a download.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  socket?.setNoDelay(true);
  socket?.setKeepAlive(true, probeAfter);
  const write = (bytes: Buffer): boolean => socket?.write(bytes) ?? true;
  return {
    form,
    write,
    say(frames) {
      const size = Buffer.byteLength(frames);
      const text = knowsChunks ? `${size.toString(16)}\r\n${frames}\r\n` : frames;
      // Where every character is a byte, nothing has to be encoded.
      return socket?.write(text, size === frames.length ? 'latin1' : 'utf8') ?? true;
    },
    held: () => socket?.writableLength ?? 0,
    beat: (heard) => void (heard || write(form(beat))),
    end(why) {
      if (why) write(form(farewell));
      response.end();
    },
    cut: () => void response.destroy(),
    listen({ drained, gone }) {
      socket?.on('drain', drained);
      response.on('close', gone);
      response.on('error', gone);
    },
  };
}
