import type { Source } from '../../../src/client/client.ts';
import type { NodePath } from './model/node-path.ts';

/** Which nodes are marked, each to be looked at by itself. */
export class MarkedPaths {
  readonly #listeners = new Map<NodePath, Set<() => void>>();
  readonly #sources = new Map<NodePath, Source<boolean>>();
  #marked: ReadonlySet<NodePath> = new Set();

  readonly of = (path: NodePath): Source<boolean> => {
    const known = this.#sources.get(path);
    if (known) return known;
    const listeners = new Set<() => void>();
    this.#listeners.set(path, listeners);
    const made: Source<boolean> = {
      getSnapshot: () => this.#marked.has(path),
      subscribe(changed) {
        listeners.add(changed);
        return () => void listeners.delete(changed);
      },
    };
    this.#sources.set(path, made);
    return made;
  };

  mark(paths: ReadonlySet<NodePath>): void {
    const before = this.#marked;
    this.#marked = paths;
    for (const path of before.symmetricDifference(paths))
      for (const changed of this.#listeners.get(path) ?? []) changed();
  }
}
