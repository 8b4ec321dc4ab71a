import type { DecisionRequest } from '../run/commands.ts';
import type { Entry } from '../run/events.ts';
import type { FlatTree } from '../run/flat-tree.ts';
import { fold } from '../run/entries.ts';
import { Snapshots } from '../run/snapshots.ts';
import { emptyTree } from '../run/tree.ts';
import {
  decideApproval,
  listApprovals,
  type ApprovalPage,
  type AskedApproval,
} from '../wire/native/approvals.ts';
import type { GivenAttachment } from '../wire/native/attachment.ts';
import { pauseRun, resumeRun, sendMessage, stopRun, type Commanded } from '../wire/native/commands.ts';
import { eraseConversation, listConversations } from '../wire/native/conversations.ts';
import { bringDocument, listDocuments, type BroughtDocument } from '../wire/native/documents.ts';
import type { AnswerOf, QueryOf } from '../wire/native/endpoint.ts';
import type { FeedNews } from '../wire/native/feed.ts';
import { eraseFile, keepFile, listFiles, readFile, type KeptFile } from '../wire/native/files.ts';
import { listApps, type AppList } from '../wire/native/people.ts';
import type { Showing } from '../wire/native/query.ts';
import { listRuns, readTree, type RunPage } from '../wire/native/runs.ts';
import { startRun, type Input, type StartedRun, type StartRun } from '../wire/native/starting.ts';
import { applicationsClient, type ApplicationsClient } from './applications.ts';
import { ask, askFor, type ServerAddress } from './ask.ts';
import { followFeed, type FeedFrom } from './feed.ts';
import { followEntries, followRun } from './follow.ts';
import { runStore, type RunStore } from './store.ts';
import { workflowsClient, type WorkflowsClient } from './workflows.ts';

/** How to reach a server. */
export type { ServerAddress } from './ask.ts';
/** For `fetch` of an address in a browser that has signed in: streams over sockets, of which there may be many. */
export { socketFetch } from './socket-fetch.ts';
/** What happened, as the journal keeps it. */
export type { Entry } from '../run/events.ts';
/** What is thrown: a code, a sentence, whether trying again can help. */
export { RunError, type Failure } from '../run/failure.ts';
/** The tree of a run: what the server answers, `follow` yields and a store shows. */
export type { FlatTree } from '../run/flat-tree.ts';
/** One step of it. */
export type { FlatStep } from '../run/flat-step.ts';
/** A question of it. */
export type { FlatApproval } from '../run/flat-approval.ts';
/** A run that is watched, its parts, and how its viewer stands with the server. */
export type { RunSnapshot, RunStore } from './store.ts';
/** Something that changes: what it is now, and who is told when it is something else. */
export type { Source } from './parts.ts';
/** How a viewer stands with the server. */
export type { Connection } from './connection.ts';
/** What a person makes of a question. */
export type { DecisionRequest } from '../run/commands.ts';
/** What waits for a person, and a page of it. */
export type { ApprovalPage, AskedApproval } from '../wire/native/approvals.ts';
/** What comes with a message: a file that was sent before, or a small thing itself. */
export type { GivenAttachment } from '../wire/native/attachment.ts';
/** What became of a command. */
export type { Commanded } from '../wire/native/commands.ts';
/** A file that the server keeps. */
export type { KeptFile, ListedFile } from '../wire/native/files.ts';
/** What can be talked to there. */
export type { AppList } from '../wire/native/people.ts';
/** What to show of a run. */
export type { Showing } from '../wire/native/query.ts';
/** A run in a list, and a page of them. */
export type { ListedRun, RunPage } from '../wire/native/runs.ts';
/** What a feed tells. */
export type { FeedNews } from '../wire/native/feed.ts';
/** Where to begin in a feed. */
export type { FeedFrom } from './feed.ts';
/** A run that has begun. */
export type { StartedRun } from '../wire/native/starting.ts';
/** Applications, as they are made. */
export type { ApplicationsClient } from './applications.ts';
/** A document of a conversation. */
export type { BroughtDocument } from '../wire/native/documents.ts';
/** Workflows, and which run of one to start. */
export type { WorkflowRequest, WorkflowsClient } from './workflows.ts';

