import type { RunStore, Source } from '../../../src/client/client.ts';
import { edgeState, statesIn, type EdgeState, type NodeState } from './model/node-states.ts';
import type { NodePath } from './model/node-path.ts';

/** How the nodes of a run stand, each to be looked at by itself: nobody who looks at one hears of any other. */
export class LiveStates {
  readonly #run: RunStore;
  readonly #sources = new Map<string, Part<unknown>>();
  #states: ReadonlyMap<NodePath, NodeState>;
  #seen: unknown;

  constructor(run: RunStore) {
    this.#run = run;
    this.#states = new Map();
    this.#read();
  }

  readonly state = (path: NodePath): Source<NodeState | undefined> =>
    this.#source(`node ${path}`, () => this.#states.get(path), sameState);

  readonly edge = (port: string, from: NodePath, to: NodePath): Source<EdgeState> =>
    this.#source(
      `edge ${port} ${from} ${to}`,
      () => edgeState(port, this.#states.get(from), this.#states.get(to)),
      Object.is,
    );

  /** Follows the run until the returned function is called. */
  readonly follow = (): (() => void) => {
    this.#read();
    return this.#run.subscribe(() => this.#read());
  };

  get states(): ReadonlyMap<NodePath, NodeState> {
    return this.#states;
  }

  #read(): void {
    const { tree } = this.#run.getSnapshot();
    if (tree === this.#seen) return;
    this.#seen = tree;
    this.#states = statesIn(tree);
    for (const part of this.#sources.values()) part.look();
  }

  #source<T>(name: string, read: () => T, isSame: (one: T, other: T) => boolean): Source<T> {
    const known = this.#sources.get(name) as Part<T> | undefined;
    if (known) return known;
    const made = new Part(read, isSame);
    this.#sources.set(name, made as Part<unknown>);
    return made;
  }
}

class Part<T> implements Source<T> {
  readonly #listeners = new Set<() => void>();
  readonly #read: () => T;
  readonly #isSame: (one: T, other: T) => boolean;
  #now: T;

  constructor(read: () => T, isSame: (one: T, other: T) => boolean) {
    this.#read = read;
    this.#isSame = isSame;
    this.#now = read();
  }

  readonly getSnapshot = (): T => this.#now;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    return () => void this.#listeners.delete(changed);
  };

  look(): void {
    const now = this.#read();
    if (this.#isSame(this.#now, now)) return;
    this.#now = now;
    for (const changed of this.#listeners) changed();
  }
}

function sameState(one: NodeState | undefined, other: NodeState | undefined): boolean {
  return (
    one?.step === other?.step &&
    one?.approvals.join() === other?.approvals.join() &&
    one?.definition === other?.definition &&
    one?.rounds?.newest === other?.rounds?.newest &&
    one?.rounds?.ended === other?.rounds?.ended
  );
}
