import { inPlaces } from '../../engine/conversation/places.ts';
import { isBlobRef, type BlobRef } from '../../run/values.ts';
import type { RunFilter, RunRow } from '../../stores/store.ts';
import * as native from '../../wire/native/conversations.ts';
import type { Exchange, ListedConversation } from '../../wire/native/conversations.ts';
import { largestPage, pageSize } from '../../wire/native/query.ts';
import { runsOf } from '../../front/erase.ts';
import { shownRows } from '../apps/hidden-apps.ts';
import type { ServerContext } from '../context.ts';
import { missing } from '../runs/quotas.ts';
import { endedOf, startedOf } from '../runs/run-edges.ts';
import { route, pageWithin, placeIn } from './route.ts';

export const conversationRoutes = [
  route({
    ...native.listConversations,
    async handle({ context, caller, query: { after, limit = pageSize } }) {
      const { found, next } = await newestOfEach(context, { tenant: caller.tenant, limit, after });
      const shown = await shownRows(context, caller, found);
      return { status: 200, json: { conversations: shown.map(listed), next } };
    },
  }),
  route({
    ...native.readConversation,
    async handle({
      context,
      caller: { tenant },
      subject: { conversation },
      query: { after, limit = largestPage },
    }) {
      const rows = inPlaces((await runsOf(context.home.dispatch, { tenant, conversation })).toReversed());
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
    ...native.eraseConversation,
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
  await context.home.front.erase({ tenant, conversation, by: who });
}

/** The newest run of each conversation, newest first. */
export async function newestOfEach(
  { home }: ServerContext,
  { limit, ...filter }: RunFilter & { readonly limit: number },
): Promise<{ readonly found: readonly RunRow[]; readonly next: string | null }> {
  const rows = await home.dispatch.list({ ...filter, newestOfEach: true, limit: limit + 1 });
  const found = rows.slice(0, limit);
  return { found, next: rows.length > limit ? (found.at(-1)?.run ?? null) : null };
}

function listed(row: RunRow): ListedConversation {
  const { conversation, app, title, status, run, updatedAt } = row;
  return { conversation, app, title, status, run, updatedAt, ...damageIn(row) };
}

function damageIn({ damaged: after }: RunRow): { readonly damaged?: number } {
  return after === null ? {} : { damaged: after };
}

export async function exchangeOf(context: ServerContext, row: RunRow): Promise<Exchange> {
  const { run, app, status, title, createdAt } = row;
  const started = await startedOf(context, row);
  const ended = await endedOf(context, row);
  const text = await wholeText(context, row.tenant, started?.input.text ?? title);
  const answer = ended?.answer === undefined ? null : await wholeText(context, row.tenant, ended.answer);
  return { run, app, status, text, answer, createdAt, ...damageIn(row), ...placeIn(row) };
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
