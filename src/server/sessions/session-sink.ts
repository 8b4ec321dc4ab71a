import { streamEnd } from './session-turns.ts';
import type { Sink } from '../viewers/viewer.ts';

/** A console counts the events of a whole session, over all its turns: that number is its cursor. */
export interface Count {
  /** Events before those that come now. */
  readonly before: number;
  /** Events that the viewer has had. */
  readonly since: number;
}

/** One turn of a session. */
export interface SinkTurn extends Count {
  /** What to do when all of it was taken, up to this number; absent for the last one, whose end is the end. */
  readonly over?: (number: number) => void;
}

/** A connection that is lent to the turns of a session, one after the other. */
export function turnSinks(sink: Sink): (turn: SinkTurn) => Sink {
  let heard: Parameters<Sink['listen']>[0] = { drained() {}, gone() {} };
  sink.listen({ drained: () => heard.drained(), gone: () => heard.gone() });
  return ({ before, since, over }) => {
    let number = before;
    return {
      ...sink,
      // These bytes are for nobody else.
      isAlone: true,
      form(text) {
        let numbered = '';
        for (const frame of text.split('\n\n')) {
          if (frame === '') continue;
          if (isEnd(frame)) {
            // Of the stream, not of the turn.
            if (!over) numbered += numberedFrame(frame);
            continue;
          }
          number += 1;
          if (number > since) numbered += numberedFrame(frame, number);
        }
        return numbered === '' ? nothing : sink.form(numbered);
      },
      write: (bytes) => bytes.length === 0 || sink.write(bytes),
      end: (farewell) => (farewell || !over ? sink.end(farewell) : over(number)),
      listen: (listeners) => void (heard = listeners),
    };
  };
}

const nothing = Buffer.alloc(0);

function isEnd(frame: string): boolean {
  return frame.split('\n').includes(`event: ${streamEnd}`);
}

/** Names first, so that a stream is the same whenever it is read. */
function numberedFrame(frame: string, number?: number): string {
  const lines = frame.split('\n').filter((line) => !line.startsWith('id: '));
  const names = lines.filter((line) => line.startsWith('event: '));
  const data = lines.filter((line) => !line.startsWith('event: '));
  const id = number === undefined ? [] : [`id: ${number}`];
  return `${[...names, ...id, ...data].join('\n')}\n\n`;
}
