import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Caller } from '../caller.ts';
import { commandRun, sameAgain } from '../command-run.ts';
import type { House } from '../house.ts';
import { eventCount, sessionStatus, turnsOf, type Turn } from '../session-log.ts';
import { eraseConversation, newestOfEach } from './conversations.ts';
import { route } from './route.ts';
import { startRun } from './start-run.ts';

const SessionStatus = z.enum(['pending', 'in_progress', 'completed', 'failed', 'cancelled']);

const ListedSession = z.object({
  id: z.string(),
  scenario: z.string(),
  /** The first 100 characters. */
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

const Session = ListedSession.extend({
  event_log: z.array(z.object({ event: z.string(), data: z.string(), turn: z.int(), timestamp: z.string() })),
  steps: z.array(Card),
  diagnosis: z.string(),
  run_meta: z.object({ steps: z.int(), tokens: z.number(), time: z.string() }).nullable(),
  error_detail: z.string(),
  thread_id: z.string(),
  turn_count: z.int(),
});

const listed = 100;

export const sessionRoutes = [
  route({
    method: 'POST',
    path: '/api/sessions',
    about: 'Begin an investigation. An app of the scenario’s name is run, or the default app.',
    tag: 'console',
    role: 'member',
    addresses: 'tenant',
    body: z.strictObject({
      scenario: z.string().min(1).max(200),
      alert_text: z.string().min(1).max(1_000_000),
    }),
    answers: {
      200: { about: 'It has begun.', schema: z.object({ session_id: z.string(), status: SessionStatus }) },
      429: { about: 'Too many are under way.' },
    },
    async handle({ house, caller, body: { scenario, alert_text: text } }) {
      await expectPlace(house, caller.tenant);
      const isApp = house.home.apps.some(({ name }) => name === scenario);
      const started = await startRun(house, caller, {
        ...(isApp ? { app: scenario } : {}),
        input: { text },
        labels: { scenario },
      });
      return { status: 200, json: { session_id: started.conversation, status: 'in_progress' } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions',
    about: 'Investigations, the newest first.',
    tag: 'console',
    role: 'viewer',
    addresses: 'tenant',
    query: z.strictObject({ scenario: z.string().max(200).optional() }),
    answers: {
      200: { about: `At most ${listed}.`, schema: z.object({ sessions: z.array(ListedSession) }) },
    },
    async handle({ house, caller: { tenant }, query: { scenario } }) {
      const { found } = await newestOfEach(house, { tenant, after: undefined, limit: listed });
      const sessions = [];
      for (const row of found) sessions.push(await listedSession(house, row));
      const meant = sessions.filter((session) => scenario === undefined || session.scenario === scenario);
      return { status: 200, json: { sessions: meant } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:conversation',
    about: 'An investigation with all its events; steps that are under way are among its steps.',
    tag: 'console',
    role: 'viewer',
    addresses: 'conversation',
    answers: { 200: { about: 'The session.', schema: Session } },
    async handle({ house, caller: { tenant }, subject: { conversation } }) {
      const turns = await turnsOf(house, tenant, conversation);
      return { status: 200, json: await wholeSession(house, conversation, turns) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:conversation',
    about: 'Erase an investigation.',
    tag: 'console',
    role: 'member',
    addresses: 'conversation',
    answers: { 200: { about: 'It is gone.', schema: z.object({ deleted: z.literal(true) }) } },
    async handle({ house, caller, subject: { conversation } }) {
      await eraseConversation(house, caller, conversation);
      return { status: 200, json: { deleted: true } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:conversation/message',
    about: 'Ask a further question, when the last one is answered.',
    tag: 'console',
    role: 'member',
    addresses: 'conversation',
    body: z.strictObject({ text: z.string().min(1).max(1_000_000) }),
    answers: {
      200: {
        about: 'It has begun; watch from the offset.',
        schema: z.object({ status: z.literal('processing'), turn: z.int(), event_offset: z.int() }),
      },
      409: { about: 'The last question is not answered yet.' },
    },
    async handle({ house, caller, subject: { conversation, newest }, body: { text } }) {
      if (newest.state !== 'ended')
        throw new RunError('rejected', 'The last question is not answered yet: wait for it, or cancel it.');
      const turns = await turnsOf(house, caller.tenant, conversation);
      const { labels } = (await house.trees.of(newest)).started ?? { labels: {} };
      await startRun(house, caller, { app: newest.app, input: { text }, conversation, labels });
      const json = { status: 'processing', turn: turns.length + 1, event_offset: eventCount(turns) };
      return { status: 200, json };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:conversation/cancel',
    about: 'Stop what is under way, at once and at every depth.',
    tag: 'console',
    role: 'member',
    addresses: 'conversation',
    answers: {
      200: {
        about: 'How it stands.',
        schema: z.object({ status: z.string(), message: z.string().optional() }),
      },
    },
    async handle({ house, caller, subject: { newest } }) {
      if (newest.state === 'ended')
        return { status: 200, json: { status: sessionStatus(newest), message: 'Not running' } };
      await cancel(house, newest, caller);
      return { status: 200, json: { status: 'cancelling' } };
    },
  }),
];

async function cancel(house: House, row: RunRow, { who }: Caller): Promise<void> {
  const command = { type: 'stop', by: who } as const;
  await commandRun(house, row, { command, id: sameAgain('stop', row.run) });
}

/** Sessions that are worked on now; those that wait for a person cost nothing. */
async function expectPlace(house: House, tenant: string): Promise<void> {
  const most = house.quotas.sessions;
  const unfinished = await house.home.dispatch.list({ tenant, unfinished: true, limit: 200 });
  const busy = new Set(
    unfinished.filter(({ state }) => state !== 'waiting').map(({ conversation }) => conversation),
  );
  if (busy.size < most) return;
  throw new RunError('over-budget', `${most} sessions are under way: wait for one, or cancel it.`, {
    retryable: true,
  });
}

async function listedSession(house: House, newest: RunRow): Promise<z.infer<typeof ListedSession>> {
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
  const started = (await house.trees.of(first)).started;
  return {
    id,
    scenario: started?.labels['scenario'] ?? first.app,
    alert_text: first.title.slice(0, 100),
    status: sessionStatus(last),
    step_count: cardsOf(turns).length,
    created_at: new Date(first.createdAt).toISOString(),
    updated_at: new Date(last.updatedAt).toISOString(),
  };
}

async function wholeSession(
  house: House,
  id: string,
  turns: readonly Turn[],
): Promise<z.infer<typeof Session>> {
  const last = turns.at(-1)?.frames ?? [];
  const metas = last.filter(({ event }) => event === 'run_complete').map(({ data }) => JSON.parse(data));
  return {
    ...(await summary(house, id, turns)),
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
