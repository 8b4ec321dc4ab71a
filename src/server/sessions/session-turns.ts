import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import type { ViewOptions } from '../../projections/projection.ts';
import { runsOf } from '../../front/erase.ts';
import type { Asker } from '../routes/route.ts';
import { toldRun, type ToldFrame } from './told-run.ts';

/** The generation of names in which a session is told. */
export const Generation = z.enum(['console', 'console-dotted']);
export type Generation = z.infer<typeof Generation>;

/** The end of a stream, and no event of the session: clients close at the first they see. */
export const streamEnd = 'done';

/**
 * How a run of a session is told. Its events are counted over all turns, and the count is the cursor: so whoever watches
 * a session is shown what its app prefers, and nobody can ask for anything else.
 */
export function consoleTelling(
  { home }: ServerContext,
  { row: { app }, cardsBefore }: Pick<Turn, 'row' | 'cardsBefore'>,
  as: Generation,
): Omit<ViewOptions, 'run'> & { readonly as: string } {
  return { as, cardsBefore, preferences: home.preferences(app) };
}

/** What a run of a session has told the console, as numbers. */
interface Told {
  readonly events: number;
  readonly cards: number;
}

/** One run of a session as the console is told it. */
export interface Turn extends Told {
  readonly row: RunRow;
  /** The number of the last card of the turns before. */
  readonly cardsBefore: number;
}

export interface SoughtSession {
  readonly tenant: string;
  readonly session: string;
  readonly as?: Generation | undefined;
}

/** All turns of a session, the oldest first. */
export async function turnsOf(
  context: ServerContext,
  { tenant, session, as = 'console' }: SoughtSession,
  { heavy, left }: Asker,
): Promise<readonly Turn[]> {
  const rows = await runsOf(context.home.dispatch, { tenant, conversation: session });
  await heavy(Math.max(0, ...rows.map(({ bytes }) => bytes)));
  const turns: Turn[] = [];
  let cardsBefore = 0;
  for (const row of rows) {
    const told = await toldOf(context, { row, cardsBefore }, { as, signal: left() });
    turns.push({ row, cardsBefore, ...told });
    cardsBefore += told.cards;
  }
  return turns;
}

/** Who hears a session. */
export interface Hearing {
  readonly as?: Generation | undefined;
  readonly signal: AbortSignal;
}

/** The events of a turn. */
export async function* framesOf(
  context: ServerContext,
  turn: Pick<Turn, 'row' | 'cardsBefore'>,
  { as = 'console', signal }: Hearing,
): AsyncGenerator<ToldFrame> {
  for await (const frame of toldRun(context, turn.row, { ...consoleTelling(context, turn, as), signal }))
    if (frame.event !== streamEnd) yield frame;
}

/** What ended runs have told does not change, and lists ask for it again and again. */
const kept = new WeakMap<ServerContext, LRUCache<string, Told>>();
const keptRuns = 10_000;

async function toldOf(
  context: ServerContext,
  { row, cardsBefore }: Pick<Turn, 'row' | 'cardsBefore'>,
  hearing: Hearing & { readonly as: Generation },
): Promise<Told> {
  const known = kept.get(context) ?? new LRUCache<string, Told>({ max: keptRuns });
  kept.set(context, known);
  const key = `${hearing.as} ${row.run} ${cardsBefore}`;
  const told = known.get(key) ?? (await count(framesOf(context, { row, cardsBefore }, hearing)));
  if (row.state === 'ended') known.set(key, told);
  return told;
}

const opensCard: ReadonlySet<string> = new Set(['step_started', 'tool_call.start']);

async function count(frames: AsyncIterable<ToldFrame>): Promise<Told> {
  let events = 0;
  let cards = 0;
  for await (const { event } of frames) {
    events += 1;
    if (opensCard.has(event)) cards += 1;
  }
  return { events, cards };
}

/** The status words of a console. */
export function sessionStatus({
  status,
}: Pick<RunRow, 'status'>): 'in_progress' | 'completed' | 'failed' | 'cancelled' {
  if (status === 'completed' || status === 'failed') return status;
  return status === 'stopped' ? 'cancelled' : 'in_progress';
}

export function eventCount(turns: readonly Turn[]): number {
  return turns.reduce((sum, { events }) => sum + events, 0);
}