/** What to run. */
export type StartRequest = Omit<StartRun, 'input' | 'again'> & {
  /** The same again starts nothing new. */
  readonly idempotencyKey?: string;
} & (
    | (Input & { readonly again?: string })
    /** What was asked before, to be answered anew in its place. */
    | { readonly again: string; readonly text?: undefined; readonly attachments?: undefined }
  );

/** Which runs to list. */
export type RunFilter = QueryOf<typeof listRuns>;

/** A server, as a program in a browser or in Node uses it. What is refused is thrown as a `RunError`. */
export interface Client {
  /** What can be run there. */
  apps(): Promise<AppList>;
  /** Start a run. It is durable when this resolves. */
  start(request: StartRequest): Promise<StartedRun>;
  /** A page of runs, the newest first. */
  runs(filter?: RunFilter): Promise<RunPage>;
  /** Runs as they change, each as a list has it, from a place on: `feed` of a page tells what has changed since. */
  feed(from?: FeedFrom): AsyncIterable<FeedNews>;
  /** A page of conversations, the one with the newest run first. */
  conversations(page?: QueryOf<typeof listConversations>): Promise<AnswerOf<typeof listConversations>>;
  /** The tree of a run as it is shown now, or as it was when entry `at` was the last. */
  tree(run: string, at?: number, showing?: Showing): Promise<FlatTree>;
  /**
   * What happens, as it happens and as the journal keeps it: each entry once and in order, whatever happens to the
   * connection; ends with the run. What an app prefers to show makes no difference here.
   */
  entries(run: string, from?: EntriesFrom): AsyncIterable<Entry>;
  /** The tree as it is shown, after every change, until the run ends. What did not change is the same object as before. */
  follow(run: string, signal?: AbortSignal, showing?: Showing): AsyncIterable<FlatTree>;
  /** Start a run and watch it, both with one request. */
  startAndWatch(request: StartRequest, showing?: Showing): Promise<RunStore>;
  /** Watch a run with a store: for views, which look at parts and want to be told what has changed. */
  watch(run: string, showing?: Showing): RunStore;
  /** Let nothing new begin; what is under way is finished. */
  pause(run: string, reason?: string): Promise<Commanded>;
  /** Go on with a paused run. */
  resume(run: string, reason?: string): Promise<Commanded>;
  /** End a run for good, at every depth. Asking twice is asking once. */
  stop(run: string, reason?: string): Promise<Commanded>;
  /** Say something to a run that works. */
  message(run: string, text: string, attachments?: readonly GivenAttachment[]): Promise<Commanded>;
  /** What waits for a person. */
  approvals(page?: QueryOf<typeof listApprovals>): Promise<ApprovalPage>;
  /** Decide on an approval. The same answer again gets the same result, any other fails with `rejected`. */
  decide(approval: string, decision: DecisionRequest): Promise<AskedApproval>;
  /** Keep a file, to be attached to a message. */
  upload(file: GivenFile): Promise<KeptFile>;
  /** A page of the files that you have sent, the newest first. With the last conversation that uses it a file goes. */
  files(page?: QueryOf<typeof listFiles>): Promise<AnswerOf<typeof listFiles>>;
  /** Erase a file. What runs have taken from it stays with them. */
  eraseFile(file: string): Promise<void>;
  /** Bring a document into a conversation, for apps that search them. It may be one that is yet to begin. */
  bring(conversation: string, document: GivenFile): Promise<BroughtDocument>;
  /** The documents of a conversation, and how they stand. */
  documents(conversation: string): Promise<readonly BroughtDocument[]>;
  /** The bytes of a file, or of anything large that a run refers to. */
  download(file: string): Promise<Uint8Array>;
  /** Erase a conversation and every trace of its runs. */
  forget(conversation: string): Promise<void>;
  /** Drafts and versions of workflows, and runs of them. */
  readonly workflows: WorkflowsClient;
  /** Drafts of applications, what is published of them, and their guards. */
  readonly applications: ApplicationsClient;
}

