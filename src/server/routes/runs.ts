import { z } from 'zod';
import { decodeAll, framesAfter } from '../../run/codec.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { RunPage, RunStatus } from '../../run/native-api.ts';
import { FlatTree, flatParts, flatTree } from '../../run/flat-tree.ts';
import { damageOf, goodChunks } from '../runs/good-chunks.ts';
import type { ServerContext } from '../context.ts';
import { Asked } from '../viewers/preferring.ts';
import { EntryShape, flag, largestPage, listedRun, pageSize, smallRun, whole } from './shapes.ts';
import { route } from './route.ts';

const mostEntries = 10_000;
/** Of what the journal has, at least one entry. Bytes. */
const entryPage = 256 * 1024;

export const runRoutes = [
  route({
    method: 'GET',
    path: '/api/runs',
    about: 'Runs, the newest first.',
    tag: 'runs',
    role: 'viewer',
    addresses: 'tenant',
    query: z.strictObject({
      app: z.string().max(100).optional(),
      conversation: z.string().max(200).optional(),
      status: RunStatus.optional(),
      unfinished: flag.optional(),
      /** Only those that ask something. */
      waiting: flag.optional(),
      /** A part of the title, whatever its case. */
      search: z.string().min(1).max(200).optional(),
      /** The last run of the page before. */
      after: z.string().max(200).optional(),
      limit: whole(1, largestPage).optional(),
    }),
    answers: {
      200: { about: 'A page of runs.', schema: RunPage },
    },
    async handle({ context, caller: { tenant }, query: { waiting, limit = pageSize, ...query } }) {
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
      const rows = await context.home.dispatch.list({
        tenant,
        limit: limit + 1,
        ...filter,
        ...(waiting ? { withApprovals: true } : {}),
      });
      const runs = rows.slice(0, limit).map(listedRun);
      return { status: 200, json: { runs, next: rows.length > limit ? (runs.at(-1)?.run ?? null) : null } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs/:run',
    about:
      'A run as the tree of its steps, as a viewer of its events has it: now, or when an entry was the last.',
    tag: 'runs',
    role: 'viewer',
    addresses: 'run',
    query: z.strictObject({ at: whole(0, Number.MAX_SAFE_INTEGER).optional(), ...Asked }),
    answers: {
      200: { about: 'The flat tree.', schema: FlatTree },
      409: { about: 'The moment is in the future of the run.' },
    },
    async handle({ context, subject: row, query: { at, ...asked }, heavy, signal }) {
      if (at !== undefined && at > row.head) {
        throw new RunError(
          'rejected',
          `Run ${row.run} has come to entry ${row.head}; ${at} is in its future.`,
        );
      }
      const look = { preferences: context.home.preferences(row.app, asked), at, signal };
      if (row.bytes <= smallRun) {
        const tree = await context.trees.shown(row, look);
        return { status: 200, json: { ...flatTree(tree, row.run), ...damageOf(row, tree, at) } };
      }
      await heavy(row.bytes);
      const tree = await context.trees.still(row, look);
      return { status: 200, parts: { ...flatParts(tree, row.run), ...damageOf(row, tree, at) } };
    },
  }),
  route({
    method: 'GET',
    path: '/api/runs/:run/entries',
    about: 'What happened, as the journal has it: all of it, whatever anybody prefers to see.',
    tag: 'runs',
    role: 'viewer',
    addresses: 'run',
    query: z.strictObject({
      after: whole(0, Number.MAX_SAFE_INTEGER).optional(),
      limit: whole(1, mostEntries).optional(),
    }),
    answers: {
      200: {
        about: 'Entries after the cursor, in order: not all that were asked for where they are large.',
        schema: z.object({ entries: z.array(EntryShape), next: z.int().nullable() }),
      },
      409: { about: 'The cursor is in the future of the run.' },
    },
    async handle({ context, subject: { run, head }, query: { after = 0, limit = 1_000 } }) {
      if (after > head)
        throw new RunError('rejected', `Run ${run} has come to entry ${head}; ${after} is in its future.`);
      const entries = await entriesAfter(context, { run, after, limit, head });
      const last = entries.at(-1)?.seq ?? after;
      return { status: 200, json: { entries, next: last < head ? last : null } };
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
