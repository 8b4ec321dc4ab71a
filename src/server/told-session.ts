import { z } from 'zod';
import type { RunRow } from '../stores/store.ts';
import type { House } from './house.ts';
import { exchangeOf, newestOfEach } from './routes/conversations.ts';
import { sessionStatus, turnsOf, type Turn } from './session-log.ts';

export const SessionStatus = z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']);

export const ListedSession = z.object({
  id: z.string(),
  scenario: z.string(),
  /** In lists the first 100 characters. */
  alert_text: z.string(),
  status: SessionStatus,
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

/** The newest run of each session, of one scenario if it is said which. */
export async function newestSessions(
  house: House,
  tenant: string,
  scenario: string | undefined,
): Promise<readonly RunRow[]> {
  const meant: RunRow[] = [];
  for (let after: string | undefined; ;) {
    const { found, next } = await newestOfEach(house, { tenant, after, limit: listed });
    for (const row of found) {
      if (scenario === undefined || (await scenarioOf(house, row)) === scenario) meant.push(row);
      if (meant.length === listed) return meant;
    }
    if (next === null) return meant;
    after = next;
  }
}

/** Every turn of a session carries the scenario it was begun with. */
async function scenarioOf(house: House, row: RunRow): Promise<string> {
  return (await house.trees.of(row)).started?.labels['scenario'] ?? row.app;
}

export async function listedSession(house: House, newest: RunRow): Promise<z.infer<typeof ListedSession>> {
  const turns = await turnsOf(house, newest.tenant, newest.conversation);
  return summary(house, newest.conversation, turns);
}

async function summary(
  house: House,
  id: string,
  turns: readonly Turn[],
): Promise<z.infer<typeof ListedSession>> {
  const first = turns[0]?.row;
  const last = turns.at(-1)?.row;
  if (!first || !last) throw new RangeError('a session has at least one turn');
  return {
    id,
    scenario: await scenarioOf(house, first),
    alert_text: first.title.slice(0, 100),
    status: sessionStatus(last),
    step_count: cardsOf(turns).length,
    created_at: new Date(first.createdAt).toISOString(),
    updated_at: new Date(last.updatedAt).toISOString(),
  };
}

export async function wholeSession(
  house: House,
  id: string,
  turns: readonly Turn[],
): Promise<z.infer<typeof Session>> {
  const last = turns.at(-1)?.frames ?? [];
  const metas = last.filter(({ event }) => event === 'run_complete').map(({ data }) => JSON.parse(data));
  const [first] = turns;
  const asked = first && (await exchangeOf(house, first.row)).text;
  return {
    ...(await summary(house, id, turns)),
    ...(typeof asked === 'string' ? { alert_text: asked } : {}),
    event_log: turns.flatMap(({ frames }, i) =>
      frames.map(({ event, data, at }) => ({
        event,
        data,
        turn: i + 1,
        timestamp: new Date(at).toISOString(),
      })),
    ),
    steps: cardsOf(turns),
    diagnosis: lastText(last, 'message', 'text'),
    run_meta: metas.at(-1) ?? null,
    error_detail: lastText(last, 'error', 'message'),
    thread_id: id,
    turn_count: turns.length,
  };
}

/** Every card that was opened, with how it ended if it has. */
function cardsOf(turns: readonly Turn[]): z.infer<typeof Card>[] {
  const cards = new Map<number, z.infer<typeof Card>>();
  for (const { event, data } of turns.flatMap(({ frames }) => frames)) {
    if (event !== 'step_started' && event !== 'step_complete') continue;
    const status = event === 'step_started' ? 'in_progress' : 'complete';
    const card = Card.parse({ ...(JSON.parse(data) as object), status });
    cards.set(card.step, card);
  }
  return [...cards.values()];
}

function lastText(frames: Turn['frames'], wanted: string, field: string): string {
  const found = frames.findLast(({ event }) => event === wanted);
  const text: unknown = found && Reflect.get(JSON.parse(found.data) as object, field);
  return typeof text === 'string' ? text : '';
}
