import type { Entry } from '../run/events.ts';
import type { SseFrame } from '../wire/sse-frame.ts';
import { everything } from './frames.ts';
import { protocol } from './protocol.ts';
import { encode } from '../run/entries.ts';

/** The native protocol: the entries themselves, as the journal keeps them. Clients fold them with the same code. */
export const stepsProtocol = protocol<undefined, Entry, SseFrame>({
  name: 'steps',
  projection: () => everything,
  /** What follows `id: <seq>` and `data: ` in the frame the journal keeps, without the empty line. */
  write(entry) {
    const frame = encode(entry);
    return { data: frame.slice(frame.indexOf('\n') + 'data: '.length + 1, -2) };
  },
});
