import type { RunRow } from '../stores/store.ts';
import type { House } from './house.ts';
import type { TellingOptions } from './protocols.ts';
import { runsOf } from './routes/conversations.ts';
import { toldRun, type ToldFrame } from './told-run.ts';

/**
 * How a run of a session is told. Its events are counted over all turns, and the count is the cursor: so whoever watches
 * a session is shown what its app prefers, and nobody can ask for anything else.
 */
export function consoleTelling(
  { home }: House,
  { app }: RunRow,
  cardsBefore: number,
): Omit<TellingOptions, 'run'> & { readonly as: string } {
  return { as: 'console', cardsBefore, preferences: home.preferences(app) };
}

/** One run of a session as the console is told it. */
export interface Turn {
  readonly row: RunRow;
  readonly frames: readonly ToldFrame[];
  /** The number of the last card of the turns before. */
  readonly cardsBefore: number;
}

/** All turns of a session, the oldest first. */
export async function turnsOf(house: House, tenant: string, session: string): Promise<readonly Turn[]> {
  const turns: Turn[] = [];
  let cards = 0;
  for (const row of await runsOf(house, tenant, session)) {
    const frames = await turnFrames(house, row, cards);
    turns.push({ row, frames, cardsBefore: cards });
    cards += frames.filter(({ event }) => event === 'step_started').length;
  }
  return turns;
}

/** What ended runs have told does not change, and lists ask for it again and again. */
const kept = new WeakMap<House, Map<string, readonly ToldFrame[]>>();
const keptRuns = 500;

async function turnFrames(house: House, row: RunRow, cardsBefore: number): Promise<readonly ToldFrame[]> {
  const known = kept.get(house) ?? new Map<string, readonly ToldFrame[]>();
  kept.set(house, known);
  const key = `${row.run} ${cardsBefore}`;
  const telling = consoleTelling(house, row, cardsBefore);
  const frames = known.get(key) ?? (await toldRun(house, row, telling));
  if (row.state !== 'ended') return frames;
  known.delete(key);
  known.set(key, frames);
  for (const oldest of known.keys()) {
    if (known.size <= keptRuns) break;
    known.delete(oldest);
  }
  return frames;
}

/** The status words of a console. */
export function sessionStatus({
  status,
}: Pick<RunRow, 'status'>): 'in_progress' | 'completed' | 'failed' | 'cancelled' {
  if (status === 'completed' || status === 'failed') return status;
  return status === 'stopped' ? 'cancelled' : 'in_progress';
}

export function eventCount(turns: readonly Turn[]): number {
  return turns.reduce((count, { frames }) => count + frames.length, 0);
}
