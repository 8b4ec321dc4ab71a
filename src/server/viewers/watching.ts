import type { Journal } from '../../stores/store.ts';

type Watch = NonNullable<Journal['watch']>;

/** How runs of a journal are watched, also of one that can only be followed. */
export function watching(journal: Pick<Journal, 'follow' | 'watch'>): Watch {
  if (journal.watch) return journal.watch;
  return (run, after, watcher) => {
    const left = new AbortController();
    const follow = async (): Promise<void> => {
      for await (const chunk of journal.follow(run, after, left.signal)) watcher.chunk(chunk);
    };
    follow().then(
      () => left.signal.aborted || watcher.over(),
      (failure: unknown) => left.signal.aborted || watcher.over(failure),
    );
    return () => left.abort();
  };
}
