import { createContext, useContext } from 'react';
import type { RunStore, Source } from '../../../src/client/client.ts';
import { choice } from '../setting.ts';

/** How much is shown of a run. */
export const verbosity = choice('verbosity', ['steps', 'answer', 'everything']);
export type Verbosity = ReturnType<typeof verbosity.get>;

/** What a person opened or closed in one run: it is left alone for good. */
export class Folding {
  readonly #touched = new Map<number, boolean>();
  readonly #listeners = new Map<number, Set<() => void>>();
  readonly #sources = new Map<number, Source<boolean | undefined>>();

  of(id: number): Source<boolean | undefined> {
    const known = this.#sources.get(id);
    if (known) return known;
    const listeners = new Set<() => void>();
    const source: Source<boolean | undefined> = {
      getSnapshot: () => this.#touched.get(id),
      subscribe(changed) {
        listeners.add(changed);
        return () => void listeners.delete(changed);
      },
    };
    this.#listeners.set(id, listeners);
    this.#sources.set(id, source);
    return source;
  }

  touch(id: number, isOpen: boolean): void {
    this.#touched.set(id, isOpen);
    for (const changed of this.#listeners.get(id) ?? []) changed();
  }
}

/** What all steps of one run are drawn with. It stays the same while the run changes. */
export interface RunView {
  readonly run: RunStore;
  readonly conversation: string;
  readonly folding: Folding;
  readonly verbosity: Verbosity;
  /** Of more steps below one, so many are shown at first: the newest. */
  readonly rows: number;
  /** Shows a step where it stands: opens what is around it and brings it into view. */
  readonly goTo: (step: number) => void;
}

export const RunViewContext = createContext<RunView | undefined>(undefined);

export function useRunView(): RunView {
  const view = useContext(RunViewContext);
  if (view) return view;
  throw new Error('A step is drawn within a run.');
}
