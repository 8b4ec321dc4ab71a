import { decodeAll } from '../run/codec.ts';
import type { RunRow } from '../stores/store.ts';
import { goodChunks } from './good-chunks.ts';
import type { House } from './house.ts';
import type { TellingOptions } from './protocols.ts';

/** A frame of a run's past, with the time of the entry it tells. */
export interface ToldFrame {
  readonly event: string;
  readonly data: string;
  readonly at: number;
}

/** Everything a run has told so far, in a protocol. */
export async function toldRun(
  house: House,
  { run, head }: Pick<RunRow, 'run' | 'head'>,
  { as, ...options }: { readonly as: string } & Omit<TellingOptions, 'run'>,
): Promise<readonly ToldFrame[]> {
  const { telling } = house.protocols.telling(as, { run, ...options });
  if (!telling) throw new RangeError(`«${as}» is not told: its frames are the entries`);
  const frames: ToldFrame[] = [];
  while (telling.seq < head) {
    const before = telling.seq;
    for (const chunk of await goodChunks(house.home.journal, run, before)) {
      for (const entry of decodeAll(chunk.frames)) {
        for (const { event = '', data } of telling.tell(entry)) frames.push({ event, data, at: entry.at });
      }
    }
    if (telling.seq === before) break;
  }
  return frames;
}
