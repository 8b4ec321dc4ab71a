import type { RunRow } from '../../stores/store.ts';
import { breather } from '../../loop/machine.ts';
import { longRun } from '../runs/long-run.ts';
import { goodChunks } from '../../front/good-chunks.ts';
import type { ServerContext } from '../context.ts';
import type { ViewOptions } from '../../projections/projection.ts';
import { decodeAll } from '../../run/entries.ts';

/** A frame of a run's past, with the time of the entry it tells. */
export interface ToldFrame {
  readonly event: string;
  readonly data: string;
  readonly at: number;
}

export interface ToldAs extends Omit<ViewOptions, 'run'> {
  /** The protocol. */
  readonly as: string;
  /** Aborts when nobody hears it any more. */
  readonly signal?: AbortSignal;
}

/** Everything a run has told so far, in a protocol, one frame after the other: a long past waits in the journal. */
export async function* toldRun(
  context: ServerContext,
  { run, head, bytes }: Pick<RunRow, 'run' | 'head' | 'bytes'>,
  { as, signal, ...options }: ToldAs,
): AsyncGenerator<ToldFrame> {
  const telling = context.protocols.telling(as, { run, ...options }).telling();
  const breathe = breather({ signal, isLong: bytes > longRun });
  while (telling.seq < head) {
    const before = telling.seq;
    for (const chunk of await goodChunks(context.home.journal, run, before)) {
      for (const entry of decodeAll(chunk.frames)) {
        for (const { event = '', data } of telling.tell(entry))
          if (typeof data === 'string') yield { event, data, at: entry.at };
      }
      await breathe();
    }
    if (telling.seq === before) break;
  }
}
