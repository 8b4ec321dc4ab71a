import type { DatabaseSync } from 'node:sqlite';
import type { Entry, EventOf } from '../../run/events.ts';
import { indexedAll, noFacts } from '../../run/facts.ts';
import { chunkSum, noSum } from './rows.ts';
import { keptChunks, type KeptChunk } from './chunks.ts';
import { isCorrupt } from './damage.ts';
import type { StoredRun } from './runs.ts';
import type { RunRow } from '../store.ts';
import { decodeAll } from '../../run/entries.ts';

interface Good {
  readonly begun: KeptChunk | undefined;
  readonly end: KeptChunk | undefined;
}

export type Rebuild = (
  stored: Pick<StoredRun, 'number' | 'run' | 'epoch' | 'last' | 'bytes'>,
) => RunRow | undefined;

const titleLength = 200;

/**
 * What the journal itself says of a run whose row is not what was written: whose it is stands in its first entry, under a
 * checksum of its own. Undefined where that cannot be read either. Nobody goes on with such a run.
 */
export function rebuilder(database: DatabaseSync): Rebuild {
  const chunks = keptChunks(database, false);
  return (stored) => {
    const { begun, end } = goodPart(stored, chunks.after(stored.number, 0));
    const [first] = entriesIn(begun);
    if (!begun || !end || first?.event.type !== 'run.started') return undefined;
    const ended = entriesIn(end).find(({ event }) => event.type === 'run.ended')?.event;
    return {
      run: stored.run,
      ...saidAt(first.event),
      status: ended?.type === 'run.ended' ? ended.outcome : 'failed',
      approvals: 0,
      state: 'ended',
      epoch: stored.epoch,
      head: Math.max(stored.last ?? 0, end.last),
      bytes: stored.bytes,
      worker: null,
      leaseUntil: 0,
      wakeAt: null,
      createdAt: begun.at,
      updatedAt: end.at,
      damaged: end.last,
      replacedBy: null,
      facts: indexedAll([first])?.facts ?? noFacts,
    };
  };
}

function goodPart({ run }: Pick<StoredRun, 'run'>, chunks: Iterable<KeptChunk>): Good {
  let begun: KeptChunk | undefined;
  let end: KeptChunk | undefined;
  try {
    for (const chunk of chunks) {
      const follows = chunk.first === (end?.last ?? 0) + 1;
      if (!follows || chunk.sum !== chunkSum(end?.sum ?? noSum, { ...chunk, run })) break;
      begun ??= chunk;
      end = chunk;
    }
  } catch (thrown) {
    if (!isCorrupt(thrown)) throw thrown;
  }
  return { begun, end };
}

function saidAt(
  started: EventOf<'run.started'>,
): Pick<RunRow, 'tenant' | 'conversation' | 'app' | 'title' | 'flow' | 'replaces'> {
  const { tenant, conversation, app, input, flow, replaces = null } = started;
  const title = typeof input.text === 'string' ? input.text.slice(0, titleLength) : '';
  return { tenant, conversation, app, title, flow: `${flow.name}@${flow.version}`, replaces };
}

function entriesIn(chunk: KeptChunk | undefined): readonly Entry[] {
  return chunk === undefined ? [] : decodeAll(chunk.frames);
}
