import { sseText } from '../wire/sse-frame.ts';
import type { ToldFrame } from './told-run.ts';
import type { Sink } from './viewers/viewer.ts';

/** A console counts the events of a whole session, over all its turns: that number is its cursor. */
export interface Count {
  /** Events before those that come now. */
  readonly before: number;
  /** Events that the viewer has had. */
  readonly since: number;
}

/** The past of a session from a number on. */
export function pastOf(frames: readonly ToldFrame[], { before, since }: Count): string {
  const numbered = frames.map(({ event, data }, i) => ({ event, data, id: before + i + 1 }));
  return numbered
    .filter(({ id }) => id > since)
    .map(sseText)
    .join('');
}

/** A sink that gives the frames of one run their numbers in the session. */
export function numberedSink(sink: Sink, { before, since }: Count): Sink {
  let number = before;
  return {
    ...sink,
    // A form of its own: these bytes are for nobody else.
    form(text) {
      let numbered = '';
      for (const frame of text.split('\n\n')) {
        if (frame === '') continue;
        number += 1;
        if (number > since) numbered += numberedFrame(frame, number);
      }
      return numbered === '' ? nothing : sink.form(numbered);
    },
    write: (bytes) => bytes.length === 0 || sink.write(bytes),
  };
}

const nothing = Buffer.alloc(0);

/** In the order of fields that frames of the past have, so that a stream is the same whenever it is read. */
function numberedFrame(frame: string, number: number): string {
  const lines = frame.split('\n').filter((line) => !line.startsWith('id: '));
  const names = lines.filter((line) => line.startsWith('event: '));
  const data = lines.filter((line) => !line.startsWith('event: '));
  return `${[...names, `id: ${number}`, ...data].join('\n')}\n\n`;
}
