import { useCallback, useEffect, useMemo, useState } from 'react';
import { RunError, type Failure, type ListedRun, type RunFilter } from '../../../src/client/client.ts';
import { useRuns, useVitrine } from '../../../src/react/react.ts';
import { newestFirst } from './run-filter.ts';

/** A list of runs, as far as it was asked for. */
export interface Listed {
  readonly is: 'loading' | 'ready' | 'refused';
  readonly runs: readonly ListedRun[];
  readonly failure?: Failure;
  /** Asks for the next ones; absent where these are all. */
  readonly more?: () => void;
}

interface Asked {
  readonly filter: string;
  readonly runs: readonly ListedRun[];
  readonly next: string | null;
  readonly failure?: Failure;
}

/** What changes in a burst is asked for once. Milliseconds. */
const gathering = 400;
/** The most that one page can have. */
const largest = 200;
const page = 50;

/** The runs that a filter leaves, asked for again whenever the feed tells of one; what it tells is shown at once. */
export function useListed(filter: RunFilter): Listed {
  const client = useVitrine();
  const { runs: live, is } = useRuns();
  const name = JSON.stringify(filter);
  const [asked, setAsked] = useState<Asked>();
  const [size, setSize] = useState(page);
  const current = asked?.filter === name ? asked : undefined;
  useEffect(() => setSize(page), [name]);
  useEffect(() => {
    let isCurrent = true;
    const look = async (): Promise<void> => {
      try {
        const { runs, next } = await client.runs({ ...filter, limit: size });
        if (isCurrent) setAsked({ filter: name, runs, next });
      } catch (thrown) {
        const failure = thrown instanceof RunError ? thrown.failure : undefined;
        if (isCurrent) setAsked({ filter: name, runs: [], next: null, ...(failure ? { failure } : {}) });
      }
    };
    const waiting = setTimeout(() => void look(), current ? gathering : 0);
    return () => {
      isCurrent = false;
      clearTimeout(waiting);
    };
  }, [client, name, size, live]);
  const more = useCallback(() => setSize((now) => Math.min(largest, now + page)), []);
  const runs = useMemo(() => {
    const found = current?.runs ?? [];
    return newestFirst(
      found,
      found.flatMap(({ run }) => live.get(run) ?? []),
    );
  }, [current, live]);
  if (current?.failure) return { is: 'refused', runs, failure: current.failure };
  const hasMore = current !== undefined && current.next !== null && size < largest;
  return {
    is: current ? 'ready' : is === 'refused' ? 'refused' : 'loading',
    runs,
    ...(hasMore ? { more } : {}),
  };
}
