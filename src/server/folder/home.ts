import { flowId } from '../../engine/flow-id.ts';
import type { Deciders } from '../../run/deciders.ts';
import type { Command } from '../../run/commands.ts';
import type { Limits } from '../../run/values.ts';
import type { RunDefinition } from '../../engine/create-run.ts';
import type { Flow } from '../../engine/scope.ts';
import type { Preferences } from '../../projections/projection.ts';
import { RunError } from '../../run/failure.ts';
import { newId } from '../system.ts';
import type { Blobs, Dispatch, Journal, Receipt, RunRow } from '../../stores/store.ts';
import type { RunQuery } from '../runs/run-filter.ts';
import type { Asked } from '../viewers/preferring.ts';

export { folderOwner, localTenant } from '../../run/owner.ts';
export type { RunRow };

/** What people choose to talk to. */
export interface App {
  readonly name: string;
  readonly flow: Flow;
  readonly limits: Limits;
  /** What it is, as runs of it record it. */
  readonly definition?: () => Promise<RunDefinition>;
  readonly description?: string;
  /** Who decides what its runs ask, where it is not whoever started them. */
  readonly approvals?: Deciders;
  /** What those who watch its runs are shown, unless they ask for something else. */
  readonly preferences?: Preferences;
}

export interface StartRequest {
  readonly app: string;
  /** Name and version of the flow the asker means by that app. */
  readonly flow: string;
  readonly text: string;
  readonly conversation?: string;
  readonly by: string;
  /** Whoever asks again with the same key means the same run: the process that was asked may have gone meanwhile. */
  readonly key: string;
}

/** What can be asked of the process that holds a folder. */
export interface Control {
  start(request: StartRequest): Promise<{ readonly run: string; readonly conversation: string }>;
  /** What became of the command; `used` is null only if nobody here can work on the run. */
  send(run: string, command: Command): Promise<Receipt>;
  /** Stop the runs of a conversation and take every trace of them away; how many there were. */
  erase(conversation: string, tenant?: string): Promise<number>;
  /** Have a run worked on; false where its flow is not known. */
  takeUp(run: string): Promise<boolean>;
}

/** What can be read of a folder, whoever holds it. */
export interface HomeReader {
  readonly journal: Pick<Journal, 'read' | 'follow' | 'watch'>;
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
export interface Home extends HomeReader, Control {
  readonly isHolder: boolean;
  /** Whether the process that was asked is no longer there. */
  isGone(): boolean;
  /** What the owner should know about the folder as it was found. */
  readonly notices: readonly string[];
  standing(run: string): Promise<Standing>;
  /** Runs this process works on. */
  readonly inHand: readonly string[];
}

/** A run of an app, as the process that holds the folder is asked for it. */
export function startOf({ name, flow }: App, more: Omit<StartRequest, 'app' | 'flow' | 'key'>): StartRequest {
  return { app: name, flow: flowId(flow), key: newId('start'), ...more };
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
