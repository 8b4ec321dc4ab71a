import { strandedBy } from '../../engine/recovery/stranded.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { flatParts, flatTree } from '../../run/flat-tree.ts';
import { damageOf, goodChunks } from '../../front/good-chunks.ts';
import { runFilter } from '../runs/run-filter.ts';
import type { ServerContext } from '../context.ts';
import { pageSize } from '../../wire/native/query.ts';
import {
  exportedFile,
  exportRun,
  listRuns,
  readEntries,
  readSummary,
  readTree,
} from '../../wire/native/runs.ts';
import { conversationBy } from '../runs/quotas.ts';
import { exportedName, exportedRun } from '../runs/exported-run.ts';
import { leftIn, listedRun, smallRun, route } from './route.ts';
import { shownTo } from '../viewers/channels.ts';
import { shownRows } from '../apps/hidden-apps.ts';
import { decodeAll, framesAfter } from '../../run/entries.ts';

/** Of what the journal has, at least one entry. Bytes. */
const entryPage = 256 * 1024;

export const runRoutes = [
  route({
    ...listRuns,
    async handle({ context, caller, query: { limit = pageSize, ...query } }) {
      const { tenant } = caller;
      const { conversation: given } = query;
      const conversation =
        given && ((await conversationBy({ context, caller }, given))?.conversation ?? given);
      const { store, dispatch, catalog } = context.home;
      const left = leftIn(context);
      // Before the runs: what changes while they are read is told again rather than not at all.
      const { last: feed } = await store.feed.read({ tenant, limit: 0 });
      const rows = await dispatch.list({
        ...runFilter(tenant, { ...query, conversation }),
        limit: limit + 1,
      });
      const page = rows.slice(0, limit);
      const runs = (await shownRows(context, caller, page)).map((row) => ({
        ...listedRun(row, catalog),
        left: left(row),
      }));
      const next = rows.length > limit ? (page.at(-1)?.run ?? null) : null;
      return { status: 200, json: { runs, next, feed } };
    },
  }),
  route({
    ...readSummary,
    handle({ context, caller, subject: row, query }) {
      const listed = listedRun(row, context.home.catalog);
      const shown = shownTo({ context, caller }, row.app, query);
      return { status: 200, json: { ...listed, left: leftIn(context)(row), flow: row.flow, shown } };
    },
  }),
  route({
    ...readTree,
    async handle({ context, caller, subject: row, query: { at, ...asked }, heavy, left }) {
      if (at !== undefined && at > row.head) {
        throw new RunError(
          'rejected',
          `Run ${row.run} has come to entry ${row.head}; ${at} is in its future.`,
        );
      }
      const stranded = at === undefined ? strandedBy(context.home.catalog, row) : undefined;
      const look = { preferences: shownTo({ context, caller }, row.app, asked), at, signal: left() };
      if (row.bytes <= smallRun) {
        const tree = await context.trees.shown(row, look);
        return { status: 200, json: { ...flatTree(tree, row.run), ...damageOf(row, tree, at), stranded } };
      }
      await heavy(row.bytes);
      const tree = await context.trees.still(row, look);
      return { status: 200, parts: { ...flatParts(tree, row.run), ...damageOf(row, tree, at), stranded } };
    },
  }),
  route({
    ...readEntries,
    async handle({ context, subject: { run, head }, query: { after = 0, limit = 1_000 } }) {
      if (after > head)
        throw new RunError('rejected', `Run ${run} has come to entry ${head}; ${after} is in its future.`);
      const entries = await entriesAfter(context, { run, after, limit, head });
      const last = entries.at(-1)?.seq ?? after;
      return { status: 200, json: { entries, next: last < head ? last : null } };
    },
  }),
  route({
    ...exportRun,
    async handle({ context, subject: row, heavy }) {
      // As much as is read at once: the largest of what it keeps, or a page of its entries.
      await heavy(Math.min(row.bytes, exportedFile.each));
      const content = exportedRun(context.home, row, { now: context.now() });
      return {
        status: 200,
        bytes: { type: 'text/html; charset=utf-8', content },
        headers: { 'content-disposition': `attachment; filename="${exportedName(row.run)}"` },
      };
    },
  }),
];

interface EntryPage {
  readonly run: string;
  readonly after: number;
  readonly limit: number;
  readonly head: number;
}

async function entriesAfter(
  context: ServerContext,
  { limit, ...place }: EntryPage,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [];
  let size = 0;
  for await (const frame of framesIn(context, place)) {
    size += frame.length;
    if (entries.length > 0 && size > entryPage) break;
    entries.push(...decodeAll(frame));
    if (entries.length >= limit) break;
  }
  return entries;
}

async function* framesIn(
  { home }: ServerContext,
  { run, after, head }: Omit<EntryPage, 'limit'>,
): AsyncGenerator<string> {
  for (let last = after; last < head;) {
    // Whoever has all that is good is told of the damage when they come back for more.
    const chunks =
      last === after ? await home.journal.read(run, last) : await goodChunks(home.journal, run, last);
    for (const { frames } of chunks)
      for (const frame of framesAfter(frames, after).split('\n\n')) if (frame !== '') yield frame;
    const reached = chunks.at(-1)?.last ?? head;
    last = Math.max(last + 1, reached);
  }
}
