import type { Agent } from '../catalog/agent.ts';
import type { Secrets } from '../guards/secrets.ts';
import type { Policy } from '../policies/policy.ts';
import type { Store } from '../stores/store.ts';
import type { Tool } from '../tools/tool.ts';
import type { Clock } from './time/clock.ts';
import type { Meter } from './meter.ts';
import type { Flow } from './scope.ts';
import { StoreTime } from './time/deadlines.ts';

/** What runs are made of here. */
export interface Catalog {
  readonly flows: readonly Flow[];
  /** True in a process that was told nothing of what there is: it records what is asked of runs, and judges nothing. */
  readonly isUnread?: boolean;
  readonly agents: readonly Agent[];
  readonly tools: readonly Tool[];
  /** Why a tool is not there that may come. */
  absence?(tool: string): Absence | undefined;
}

/** A tool whose server does not answer. */
export interface Absence {
  readonly why: string;
  /** Resolves when it was tried to reach the server. */
  readonly tried: Promise<void>;
  /** Resolves when the server is back. */
  readonly back: Promise<void>;
}

/** Where bugs are told: with their cause, which clients never see. */
export interface Log {
  error(details: { readonly run?: string; readonly cause: unknown }, message: string): void;
}

/** Everything an engine stands on. */
export interface World {
  readonly store: Store;
  readonly clock: Clock;
  readonly catalog: Catalog;
  readonly policies: readonly Policy[];
  readonly log: Log;
  /** A new id that nobody else has: `run_…`. */
  readonly newId: (kind: string) => string;
  /** SHA-256 in hexadecimal. */
  readonly hash: (text: string) => string;
  /** What is recorded nowhere. */
  readonly secrets: Secrets;
  /** What all runs of a tenant may take up together, with what is kept beside them; without, there is no bound. */
  readonly bytesPerTenant?: number;
  readonly meter?: Meter | undefined;
}

/** The same as one process has it. */
export interface Workplace extends World {
  readonly time: StoreTime;
}

export function workplaceIn(world: World): Workplace {
  return { ...world, time: new StoreTime(world.clock, world.store.dispatch) };
}
