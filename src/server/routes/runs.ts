import { z } from 'zod';
import { decodeAll } from '../../run/codec.ts';
import { RunError } from '../../run/failure.ts';
import { RunPage, RunStatus } from '../../run/native-api.ts';
import { FlatTree, flatTree } from '../../run/flat-tree.ts';
import type { Entry } from '../../run/events.ts';
import { present } from '../../run/present.ts';
import type { Chunk } from '../../stores/store.ts';
import { damagedAt, goodChunks } from '../good-chunks.ts';
import { Asked } from '../preferring.ts';
import { EntryShape, flag, largestPage, listedRun, pageSize, whole } from './shapes.ts';
import { route } from './route.ts';

const mostEntries = 10_000;

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
    async handle({ house, caller: { tenant }, query: { waiting, limit = pageSize, ...query } }) {
      const filter = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
      const rows = await house.home.dispatch.list({
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
    async handle({ house, subject: row, query: { at, ...asked } }) {
      if (at !== undefined && at > row.head) {
        throw new RunError(
          'rejected',
          `Run ${row.run} has come to entry ${row.head}; ${at} is in its future.`,
        );
      }
      const preferences = house.home.preferences(row.app, asked);
      const tree = await house.trees.shown(row, preferences, at);
      const damaged = damagedAt(tree, Math.min(row.head, at ?? row.head));
      return { status: 200, json: { ...flatTree(tree, row.run), ...present({ damaged }) } };
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
        about: 'Entries after the cursor, in order.',
        schema: z.object({ entries: z.array(EntryShape), next: z.int().nullable() }),
      },
      409: { about: 'The cursor is in the future of the run.' },
    },
    async handle({ house, subject: { run, head }, query: { after = 0, limit = 1_000 } }) {
      if (after > head)
        throw new RunError('rejected', `Run ${run} has come to entry ${head}; ${after} is in its future.`);
      const goodRead = (of: string, from: number) => goodChunks(house.home.journal, of, from);
      const entries: Entry[] = [];
      let last = after;
      while (entries.length < limit && last < head) {
        // Whoever has all that is good is told of the damage when they come back for more.
        const read = entries.length === 0 ? house.home.journal.read : goodRead;
        const chunks: readonly Chunk[] = await read(run, last);
        const fresh = chunks.flatMap(({ frames }) => decodeAll(frames)).filter(({ seq }) => seq > last);
        if (fresh.length === 0) break;
        entries.push(...fresh.slice(0, limit - entries.length));
        last = entries.at(-1)?.seq ?? last;
      }
      return { status: 200, json: { entries, next: last < head ? last : null } };
    },
  }),
];
