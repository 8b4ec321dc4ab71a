import { z } from 'zod';
import { RunStatus } from '../../run/native-api.ts';
import { isBlobRef, BlobRef } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';
import { commandRun, sameAgain } from '../runs/command-run.ts';
import { eraseConversation, runsOf } from '../runs/erase.ts';
import type { ServerContext } from '../context.ts';
import { missing } from '../runs/owner.ts';
import { endedOf, startedOf } from '../runs/run-edges.ts';
import { route } from './route.ts';
import { largestPage, pageSize, pageWithin, whole } from './shapes.ts';

/** The last good entry of that run, where it is damaged. */
const damaged = z.int().optional();

const ListedConversation = z.object({
  conversation: z.string(),
  app: z.string(),
  /** What was asked last. */
  title: z.string(),
  /** Of its newest run. */
  status: RunStatus,
  run: z.string(),
  updatedAt: z.number(),
  damaged,
});

const Exchange = z.object({
  run: z.string(),
  app: z.string(),
  status: RunStatus,
  text: z.union([z.string(), BlobRef]),
  answer: z.union([z.string(), BlobRef]).nullable(),
  createdAt: z.number(),
  damaged,
});

export const conversationRoutes = [
  route({
    method: 'GET',
    path: '/api/conversations',
    about: 'Conversations, the one with the newest run first.',
    tag: 'conversations',
    role: 'viewer',
    addresses: 'tenant',
    query: z.strictObject({ after: z.string().max(200).optional(), limit: whole(1, largestPage).optional() }),
    answers: {
      200: {
        about: 'A page of conversations.',
        schema: z.object({ conversations: z.array(ListedConversation), next: z.string().nullable() }),
      },
    },
    async handle({ context, caller: { tenant }, query: { after, limit = pageSize } }) {
      const { found, next } = await newestOfEach(context, { tenant, after, limit });
      return { status: 200, json: { conversations: found.map(listed), next } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/conversations/:conversation',
    about: 'What was asked and answered, the oldest first.',
    tag: 'conversations',
    role: 'viewer',
    addresses: 'conversation',
    query: z.strictObject({
      /** The last run of the page before. */
      after: z.string().max(200).optional(),
      limit: whole(1, largestPage).optional(),
    }),
    answers: {
      200: {
        about: 'A page of the history.',
        schema: z.object({
          conversation: z.string(),
          exchanges: z.array(Exchange),
          next: z.string().nullable(),
        }),
      },
    },
    async handle({
      context,
      caller: { tenant },
      subject: { conversation },
      query: { after, limit = largestPage },
    }) {
      const rows = await runsOf(context.home.dispatch, { tenant, conversation });
      const place = after === undefined ? 0 : rows.findIndex(({ run }) => run === after) + 1;
      if (after !== undefined && place === 0) throw missing('run', after);
      const wanted = rows.slice(place, place + limit);
      const exchanges = await pageWithin(wanted, (row) => exchangeOf(context, row));
      const isAll = place + exchanges.length === rows.length;
      return {
        status: 200,
        json: { conversation, exchanges, next: isAll ? null : (exchanges.at(-1)?.run ?? null) },
      };
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/conversations/:conversation',
    about: 'Erase a conversation: its runs are stopped, and every trace of them is gone.',
    tag: 'conversations',
    role: 'member',
    addresses: 'conversation',
    answers: {
      204: { about: 'It is gone.' },
      409: {
        about:
          'What was under way was stopped and may have happened. Nothing was erased; asked again, it is.',
      },
    },
    async handle({ context, caller, subject: { conversation } }) {
      await eraseFor(context, caller, conversation);
      return { status: 204 };
    },
  }),
];

/** The runs of a conversation are stopped, and every trace of them is gone. */
export async function eraseFor(
  context: ServerContext,
  { tenant, who }: { readonly tenant: string; readonly who: string },
  conversation: string,
): Promise<void> {
  const { engine, store, tellErased } = context.home;
  const command = { type: 'stop', by: who, reason: 'The conversation is erased.' } as const;
  const erasing = {
    dispatch: store.dispatch,
    journal: store.journal,
    stop: (row: RunRow) => commandRun(context, row, { command, id: sameAgain('stop', row.run) }),
    released: (run: string) => engine.released(run),
    forget: tellErased,
  };
  await eraseConversation(erasing, { tenant, conversation });
}

interface Page {
  readonly tenant: string;
  readonly after: string | undefined;
  readonly limit: number;
}

/** Runs come newest first, so the first of each conversation is its newest. */
export async function newestOfEach(
  context: ServerContext,
  { tenant, after, limit }: Page,
): Promise<{ readonly found: readonly RunRow[]; readonly next: string | null }> {
  const newest = new Map<string, RunRow>();
  for (let place = after; ;) {
    const paging = place === undefined ? {} : { after: place };
    const rows = await context.home.dispatch.list({ tenant, limit: largestPage, ...paging });
    for (const row of rows) {
      if (newest.has(row.conversation) || (await isOlder(context, row, after))) continue;
      if (newest.size === limit)
        return { found: [...newest.values()], next: [...newest.values()].at(-1)?.run ?? null };
      newest.set(row.conversation, row);
    }
    place = rows.at(-1)?.run;
    if (rows.length < largestPage) return { found: [...newest.values()], next: null };
  }
}

/** Whether a conversation was on an earlier page already, by a newer run. */
async function isOlder(
  context: ServerContext,
  { tenant, conversation, run }: RunRow,
  after: string | undefined,
): Promise<boolean> {
  if (after === undefined) return false;
  const [first] = await context.home.dispatch.list({ tenant, conversation, limit: 1 });
  return first?.run !== run;
}

function listed(row: RunRow): z.infer<typeof ListedConversation> {
  const { conversation, app, title, status, run, updatedAt } = row;
  return { conversation, app, title, status, run, updatedAt, ...damageIn(row) };
}

function damageIn({ damaged: after }: RunRow): { readonly damaged?: number } {
  return after === null ? {} : { damaged: after };
}

export async function exchangeOf(context: ServerContext, row: RunRow): Promise<z.infer<typeof Exchange>> {
  const { run, app, status, title, createdAt } = row;
  const started = await startedOf(context, row);
  const ended = await endedOf(context, row);
  const text = await wholeText(context, row.tenant, started?.input.text ?? title);
  const answer = ended?.answer === undefined ? null : await wholeText(context, row.tenant, ended.answer);
  return { run, app, status, text, answer, createdAt, ...damageIn(row) };
}

/** A text, wherever it is kept; the reference where it is too long for an answer. */
async function wholeText(
  context: ServerContext,
  tenant: string,
  value: string | BlobRef,
): Promise<string | BlobRef> {
  if (!isBlobRef(value) || value.size > longestText) return value;
  const kept = await context.home.blobs.get(tenant, value.blob);
  const text: unknown = kept === undefined ? undefined : JSON.parse(kept);
  return typeof text === 'string' ? text : value;
}

const longestText = 200_000;
