import type { Entry } from '../run/events.ts';
import { FlatTree } from '../run/flat-tree.ts';
import { fold } from '../run/fold.ts';
import {
  AppList,
  ApprovalPage,
  AskedApproval,
  Commanded,
  KeptFile,
  RunPage,
  StartedRun,
} from '../run/native-api.ts';
import { emptyTree, type RunTree } from '../run/tree.ts';
import { ask, askFor, type ServerAddress } from './ask.ts';
import { followEntries } from './follow.ts';
import type { DecisionRequest, GivenAttachment, RunFilter, Showing, StartRequest } from './shapes.ts';

/** How to reach a server. */
export type { ServerAddress } from './ask.ts';
/** What happened, as the journal keeps it. */
export type { Entry } from '../run/events.ts';
/** What is thrown: a code, a sentence, whether trying again can help. */
export { RunError, type Failure } from '../run/failure.ts';
/** The tree as JSON. */
export { flatTree, type FlatTree } from '../run/flat-tree.ts';
/** The tree that `follow` yields, and how to read it. */
export { runStatus, textOf, type RunTree, type Step } from '../run/tree.ts';
/** What the server answers. */
export type {
  AppList,
  ApprovalPage,
  AskedApproval,
  Commanded,
  KeptFile,
  ListedRun,
  RunPage,
  StartedRun,
} from '../run/native-api.ts';
/** What it is asked. */
export type { DecisionRequest, GivenAttachment, RunFilter, Showing, StartRequest } from './shapes.ts';

/** A server, as a program in a browser or in Node uses it. What is refused is thrown as a `RunError`. */
export interface Client {
  /** What can be run there. */
  apps(): Promise<AppList>;
  /** Start a run. It is durable when this resolves. */
  start(request: StartRequest): Promise<StartedRun>;
  /** A page of runs, the newest first. */
  runs(filter?: RunFilter): Promise<RunPage>;
  /** The tree of a run as it is shown now, or as it was when entry `at` was the last. */
  tree(run: string, at?: number, showing?: Showing): Promise<FlatTree>;
  /**
   * What happens, as it happens and as the journal keeps it: each entry once and in order, whatever happens to the
   * connection; ends with the run. What an app prefers to show makes no difference here.
   */
  entries(run: string, from?: Place): AsyncIterable<Entry>;
  /**
   * The tree as it is shown, after every change, until the run ends. It is one tree, folded in place: look at it before
   * going on.
   */
  follow(run: string, signal?: AbortSignal, showing?: Showing): AsyncIterable<RunTree>;
  /** Let nothing new begin; what is under way is finished. */
  pause(run: string, reason?: string): Promise<Commanded>;
  /** Go on with a paused run. */
  resume(run: string, reason?: string): Promise<Commanded>;
  /** End a run for good, at every depth. Asking twice is asking once. */
  stop(run: string, reason?: string): Promise<Commanded>;
  /** Say something to a run that works. */
  message(run: string, text: string, attachments?: readonly GivenAttachment[]): Promise<Commanded>;
  /** What waits for a person. */
  approvals(page?: { readonly run?: string; readonly after?: string }): Promise<ApprovalPage>;
  /** Decide on an approval. The same answer again gets the same result, any other fails with `rejected`. */
  decide(approval: string, decision: DecisionRequest): Promise<AskedApproval>;
  /** Keep a file, to be attached to a message. */
  upload(file: {
    readonly name: string;
    readonly type: string;
    readonly content: Uint8Array<ArrayBuffer>;
  }): Promise<KeptFile>;
  /** The bytes of a file, or of anything large that a run refers to. */
  download(file: string): Promise<Uint8Array>;
  /** Erase a conversation and every trace of its runs. */
  forget(conversation: string): Promise<void>;
}

/** Where to begin, and when to stop. */
export interface Place {
  /** The last entry that was seen. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** A client of the server at an address. */
export function vitrineClient(server: ServerAddress): Client {
  const of = (run: string, more = ''): string => `/api/runs/${encodeURIComponent(run)}${more}`;
  const command = (path: string, json: object): Promise<Commanded> =>
    askFor(server, Commanded, { method: 'POST', path, json });
  const because = (reason: string | undefined): object => (reason === undefined ? {} : { reason });
  return {
    apps: () => askFor(server, AppList, { path: '/api/apps' }),
    start: (request) => start(server, request),
    runs: (filter = {}) => askFor(server, RunPage, { path: '/api/runs', query: { ...filter } }),
    tree: (run, at, showing) => askFor(server, FlatTree, { path: of(run), query: { at, ...showing } }),
    async *entries(run, from = {}) {
      for await (const entries of followEntries(server, { run, ...from, showing: 'everything' }))
        yield* entries;
    },
    async *follow(run, signal, showing = {}) {
      const tree = emptyTree();
      for await (const entries of followEntries(server, { run, showing, ...(signal ? { signal } : {}) })) {
        for (const entry of entries) fold(tree, entry);
        yield tree;
      }
    },
    pause: (run, reason) => command(of(run, '/pause'), because(reason)),
    resume: (run, reason) => command(of(run, '/resume'), because(reason)),
    stop: (run, reason) => command(of(run, '/stop'), because(reason)),
    message: (run, text, attachments) =>
      command(of(run, '/messages'), { text, ...(attachments ? { attachments } : {}) }),
    approvals: (page = {}) => askFor(server, ApprovalPage, { path: '/api/approvals', query: { ...page } }),
    decide: (approval, decision) =>
      askFor(server, AskedApproval, {
        method: 'POST',
        path: `/api/approvals/${encodeURIComponent(approval)}`,
        json: decision,
      }),
    upload: ({ name, type, content }) =>
      askFor(server, KeptFile, {
        method: 'POST',
        path: '/api/files',
        query: { name },
        bytes: { type, content },
      }),
    async download(file) {
      const response = await ask(server, { path: `/api/files/${encodeURIComponent(file)}` });
      return new Uint8Array(await response.arrayBuffer());
    },
    async forget(conversation) {
      await ask(server, { method: 'DELETE', path: `/api/conversations/${encodeURIComponent(conversation)}` });
    },
  };
}

function start(server: ServerAddress, request: StartRequest): Promise<StartedRun> {
  const { text, attachments, idempotencyKey, ...rest } = request;
  return askFor(server, StartedRun, {
    method: 'POST',
    path: '/api/runs',
    json: { ...rest, input: { text, ...(attachments ? { attachments } : {}) } },
    ...(idempotencyKey === undefined ? {} : { headers: { 'idempotency-key': idempotencyKey } }),
  });
}
