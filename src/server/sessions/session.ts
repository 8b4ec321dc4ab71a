import { z } from 'zod';
import { term } from '../../run/facts.ts';
import type { RunFilter, RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import type { JsonParts } from '../http/json-parts.ts';
import { runsOf } from '../../front/erase.ts';
import { exchangeOf, newestOfEach } from '../routes/conversations.ts';
import { inOrderOfStarting } from './parents-first.ts';
import { framesOf, sessionStatus, type Hearing, type Turn } from './session-turns.ts';

export const SessionStatus = z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']);

export const ListedSession = z.object({
  id: z.string(),
  scenario: z.string(),
  /** In lists the first 100 characters. */
  alert_text: z.string(),
  status: SessionStatus,
  /** Cards; in lists, of turns that have ended, whatever of them is shown. */
  step_count: z.int(),
  created_at: z.string(),
  updated_at: z.string(),
});

const Card = z.looseObject({
  step: z.int(),
  agent: z.string(),
  status: z.enum(['in_progress', 'complete']),
});

export const Session = ListedSession.extend({
  event_log: z.array(z.object({ event: z.string(), data: z.string(), turn: z.int(), timestamp: z.string() })),
  steps: z.array(Card),
  diagnosis: z.string(),
  run_meta: z.object({ steps: z.int(), tokens: z.number(), time: z.string() }).nullable(),
  error_detail: z.string(),
  thread_id: z.string(),
  turn_count: z.int(),
});

/** The most a list holds. */
export const listed = 100;

interface SoughtSessions {
  readonly tenant: string;
  readonly scenario: string | undefined;
  readonly limit: number;
}

/** The newest run of each session, of one scenario if it is said which. */
export async function newestSessions(
  context: ServerContext,
  { scenario, ...wanted }: SoughtSessions,
): Promise<readonly RunRow[]> {
  const newest = (more: Partial<RunFilter>) => newestOfEach(context, { ...wanted, ...more });
  if (scenario === undefined) return (await newest({})).found;
  const labelled = await newest({ terms: [term.label('scenario', scenario)] });
  const named = await newest({ app: scenario });
  const meant = [...labelled.found, ...named.found.filter((row) => scenarioOf(row) === scenario)];
  const each = new Map(meant.map((row) => [row.run, row]));
  return [...each.values()].toSorted((one, other) => other.createdAt - one.createdAt).slice(0, wanted.limit);
}

/** Every turn of a session carries the scenario it was begun with. */
function scenarioOf({ facts, app }: RunRow): string {
  return facts.labels['scenario'] ?? app;
}

/** A session as the index has it: of its journals none is read. */
export async function listedSession(
  { home }: { readonly home: Pick<ServerContext['home'], 'dispatch'> },
  { tenant, conversation }: RunRow,
): Promise<z.infer<typeof ListedSession>> {
  return summary(conversation, await runsOf(home.dispatch, { tenant, conversation }));
}

function summary(id: string, rows: readonly RunRow[]): z.infer<typeof ListedSession> {
  const [first] = rows;
  const last = rows.at(-1);
  if (!first || !last) throw new RangeError('a session has at least one turn');
  return {
    id,
    scenario: scenarioOf(first),
    alert_text: first.title.slice(0, 100),
    status: sessionStatus(last),
    step_count: rows.reduce((sum, { facts }) => sum + (facts.delegated ?? 0), 0),
    created_at: new Date(first.createdAt).toISOString(),
    updated_at: new Date(last.updatedAt).toISOString(),
  };
}

/** A session as its schema has it; what may be long is told while it is sent. */
export async function wholeSession(
  context: ServerContext,
  turns: readonly Turn[],
  { id, ...hearing }: Hearing & { readonly id: string },
): Promise<JsonParts> {
  const [first] = turns;
  const asked = first && (await exchangeOf(context, first.row)).text;
  return {
    ...summary(
      id,
      turns.map(({ row }) => row),
    ),
    step_count: turns.reduce((sum, { cards }) => sum + cards, 0),
    ...(typeof asked === 'string' ? { alert_text: asked } : {}),
    ...(await endOf(context, turns, hearing)),
    thread_id: id,
    turn_count: turns.length,
    event_log: eventsOf(context, turns, hearing),
    steps: cardsOf(context, turns, hearing),
  };
}

/** How the last turn ended. One that said nothing, as it failed or was stopped before, leaves the diagnosis as it was. */
async function endOf(
  context: ServerContext,
  turns: readonly Turn[],
  { signal }: Hearing,
): Promise<Pick<z.infer<typeof Session>, 'diagnosis' | 'run_meta' | 'error_detail'>> {
  const turn = turns.at(-1);
  if (!turn) return { diagnosis: '', run_meta: null, error_detail: '' };
  const last = new Map<string, string>();
  for await (const { event, data } of framesOf(context, turn, { signal }))
    if (ending.has(event)) last.set(event, data);
  const said = textIn(last.get('message'), 'text');
  return {
    diagnosis: said || (await endOf(context, turns.slice(0, -1), { signal })).diagnosis,
    run_meta: JSON.parse(last.get('run_complete') ?? 'null'),
    error_detail: textIn(last.get('error'), 'message'),
  };
}

const ending: ReadonlySet<string> = new Set(['message', 'run_complete', 'error']);

async function* eventsOf(
  context: ServerContext,
  turns: readonly Turn[],
  hearing: Hearing,
): AsyncGenerator<z.infer<typeof Session>['event_log'][number]> {
  for (const [i, turn] of turns.entries())
    for await (const { event, data, at } of inOrderOfStarting(() => framesOf(context, turn, hearing)))
      yield { event, data, turn: i + 1, timestamp: new Date(at).toISOString() };
}

/** Every card that was opened, with how it ended if it has. */
async function* cardsOf(
  context: ServerContext,
  turns: readonly Turn[],
  { signal }: Hearing,
): AsyncGenerator<z.infer<typeof Card>> {
  for (const turn of turns) {
    const cards = new Map<number, z.infer<typeof Card>>();
    for await (const { event, data } of framesOf(context, turn, { signal })) {
      if (event !== 'step_started' && event !== 'step_complete') continue;
      const status = event === 'step_started' ? 'in_progress' : 'complete';
      const card = Card.parse({ ...(JSON.parse(data) as object), status });
      cards.set(card.step, card);
    }
    yield* cards.values();
  }
}

function textIn(data: string | undefined, field: string): string {
  const text: unknown = data && Reflect.get(JSON.parse(data) as object, field);
  return typeof text === 'string' ? text : '';
}
