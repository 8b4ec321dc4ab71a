import type { Entry, StepId } from '../run/events.ts';
import { failureOf } from '../run/failure.ts';
import type { FlatStep } from '../run/flat-step.ts';
import type { FlatTree } from '../run/flat-tree.ts';
import { Snapshots } from '../run/snapshots.ts';
import type { News } from './follow.ts';
import { Moments } from './moments.ts';
import { Parts, type Source } from './parts.ts';
import { ConnectionState, type Connection } from './connection.ts';

/** A run as it is seen at one moment. */
export interface RunSnapshot {
  readonly tree: FlatTree;
  readonly connection: Connection;
  /** The last entry that has arrived. */
  readonly head: number;
  /** The entry that was sought; absent while the newest is shown. */
  readonly at?: number;
}

/** A run that is watched. Every part of it can be looked at by itself, and tells whoever subscribed when it has changed. */
export interface RunStore extends Source<RunSnapshot> {
  readonly run: string;
  readonly connection: Source<Connection>;
  /** One step; undefined while it is not there. Nobody who looks at it hears of any other. */
  step(id: StepId): Source<FlatStep | undefined>;
  /** The steps right below a step, in the order of opening; those of the run itself are below 0. */
  below(id: StepId): Source<readonly StepId[]>;
  /** What happened, as far as it has arrived. */
  entries(): readonly Entry[];
  /** Show the run as it was when this entry was the last; without one, as it is now. */
  seek(at?: number): void;
  /** Watch no more. What was seen can still be looked at. */
  close(): void;
}

/** Folds what is heard of a run. */
export function runStore(run: string, follow: (signal: AbortSignal) => AsyncIterable<News>): RunStore {
  const closing = new AbortController();
  const moments = new Moments();
  const snapshots = new Snapshots(run);
  const parts = new Parts();
  const state = new ConnectionState(moments, () => parts.look());
  const whole = parts.source('run', () => snapshotOf(moments, snapshots, state));
  void hear(follow(closing.signal), { moments, state, parts, signal: closing.signal });
  return {
    ...whole,
    run,
    connection: parts.source('connection', () => state.connection),
    step: (id) => parts.source(`step ${id}`, () => snapshots.step(moments.tree, id)),
    below: (id) => parts.source(`below ${id}`, childrenOf(moments, id)),
    entries: () => moments.entries,
    seek(at) {
      moments.seek(at);
      parts.look();
    },
    close: () => closing.abort(),
  };
}

interface Hearing {
  readonly moments: Moments;
  readonly state: ConnectionState;
  readonly parts: Parts;
  readonly signal: AbortSignal;
}

/** After so many entries whoever looks is drawn, at first soon: what comes without a pause leaves a page no time for it. */
const stretches = { first: 500, longest: 4_000 };

async function hear(news: AsyncIterable<News>, { moments, state, parts, signal }: Hearing): Promise<void> {
  let taken = 0;
  let stretch = stretches.first;
  try {
    for await (const one of news) {
      if (one.is === 'entries') {
        moments.take(one.entries);
        taken += one.entries.length;
      }
      state.hear(one);
      parts.look();
      if (taken < stretch) continue;
      taken = 0;
      stretch = Math.min(stretches.longest, 2 * stretch);
      await nextTask();
    }
    if (!signal.aborted) state.end();
  } catch (thrown) {
    state.end(failureOf(thrown));
  } finally {
    state.rest();
  }
  parts.look();
}

/** Everything that waits has its turn first. A timer would be held back where nobody looks at the page. */
function nextTask(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    const heard = (): void => {
      port2.close();
      resolve();
    };
    port2.addEventListener('message', heard, { once: true });
    port2.start();
    port1.postMessage(undefined);
  });
}

function snapshotOf(moments: Moments, snapshots: Snapshots, state: ConnectionState): RunSnapshot {
  const { head, at } = moments;
  const tree = snapshots.of(moments.tree);
  return { tree, connection: state.connection, head, at };
}

const none: readonly StepId[] = [];

/** The list is folded in place, so whoever looks gets one of their own. */
function childrenOf(moments: Moments, id: StepId): () => readonly StepId[] {
  return () => [...(moments.tree.steps.get(id)?.children ?? none)];
}