/** A file as somebody sends it. */
export interface GivenFile {
  readonly name: string;
  readonly type: string;
  readonly content: Uint8Array<ArrayBuffer>;
}

/** Where to begin, and when to stop. */
export interface EntriesFrom {
  /** The last entry that was seen. */
  readonly after?: number;
  readonly signal?: AbortSignal;
}

/** A client of the server at an address. */
export function vitrineClient(server: ServerAddress): Client {
  return {
    apps: () => askFor(server, listApps, {}),
    start: (request) => askFor(server, startRun, starting(request)),
    runs: (query = {}) => askFor(server, listRuns, { query }),
    feed: (from = {}) => followFeed(server, from),
    conversations: (query = {}) => askFor(server, listConversations, { query }),
    tree: (run, at, showing) => askFor(server, readTree, { of: { run }, query: { at, ...showing } }),
    async *entries(run, from = {}) {
      for await (const entries of followEntries(server, { run, ...from, showing: 'everything' }))
        yield* entries;
    },
    async *follow(run, signal, showing = {}) {
      const tree = emptyTree();
      const snapshots = new Snapshots(run);
      for await (const entries of followEntries(server, { run, showing, signal })) {
        for (const entry of entries) fold(tree, entry);
        yield snapshots.of(tree);
      }
    },
    startAndWatch: (request, showing = {}) => startAndWatch(server, request, showing),
    watch: (run, showing = {}) => runStore(run, (signal) => followRun(server, { run, showing, signal })),
    pause: (run, reason) => askFor(server, pauseRun, { of: { run }, body: { reason } }),
    resume: (run, reason) => askFor(server, resumeRun, { of: { run }, body: { reason } }),
    stop: (run, reason) => askFor(server, stopRun, { of: { run }, body: { reason } }),
    message: (run, text, attachments) =>
      askFor(server, sendMessage, {
        of: { run },
        body: { text, attachments: attachments && [...attachments] },
      }),
    approvals: (query = {}) => askFor(server, listApprovals, { query }),
    decide: (approval, body) => askFor(server, decideApproval, { of: { approval }, body }),
    ...filesClient(server),
    bring: (conversation, { name, ...bytes }) =>
      askFor(server, bringDocument, { of: { name: conversation }, query: { name }, bytes }),
    documents: async (conversation) =>
      (await askFor(server, listDocuments, { of: { name: conversation } })).documents,
    async forget(conversation) {
      await ask(server, eraseConversation, { of: { conversation } });
    },
    workflows: workflowsClient(server),
    applications: applicationsClient(server),
  };
}

function filesClient(server: ServerAddress): Pick<Client, 'upload' | 'files' | 'download' | 'eraseFile'> {
  return {
    upload: ({ name, ...bytes }) => askFor(server, keepFile, { query: { name }, bytes }),
    files: (query = {}) => askFor(server, listFiles, { query }),
    async download(file) {
      const response = await ask(server, readFile, { of: { file } });
      return new Uint8Array(await response.arrayBuffer());
    },
    async eraseFile(file) {
      await ask(server, eraseFile, { of: { file } });
    },
  };
}

async function startAndWatch(
  server: ServerAddress,
  request: StartRequest,
  showing: Showing,
): Promise<RunStore> {
  const { body, headers } = starting(request);
  const stream = { ...headers, accept: 'text/event-stream' };
  const begun = await ask(server, startRun, { body, headers: stream, query: showing });
  const run = decodeURIComponent(begun.headers.get('location')?.split('/').at(-1) ?? '');
  return runStore(run, (signal) => followRun(server, { run, showing, signal, begun }));
}

function starting({ text, attachments, idempotencyKey, ...rest }: StartRequest): {
  readonly body: StartRun;
  readonly headers: Readonly<Record<string, string | undefined>>;
} {
  return {
    body: {
      ...rest,
      input: text === undefined ? undefined : { text, attachments },
    },
    headers: { 'idempotency-key': idempotencyKey },
  };
}
