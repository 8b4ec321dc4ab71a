import type { Deciders } from '../../run/deciders.ts';
import { type Limits, flowId } from '../../run/values.ts';
import type { RunDefinition } from '../../front/front.ts';
import type { Flow } from '../../engine/scope.ts';
import type { Preferences } from '../../projections/projection.ts';
import { RunError } from '../../run/failure.ts';
import type { Greeting } from '../compose/named-flow.ts';
import type { Holder } from '../../wire/native/folder.ts';

export { folderOwner, localTenant } from '../../run/owner.ts';

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

/**
 * How a run stands with whoever should work on it. `parked` waits for a person, a time or a resume; `left` goes on only
 * when somebody takes it up again.
 */
export type Standing =
  | { readonly is: 'working' | 'parked' | 'ended' }
  | { readonly is: 'left'; readonly why?: string };

/** An app with the flow it has. */
export function appTold({ name, flow }: App): Holder['apps'][number] {
  return { name, flow: flowId(flow) };
}

/** Whoever comes beside a process gets its apps: one of the same name with another flow is another app. */
export function expectSameApp(
  { process: holder, apps }: Pick<Holder, 'process' | 'apps'>,
  { app, flow }: { readonly app: string; readonly flow: string },
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
