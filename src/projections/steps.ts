import { encode } from '../run/codec.ts';
import type { Entry } from '../run/events.ts';
import type { SseFrame } from '../wire/sse-frame.ts';
import type { Projection } from './projection.ts';
import { protocol } from './protocol.ts';

/** The native protocol: the entries themselves, as the journal keeps them. Clients fold them with the same code. */
export const stepsProjection: Projection<null, Entry> = {
  begin: () => null,
  project: (_, entry) => [entry],
  isMemoryless: true,
};

/** The data of the frame the journal keeps: what follows `id: <seq>` and `data: `, without the empty line. */
function stepsData(entry: Entry): string {
  const frame = encode(entry);
  return frame.slice(frame.indexOf('\n') + 'data: '.length + 1, -2);
}

export const stepsProtocol = protocol<null, Entry, SseFrame>({
  name: 'steps',
  projection: () => stepsProjection,
  write: (entry) => ({ data: stepsData(entry) }),
});
