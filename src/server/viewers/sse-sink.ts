import type { ServerResponse } from 'node:http';
import type { Sink } from './viewer.ts';

/** A comment: no client takes it for a frame, and whatever is between us sees that the connection lives. */
const comment = ': \n\n';
/** Without an id and without data: clients only learn how soon to come back. */
const farewell = ': the server is going away; come back with your cursor\nretry: 1000\n\n';

/** A probe after so many milliseconds of silence finds peers that are gone without a word. */
const probeAfter = 5_000;

/** Server-sent events on a response that is written by hand. */
export function sseSink(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  beat = comment,
): Sink {
  response.writeHead(200, {
    ...headers,
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    connection: 'close',
    // Proxies that gather before they pass on would turn a live stream into a download.
    'x-accel-buffering': 'no',
  });
  response.flushHeaders();
  response.socket?.setNoDelay(true);
  response.socket?.setKeepAlive(true, probeAfter);
  return {
    write: (frames) => response.write(frames),
    beat: () => void response.write(beat),
    end(why) {
      if (why) response.write(farewell);
      response.end();
    },
    cut: () => void response.destroy(),
    listen({ drained, gone }) {
      response.on('drain', drained);
      response.on('close', gone);
      response.on('error', gone);
    },
  };
}
