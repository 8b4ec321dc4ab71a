import type { Client, RunStore, Showing } from '../client/client.ts';

/** A store that nobody looks at any more is kept so long for whoever comes back. Milliseconds. */
const lingering = 10_000;

interface Watched {
  readonly store: RunStore;
  viewers: number;
  leaving: ReturnType<typeof setTimeout> | undefined;
}

const watchedBy = new WeakMap<Client, Map<string, Watched>>();

/** The store of a run: one for all who watch it in the same way. It is closed some time after the last has left. */
export function watchedRun(client: Client, run: string, showing: Showing): Watched {
  const runs = watchedBy.get(client) ?? new Map<string, Watched>();
  watchedBy.set(client, runs);
  const name = JSON.stringify([run, showing]);
  const known = runs.get(name);
  if (known) return known;
  const made: Watched = { store: client.watch(run, showing), viewers: 0, leaving: undefined };
  runs.set(name, made);
  leave(made, () => runs.delete(name));
  return made;
}

/** Counts a viewer, until the returned function is called. */
export function hold(client: Client, run: string, showing: Showing): () => void {
  const watched = watchedRun(client, run, showing);
  clearTimeout(watched.leaving);
  watched.viewers += 1;
  return () => {
    watched.viewers -= 1;
    const name = JSON.stringify([run, showing]);
    if (watched.viewers === 0) leave(watched, () => watchedBy.get(client)?.delete(name));
  };
}

/** What is drawn may be thrown away before it is shown, so also a store that was never looked at leaves. */
function leave(watched: Watched, forget: () => void): void {
  clearTimeout(watched.leaving);
  watched.leaving = setTimeout(() => {
    watched.store.close();
    forget();
  }, lingering);
}
