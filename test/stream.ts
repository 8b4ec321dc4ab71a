// A viewer as a raw socket: it sees every byte, can stop reading, and can be cut at any moment.
import { connect, type Socket } from 'node:net';

export interface StreamViewer {
  readonly socket: Socket;
  /** The status line and the headers, once they came. */
  readonly head: string;
  /** The body so far, out of its chunks. */
  readonly body: string;
  /** Whether the last chunk came. */
  readonly isWhole: boolean;
  readonly closed: Promise<void>;
  /** Resolves when the body satisfies a condition. */
  until(isThere: (body: string) => boolean): Promise<void>;
}

export interface StreamRequest {
  readonly url: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ask for a stream. */
export function streamViewer({ url, path, headers = {} }: StreamRequest): StreamViewer {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const reader = chunkReader();
  const waiting = new Set<{ readonly isThere: (body: string) => boolean; readonly resolve: () => void }>();
  socket.setEncoding('utf8');
  socket.on('connect', () => {
    const asked = { host, accept: 'text/event-stream', connection: 'close', ...headers };
    const lines = Object.entries(asked).map(([name, value]) => `${name}: ${value}`);
    socket.write(`GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  });
  socket.on('data', (text: string) => {
    reader.read(text);
    for (const each of waiting) if (each.isThere(reader.body)) each.resolve();
  });
  socket.on('error', () => socket.destroy());
  socket.on('close', () => resolve());
  return {
    socket,
    closed,
    get head() {
      return reader.head;
    },
    get body() {
      return reader.body;
    },
    get isWhole() {
      return reader.isWhole;
    },
    async until(isThere) {
      if (isThere(reader.body)) return;
      const { promise, resolve: tell } = Promise.withResolvers<void>();
      const each = { isThere, resolve: tell };
      waiting.add(each);
      await promise;
      waiting.delete(each);
    },
  };
}

/** Opens what a key that will end has open. It is given twice as long until it did not end before that was so. */
export async function openBeforeEnd<T>(open: (milliseconds: number) => Promise<T | undefined>): Promise<T> {
  for (let milliseconds = 2_000; ; milliseconds *= 2) {
    const opened = await open(milliseconds);
    if (opened !== undefined) return opened;
  }
}

/** Undoes chunked encoding of text. Lengths are in bytes, so it keeps what is not complete yet. */
function chunkReader() {
  let rest = Buffer.alloc(0);
  let head: string | undefined;
  let body = '';
  let isWhole = false;
  return {
    get head() {
      return head ?? '';
    },
    get body() {
      return body;
    },
    get isWhole() {
      return isWhole;
    },
    read(text: string): void {
      rest = Buffer.concat([rest, Buffer.from(text)]);
      if (head === undefined) {
        const end = rest.indexOf('\r\n\r\n');
        if (end < 0) return;
        head = rest.subarray(0, end).toString();
        rest = rest.subarray(end + 4);
      }
      for (;;) {
        const line = rest.indexOf('\r\n');
        if (line < 0) return;
        const length = Number.parseInt(rest.subarray(0, line).toString(), 16);
        if (length === 0) isWhole = true;
        if (!(length > 0) || rest.length < line + 4 + length) return;
        body += rest.subarray(line + 2, line + 2 + length).toString();
        rest = rest.subarray(line + 4 + length);
      }
    },
  };
}
