import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';
import { whole } from '../../wire/native/query.ts';
import { Labels } from '../../wire/native/starting.ts';
import type { Caller } from '../access/honest.ts';
import { stopOf } from '../../front/same-again.ts';
import { appsFor } from '../apps/apps-for.ts';
import type { ServerContext } from '../context.ts';
import { startedOf } from '../runs/run-edges.ts';
import { eventCount, Generation, sessionStatus, turnsOf } from '../sessions/session-turns.ts';
import {
  listed,
  ListedSession,
  listedSession,
  newestSessions,
  Session,
  SessionStatus,
  wholeSession,
} from '../sessions/session.ts';
import { shownRows } from '../apps/hidden-apps.ts';
import { eraseFor } from './conversations.ts';
import { route } from './route.ts';
import { startRun } from './start-run.ts';

export const sessionRoutes = [
  route({
    method: 'POST',
    path: '/api/sessions',
    about:
      'Begin an investigation. An app of the scenario’s name is run, or the default app, also where none is said.',
    tag: 'console',
    role: 'member',
    addresses: 'tenant',
    body: z.strictObject({
      scenario: z.string().max(200).optional(),
      alert_text: z.string().min(1).max(1_000_000),
      /** As of any run: `converse.protocol` and the like choose for this investigation. */
      labels: Labels.optional(),
    }),
    answers: {
      200: {
        about: 'It has begun; `message` says so where the scenario is no app.',
        schema: z.object({ session_id: z.string(), status: SessionStatus, message: z.string().optional() }),
      },
      429: { about: 'Too many are under way.' },
    },
    async handle({ context, caller, body: { scenario = '', alert_text: text, labels } }) {
      const started = await startSession(context, caller, { scenario, text, labels });
      const message =
        scenario === '' ? undefined : whyDefault(context, await appsFor(context, caller), scenario);
      const json = { session_id: started.conversation, status: 'in_progress', message };
      return { status: 200, json };
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions',
    about: 'Investigations, the newest first.',
    tag: 'console',
    role: 'viewer',
    addresses: 'tenant',
    query: z.strictObject({
      scenario: z.string().max(200).optional(),
      limit: whole(1, listed).optional(),
    }),
    answers: {
      200: { about: `At most ${listed}.`, schema: z.object({ sessions: z.array(ListedSession) }) },
    },
    async handle({ context, caller, query: { scenario, limit = listed } }) {
      const { tenant } = caller;
      const newest = await newestSessions(context, { tenant, scenario: scenario || undefined, limit });
      const shown = await shownRows(context, caller, newest);
      const sessions = await Promise.all(shown.map((row) => listedSession(context, row)));
      return { status: 200, json: { sessions } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/sessions/:conversation',
    about: 'An investigation with all its events; steps that are under way are among its steps.',
    tag: 'console',
    role: 'viewer',
    addresses: 'conversation',
    query: z.strictObject({ as: Generation.optional() }),
    answers: { 200: { about: 'The session.', schema: Session } },
    async handle({ context, caller: { tenant }, subject: { conversation: id }, query: { as }, ...asker }) {
      const turns = await turnsOf(context, { tenant, session: id }, asker);
      return { status: 200, parts: await wholeSession(context, turns, { id, as, signal: asker.left() }) };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/sessions/:conversation',
    about: 'Erase an investigation.',
    tag: 'console',
    role: 'member',
    addresses: 'conversation',
    query: z.strictObject({ scenario: z.string().max(200).optional() }),
    answers: {
      200: { about: 'It is gone.', schema: z.object({ deleted: z.string() }) },
      409: { about: 'What was stopped may have happened. Nothing was erased; asked again, it is.' },
    },
    async handle({ context, caller, subject: { conversation } }) {
      await eraseFor(context, caller, conversation);
      return { status: 200, json: { deleted: conversation } };
    },
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:conversation/save',
    about: 'Every investigation is kept from its beginning: nothing is left to do.',
    tag: 'console',
    role: 'member',
    addresses: 'conversation',
    answers: { 200: { about: 'It is kept.', schema: z.object({ saved: z.string() }) } },
    handle: ({ subject: { conversation } }) => ({ status: 200, json: { saved: conversation } }),
  }),
  route({
    method: 'POST',
    path: '/api/sessions/:conversation/message',
    about: 'Ask a further question, when the last one is answered.',
    tag: 'console',
    role: 'member',
    addresses: 'conversation',
    query: z.strictObject({ as: Generation.optional() }),
    body: z.strictObject({ text: z.string().min(1).max(1_000_000) }),
    answers: {
      200: {
        about: 'It has begun; watch from the offset.',
        schema: z.object({ status: z.literal('processing'), turn: z.int(), event_offset: z.int() }),
      },
      409: { about: 'The last question is not answered yet.' },
    },
    async handle({
      context,
      caller,
      subject: { conversation, newest },
      query: { as },
      body: { text },
      ...asker
    }) {
      if (newest.state !== 'ended')
        throw new RunError('rejected', 'The last question is not answered yet: wait for it, or cancel it.');
      const turns = await turnsOf(context, { tenant: caller.tenant, session: conversation, as }, asker);
      const { labels } = (await startedOf(context, newest)) ?? { labels: {} };
      await startRun(context, caller, { app: newest.app, input: { text }, conversation, labels });
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
    async handle({ context, caller, subject: { newest } }) {
      if (newest.state === 'ended')
        return { status: 200, json: { status: sessionStatus(newest), message: 'Not running' } };
      await cancel(context, newest, caller);
      return { status: 200, json: { status: 'cancelling' } };
    },
  }),
];

interface NewSession {
  readonly scenario: string;
  readonly text: string;
  readonly labels?: z.infer<typeof Labels>;
}

/** Begin a session: with the app of its scenario, if there is one, or the default app. */
export async function startSession(
  context: ServerContext,
  caller: Caller,
  { scenario, text, labels }: NewSession,
): Promise<{ readonly run: string; readonly conversation: string }> {
  await expectPlace(context, caller.tenant);
  const apps = await appsFor(context, caller);
  const isApp = apps.some(({ name }) => name === scenario);
  if (!isApp && context.defaultApp === undefined) {
    const known = apps.map(({ name }) => name).join(', ');
    throw new RunError(
      'malformed',
      `No app is called «${scenario}», and «defaultApp» is not set: «scenario» is one of ${known}.`,
    );
  }
  return startRun(context, caller, {
    app: isApp ? scenario : undefined,
    input: { text },
    labels: { ...labels, ...(scenario === '' ? {} : { scenario }) },
  });
}

/** What somebody should know whose scenario is another word than any app's. */
function whyDefault(
  { defaultApp }: ServerContext,
  apps: readonly { readonly name: string }[],
  scenario: string,
): string | undefined {
  const names = apps.map(({ name }) => name);
  if (names.includes(scenario)) return undefined;
  return `No app is called «${scenario}» (there is ${names.join(', ')}), so «${defaultApp}» works on it.`;
}

async function cancel(context: ServerContext, row: RunRow, { who }: Caller): Promise<void> {
  const command = { type: 'stop', by: who } as const;
  await context.home.front.command(row, { command, id: stopOf(row.run) });
}

/** Sessions that are worked on now; those that wait for a person cost nothing. */
async function expectPlace(context: ServerContext, tenant: string): Promise<void> {
  const most = context.quotas.sessions;
  const running = await context.home.dispatch.list({ tenant, status: 'running', limit: 200 });
  const busy = new Set(
    running.filter(({ state }) => state !== 'waiting').map(({ conversation }) => conversation),
  );
  if (busy.size < most) return;
  throw new RunError('over-budget', `${most} sessions are under way: wait for one, or cancel it.`, {
    retryable: true,
  });
}
