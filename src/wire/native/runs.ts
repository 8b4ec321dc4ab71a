import { z } from 'zod';
import { RunEvent } from '../../run/events.ts';
import { FlatTree } from '../../run/flat-tree.ts';
import { Preferences } from '../../run/preferences.ts';
import { endpoint } from './endpoint.ts';
import { wordsOf } from '../../run/facts.ts';
import { after, cursorHeader, entry, flag, limit, moment, showing, whole } from './query.ts';

export const RunStatus = z.enum(['running', 'waiting', 'paused', 'completed', 'failed', 'stopped']);

/** A run in a list. */
export const ListedRun = z.object({
  run: z.string(),
  conversation: z.string(),
  app: z.string(),
  title: z.string(),
  status: RunStatus,
  /** Questions that wait for a person. */
  approvals: z.int(),
  /** Its last entry. */
  seq: z.int(),
  /** Of its journal. */
  bytes: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /** What its caller put on it, who worked on it and what they used: absent where there is nothing. */
  labels: z.record(z.string(), z.string()).optional(),
  agents: z.array(z.string()).optional(),
  tools: z.array(z.string()).optional(),
  /** Questions that it has asked, decided or not. */
  asked: z.int().optional(),
  /** Once it has ended: what it used, and how long it took. Milliseconds. */
  tokens: z.object({ input: z.number(), output: z.number(), cost: z.number().optional() }).optional(),
  duration: z.number().optional(),
  /** Its last good entry, where its journal was found damaged. */
  damaged: z.int().optional(),
  /** Why nobody here can go on with it, and what to do. */
  stranded: z.string().optional(),
  /** Nobody works on it: it goes on when somebody takes it up. Lists say so, the feed does not: time alone makes it so. */
  left: z.literal(true).optional(),
  /** The run whose place in the conversation it took. */
  again: z.string().optional(),
  /** The run that took its place: it counts instead of this one. */
  replacedBy: z.string().optional(),
});
export type ListedRun = z.infer<typeof ListedRun>;

/** Some runs, and the one to go on after if there are more. */
export const RunPage = z.object({
  runs: z.array(ListedRun),
  next: z.string().nullable(),
  /** The place in the feed after which all is told that has changed since. */
  feed: z.string().optional(),
});
export type RunPage = z.infer<typeof RunPage>;

const Label = z
  .string()
  .max(1_200)
  .regex(/^[^=]+=/, 'give a name and a value, as project=books');

export const listRuns = endpoint({
  method: 'GET',
  path: '/api/runs',
  about: 'Runs, the newest first. Pages stay as they are while runs are added.',
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
    /** Somebody who worked on it, and a tool that was used. */
    agent: z.string().max(200).optional(),
    tool: z.string().max(200).optional(),
    /** What its caller put on it, as `name=value`; several are all wanted. */
    label: z.union([Label, z.array(Label).max(10)]).optional(),
    /** Words that are all in what was asked, what was answered or what its steps are called: whole words, whatever their case. */
    text: z
      .string()
      .max(200)
      .refine((text) => wordsOf(text).length > 0, { error: 'give at least one word' })
      .optional(),
    /** Created from then on, and before then. */
    since: moment.optional(),
    until: moment.optional(),
    after,
    limit,
  }),
  answers: { 200: { about: 'A page of runs.', schema: RunPage } },
});

export const readTree = endpoint({
  method: 'GET',
  path: '/api/runs/:run',
  about:
    'A run as the tree of its steps, as a viewer of its events has it: now, or when an entry was the last.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  query: z.strictObject({ at: entry, ...showing }),
  answers: {
    200: { about: 'The flat tree.', schema: FlatTree },
    409: { about: 'The moment is in the future of the run.' },
  },
});

/** One run as lists have it, with what they leave out. */
export const RunSummary = ListedRun.extend({
  /** What it runs on: the name and version of its flow. */
  flow: z.string(),
  /** What is shown of it to whoever asks: what they ask for, else what they prefer, else what its app does. */
  shown: Preferences,
});
export type RunSummary = z.infer<typeof RunSummary>;

export const readSummary = endpoint({
  method: 'GET',
  path: '/api/runs/:run/summary',
  about: 'A run as lists have it, and what of its entries is shown to you. Its journal is not read.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  query: z.strictObject(showing),
  answers: { 200: { about: 'The run.', schema: RunSummary } },
});

const EntryShape = z.object({ seq: z.int(), at: z.number(), event: RunEvent });
const mostEntries = 10_000;

export const readEntries = endpoint({
  method: 'GET',
  path: '/api/runs/:run/entries',
  about: 'What happened, as the journal has it: all of it, whatever anybody prefers to see.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  query: z.strictObject({ after: entry, limit: whole(1, mostEntries).optional() }),
  answers: {
    200: {
      about: 'Entries after the cursor, in order: not all that were asked for where they are large.',
      schema: z.object({ entries: z.array(EntryShape), next: z.int().nullable() }),
    },
    409: { about: 'The cursor is in the future of the run.' },
  },
});

/** Of a file that goes along when a run is exported, and of all that do. Bytes. */
export const exportedFile: { readonly each: number; readonly together: number } = {
  each: 10 * 1024 * 1024,
  together: 100 * 1024 * 1024,
};

export const exportRun = endpoint({
  method: 'GET',
  path: '/api/runs/:run/export',
  about:
    'A run as one page to be opened from a disk: all that was recorded until now, with what plays it, and nothing else.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  answers: { 200: { about: 'The page, to be saved.', type: 'text/html' } },
});

/** How to watch a run, and from where on. */
export const Watching = z.strictObject({
  /** The protocol. */
  as: z.string().max(100).optional(),
  /** The last entry that was seen: a number, or `<run>:<number>`. */
  after: z.string().max(300).optional(),
  ...showing,
});

/** A header of every stream of a run: its last entry when the stream began, so that a viewer knows what it has to come. */
export const headHeader = 'vitrine-head';

export const watchRun = endpoint({
  method: 'GET',
  path: '/api/runs/:run/events',
  about:
    'Watch a run as server-sent events, from any cursor, while it works and after. «Last-Event-ID» goes before «after».',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  query: Watching,
  headers: cursorHeader,
  answers: {
    200: { about: 'Frames, as they come. The stream ends with the run.', type: 'text/event-stream' },
    204: { about: 'The run has ended and the cursor is at its end.' },
    409: { about: 'The cursor is in the future of the run, or of another run.' },
  },
});

export const watchRunOnSocket = endpoint({
  method: 'WS',
  path: '/ws/runs/:run',
  about: 'The same frames on a WebSocket, one message each: {"id", "event", "data"}.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  query: Watching,
  answers: { 101: { about: 'Frames, as they come.' } },
});

export const streamRunOnSocket = endpoint({
  method: 'WS',
  path: '/ws/runs/:run/events',
  about:
    'The stream of server-sent events itself on a WebSocket: first a message with {"status", "headers"}, then its text, in pieces. A browser opens six connections to a server, and as many sockets as it likes.',
  tag: 'runs',
  role: 'viewer',
  addresses: 'run',
  query: Watching,
  answers: { 101: { about: 'What «GET /api/runs/:run/events» would answer.' } },
});
