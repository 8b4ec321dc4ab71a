import { decodeAll } from '../../run/codec.ts';
import type { EventOf } from '../../run/events.ts';
import { filled, present } from '../../run/present.ts';
import type { Store } from '../../stores/store.ts';
import { holdingPlaces } from './places.ts';

/** How many earlier runs of a conversation a run looks back on. */
const remembered = 50;

type Started = EventOf<'run.started'>;

/** What was asked for: a conversation that is not named begins with it. */
export interface Asked {
  readonly conversation?: string;
  /** The run whose place it takes. */
  readonly replaces?: string;
  /** The run it goes on after. */
  readonly follows?: string;
}

/** The runs a new one looks back on: those that have ended and hold their places, or what the one it replaces had. */
export async function pastOf(
  { dispatch, journal }: Pick<Store, 'dispatch' | 'journal'>,
  { conversation: named, replaces, follows }: Asked,
  where: { readonly tenant: string; readonly conversation: string },
): Promise<Pick<Started, 'earlier' | 'replaces'>> {
  if (replaces !== undefined)
    return { replaces, ...present({ earlier: await earlierOf(journal, replaces) }) };
  if (follows !== undefined)
    return { earlier: [...((await earlierOf(journal, follows)) ?? []), follows].slice(-remembered) };
  if (named === undefined) return {};
  const rows = await dispatch.list({ ...where, limit: remembered });
  const ended = holdingPlaces(rows).filter(({ state }) => state === 'ended');
  return present({ earlier: filled(ended.map(({ run }) => run)) });
}

async function earlierOf(journal: Store['journal'], run: string): Promise<Started['earlier']> {
  const [chunk] = await journal.read(run, 0);
  const event = chunk && decodeAll(chunk.frames)[0]?.event;
  return event?.type === 'run.started' ? event.earlier : undefined;
}
