import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { bareMessages, textMessage, wholeMessages } from './socket-messages.ts';
import { type Sink, comment, farewell } from './viewer.ts';
import type { Form } from './channel.ts';

/** Close codes of the protocol: all was said; the server goes away, come back. */
const over = 1000;
const goingAway = 1001;

/** Shared, so that all who get the same get the same bytes. */
const inBytes: Form = (messages) => Buffer.from(messages, 'latin1');

/** A WebSocket that gets the same frames, one message each. `bare` is for clients that expect the data alone. */
export function socketSink({
  socket,
  raw,
  bare,
}: {
  readonly socket: WebSocket;
  readonly raw: Duplex;
  readonly bare: boolean;
}): Sink {
  let isAnswered = true;
  socket.on('pong', () => (isAnswered = true));
  return {
    framing: bare ? bareMessages : wholeMessages,
    form: inBytes,
    write: (bytes) => raw.write(bytes),
    held: () => raw.writableLength,
    // Asked also of those who are written to: what is on its way to a peer that is gone tells nobody so.
    beat() {
      if (!isAnswered) return socket.terminate();
      isAnswered = false;
      socket.ping();
    },
    end: (why) => (why ? socket.close(goingAway, 'come back with your cursor') : socket.close(over)),
    cut: () => socket.terminate(),
    listen({ drained, gone }) {
      raw.on('drain', drained);
      socket.on('close', gone);
      socket.on('error', gone);
    },
  };
}

interface Socket {
  readonly socket: WebSocket;
  readonly raw: Duplex;
}

/** A WebSocket that gets the text of a stream of server-sent events, signs of life and farewell included. */
export function eventSocketSink({ socket, raw }: Socket): Sink {
  const { framing: _, ...sink } = socketSink({ socket, raw, bare: false });
  const write = (bytes: Buffer): boolean => raw.write(bytes);
  return {
    ...sink,
    form: textMessage,
    beat(heard) {
      // A page cannot see that it was asked.
      if (!heard) write(textMessage(comment));
      sink.beat(heard);
    },
    end(why) {
      if (why) write(textMessage(farewell));
      sink.end(why);
    },
  };
}
