import { noFacts } from '../../run/facts.ts';
import { followEntries } from '../../client/follow.ts';
import { vitrineClient, type Client, type ListedRun, type ServerAddress } from '../../client/client.ts';
import { encodeAll } from '../../run/codec.ts';
import type { Command } from '../../run/commands.ts';
import type { Entry } from '../../run/events.ts';
import { failureOf } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { RunStatus } from '../../run/tree.ts';
import { sent } from './sent.ts';
import { localTenant, type Home, type StartRequest } from '../../server/folder/home.ts';
import { preferencesFor } from '../../server/viewers/preferring.ts';
import { newId } from '../../server/system.ts';

/** Stands for the app that the server gives to those who name none, and for the flow it has for an app. */
const theirs = '';

/** A run, as a server is asked for it. */
export function requestTo(
  app: string | undefined,
  more: Omit<StartRequest, 'app' | 'flow' | 'key'>,
): StartRequest {
  return { app: app ?? theirs, flow: theirs, key: newId('start'), ...more };
}

type Row = Awaited<ReturnType<Home['dispatch']['list']>>[number];
type Piece = Awaited<ReturnType<Home['journal']['read']>>[number];

/** A server as a terminal has it: read and asked over HTTP, with the client that everybody has. */
export async function serverHome(server: ServerAddress): Promise<Home> {
  const client = vitrineClient(server);
  const { apps } = await client.apps();
  const preferred = new Map(apps.map(({ name, preferences }) => [name, preferences]));
  const conversations = new Map<string, string>();
  const find = finder(server, client, conversations);
  const followed = new Set<string>();
  const get = (run: string): Promise<Row | undefined> => find(run).catch(unlessUnknown);
  const list = lister(client);
  return {
    isHolder: false,
    isGone: () => false,
    inHand: () => [],
    released: async () => {},
    idle: async () => {},
    listen: () => () => {},
    notices: [],
    // What is secret is known to the server, which has cleaned what it sends.
    clean: (text) => text,
    preferences: (app, asked) => preferencesFor(preferred.get(app), asked),
    journal: {
      async read(run, after) {
        const entries = await entriesBetween(server, { run, after, until: (await get(run))?.head ?? 0 });
        return entries.length === 0 ? [] : [pieceOf(run, entries)];
      },
    },
    follow(run, signal) {
      followed.add(run);
      return followEntries(server, { run, showing: 'everything', signal });
    },
    // What others have there is not for whoever has a key.
    dispatch: { get, list, count: async () => [] },
    runs: async (_, query) => (await client.runs(query)).runs.map(rowOf),
    blobs: { get: async (_, blob) => new TextDecoder().decode(await client.download(blob)) },
    async start({ app, text, conversation, key }) {
      const named = present({ app: app || undefined, conversation });
      const started = await client.start({ text, idempotencyKey: key, ...named });
      conversations.set(started.run, started.conversation);
      return started;
    },
    async send(run, command) {
      const seq = await sent(client, run, command);
      // Whoever follows the run reads there what became of it.
      if (seq !== null || followed.has(run)) return { id: '', used: seq, fresh: true, command };
      const used = await decidedAt(server, (await get(run))?.head ?? 0, { run, command });
      return { id: '', used, fresh: true, command };
    },
    takeUp: async () => true,
    erase: (conversation) => client.forget(conversation),
    // What becomes of it is the server's business, and told in the journal.
    standing: async () => ({ is: 'working' }),
    close: async () => {},
  };
}

function lister(client: Client): Home['dispatch']['list'] {
  return async ({ unfinished, withApprovals, after, limit, conversation }) => {
    const page = present({ unfinished, waiting: withApprovals, after, limit, conversation });
    return (await client.runs(page)).runs.map(rowOf);
  };
}

interface Stretch {
  readonly run: string;
  readonly after: number;
  readonly until: number;
}

/** What is recorded up to a moment. */
async function entriesBetween(server: ServerAddress, { run, after, until }: Stretch): Promise<Entry[]> {
  const found: Entry[] = [];
  if (after >= until) return found;
  for await (const entries of followEntries(server, { run, after, showing: 'everything' })) {
    found.push(...entries);
    if ((found.at(-1)?.seq ?? 0) >= until) break;
  }
  return found;
}

function pieceOf(run: string, entries: readonly Entry[]): Piece {
  const [first = { seq: 0 }] = entries;
  return { run, first: first.seq, last: entries.at(-1)?.seq ?? 0, frames: encodeAll(entries) };
}

/** Finds runs by their ids. A list of runs has what a terminal needs, and its conversation says where to look. */
function finder(
  server: ServerAddress,
  client: Client,
  conversations: Map<string, string>,
): (run: string) => Promise<Row | undefined> {
  const conversationOf = async (run: string): Promise<string> => {
    const known = conversations.get(run);
    if (known !== undefined) return known;
    const [begun] = await entriesBetween(server, { run, after: 0, until: 1 });
    const found = begun?.event.type === 'run.started' ? begun.event.conversation : '';
    conversations.set(run, found);
    return found;
  };
  return async (run) => {
    const conversation = await conversationOf(run);
    for (let after: string | undefined; ;) {
      const { runs, next } = await client.runs({ conversation, ...present({ after }) });
      const found = runs.find((listed) => listed.run === run);
      if (found || next === null) return found && rowOf(found);
      after = next;
    }
  };
}

/** A run as lists have it. Who works on it, and how, is the server's business. */
function rowOf({ seq, ...listed }: ListedRun): Row {
  const state = stateOf(listed.status);
  const unknown = { flow: theirs, epoch: 0, worker: null, leaseUntil: Infinity, wakeAt: null };
  const { damaged = null, again: replaces = null, replacedBy = null, ...known } = listed;
  return {
    ...known,
    ...unknown,
    facts: noFacts,
    damaged,
    replaces,
    replacedBy,
    tenant: localTenant,
    head: seq,
    state,
  };
}

function stateOf(status: RunStatus): Row['state'] {
  const isOver = status === 'completed' || status === 'failed' || status === 'stopped';
  return isOver ? 'ended' : status === 'running' ? 'running' : 'waiting';
}

function unlessUnknown(thrown: unknown): undefined {
  if (failureOf(thrown).code !== 'unknown') throw thrown;
}

/** What was decided is answered with the approval; a terminal wants the entry it became. */
async function decidedAt(
  server: ServerAddress,
  until: number,
  { run, command }: { readonly run: string; readonly command: Command },
): Promise<number | null> {
  if (command.type !== 'decide') return null;
  const entries = await entriesBetween(server, { run, after: 0, until });
  const decided = entries.findLast(
    ({ event }) => event.type === 'approval.decided' && event.approval === command.approval,
  );
  return decided?.seq ?? null;
}
