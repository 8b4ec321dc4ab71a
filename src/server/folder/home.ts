import { flowId } from '../../engine/flow-id.ts';
import type { Deciders } from '../../run/deciders.ts';
import type { Command } from '../../run/commands.ts';
import type { Entry } from '../../run/events.ts';
import { decodeAll } from '../../run/codec.ts';
import type { Limits } from '../../run/values.ts';
import type { RunDefinition } from '../../front/create-run.ts';
import type { Flow } from '../../engine/scope.ts';
import type { Preferences } from '../../projections/projection.ts';
import { RunError } from '../../run/failure.ts';
import type { Greeting } from '../compose/named-flow.ts';
import { newId } from '../system.ts';
import type { Blobs, Dispatch, Journal, Receipt, RunRow } from '../../stores/store.ts';
import type { Holder } from '../../wire/native/folder.ts';
import type { RunQuery } from '../runs/run-filter.ts';
import type { Asked } from '../viewers/preferring.ts';

export { folderOwner, localTenant } from '../../run/owner.ts';
export type { RunRow };

/** What people choose to talk to. */
export interface App {
  readonly name: string;
  readonly flow: Flow;
  readonly limits: Limits;
  /** Who may use it, by the names they come in with; everybody, unless said. */
  readonly access?: { readonly everyone: boolean; readonly people: readonly string[] };
  /** What it is, as runs of it record it. */
  readonly definition?: () => Promise<RunDefinition>;
  readonly description?: string;
  /** Questions to begin with. */
  readonly examples?: readonly string[];
  /** What people see before they say anything. */
  readonly greeting?: Greeting;
  /** Who decides what its runs ask, where it is not whoever started them. */
  readonly approvals?: Deciders;
  /** Whether states of agents count that a client brings along and this server never gave it. */
  readonly trustsClientState?: boolean;
  /** What those who watch its runs are shown, unless they ask for something else. */
  readonly preferences?: Preferences;
}

export interface StartRequest {
  readonly app: string;
  /** Name and version of the flow the asker means by that app. */
  readonly flow: string;
  readonly text: string;
  readonly conversation?: string;
  /** Whoever asks again with the same key means the same run: the process that was asked may have gone meanwhile. */
  readonly key: string;
}

/** What can be asked of the process that holds a folder. */
export interface Control {
  start(request: StartRequest): Promise<{ readonly run: string; readonly conversation: string }>;
  /** What became of the command; `used` is null only if nobody here can work on the run. */
  send(run: string, command: Command): Promise<Receipt>;
  /** Stop the runs of a conversation and take every trace of them away. */
  erase(conversation: string, tenant?: string): Promise<void>;
  /** Have a run worked on; false where its flow is not known. */
  takeUp(run: string): Promise<boolean>;
}

/** What can be read of a folder, whoever holds it. */
export interface FolderReader {
  readonly journal: Pick<Journal, 'read'>;
  /** What a run has recorded, and then what it records, as it comes together, until it ends. */
  follow(run: string, signal: AbortSignal): AsyncIterable<readonly Entry[]>;
  readonly dispatch: Pick<Dispatch, 'get' | 'list' | 'count'>;
  readonly blobs: Pick<Blobs, 'get'>;
  /** A page of a tenant's runs, the newest first. */
  runs(tenant: string, query: RunQuery): Promise<readonly RunRow[]>;
  /** A text without the secrets that are known here. */
  readonly clean: (text: string) => string;
  /** What is shown of a run of this app to somebody who asks for this. */
  preferences(app: string, asked?: Asked): Preferences;
  close(): Promise<void>;
}

/**
 * How a run stands with whoever should work on it. `parked` waits for a person, a time or a resume; `left` goes on only
 * when somebody takes it up again.
 */
export type Standing =
  | { readonly is: 'working' | 'parked' | 'ended' }
  | { readonly is: 'left'; readonly why?: string };

/** A data folder as a terminal has it: everything can be read, and what is asked reaches whoever holds it. */
export interface Home extends FolderReader, Control {
  readonly isHolder: boolean;
  /** Whether the process that was asked is no longer there. */
  isGone(): boolean;
  /** What the owner should know about the folder as it was found. */
  readonly notices: readonly string[];
  standing(run: string): Promise<Standing>;
  /** Hear that runs may stand differently, for a reason that no journal tells. Returns what ends it. */
  listen(hear: () => void): () => void;
  /** Resolves when this process does not have the run in hand. */
  released(run: string): Promise<void>;
  /** Resolves when this process has no run in hand. */
  idle(): Promise<void>;
  /** Runs this process works on. */
  inHand(): readonly string[];
}

/** What a journal has, and then what it gets. */
export function followerOf(journal: Pick<Journal, 'follow'>): FolderReader['follow'] {
  return async function* (run, signal) {
    for await (const { frames } of journal.follow(run, 0, signal)) yield decodeAll(frames);
  };
}

/** A run of an app, as the process that holds the folder is asked for it. */
export function startOf({ name, flow }: App, more: Omit<StartRequest, 'app' | 'flow' | 'key'>): StartRequest {
  return { app: name, flow: flowId(flow), key: newId('start'), ...more };
}

/** An app with the flow it has. */
export function appTold({ name, flow }: App): Holder['apps'][number] {
  return { name, flow: flowId(flow) };
}

/** Whoever comes beside a process gets its apps: one of the same name with another flow is another app. */
export function expectSameApp(
  { process: holder, apps }: Pick<Holder, 'process' | 'apps'>,
  { app, flow }: Pick<StartRequest, 'app' | 'flow'>,
): void {
  // Who names no flow means whatever that process has under the name.
  if (flow === '' || apps.some((known) => known.name === app && known.flow === flow)) return;
  const known = apps.map((each) => `«${each.name}» (${each.flow})`).join(', ') || 'no app at all';
  throw new RunError(
    'rejected',
    `Process ${holder} holds this folder and cannot run «${app}» (${flow}); it has ${known}: wait until it ends, or choose another folder.`,
  );
}

/** The app somebody means, or a failure that names those there are. */
export function appNamed<T extends { readonly name: string }>(apps: readonly T[], name: string): T {
  const app = apps.find((candidate) => candidate.name === name);
  if (app) return app;
  const known = apps.map((candidate) => candidate.name).join(', ');
  throw new RunError('unknown', `There is no app «${name}»; known: ${known}.`);
}

/** The app of those who name none; undefined where they must name one. */
export function defaultAppOf({ apps, defaultApp }: Chosen): string | undefined {
  const [only, ...others] = Object.keys(apps);
  return defaultApp ?? (others.length === 0 ? only : undefined);
}

interface Chosen {
  readonly apps: object;
  readonly defaultApp?: string;
}
