import { useEffect, useState } from 'react';
import { RunError, type AskedApproval, type Failure } from '../client/client.ts';
import { useRuns } from './use-runs.ts';
import { useVitrine } from './vitrine.tsx';

/** What waits for a person, the oldest first. */
export interface Approvals {
  readonly is: 'loading' | 'ready' | 'refused';
  readonly approvals: readonly AskedApproval[];
  readonly failure?: Failure;
}

/** The most that are shown at once. */
const page = 100;
/** What changes in a burst is looked at once. Milliseconds. */
const gathering = 150;

/** All questions that wait, across runs, as they come and are answered. */
export function useApprovals(): Approvals {
  const client = useVitrine();
  const { runs } = useRuns();
  const [now, setNow] = useState<Approvals>({ is: 'loading', approvals: [] });
  // A run tells how many of its questions wait: whenever that may be other questions, they are looked at again.
  const waiting = [...runs.values()]
    .filter(({ approvals }) => approvals > 0)
    .map(({ run, seq }) => `${run}@${seq}`)
    .join();
  useEffect(() => {
    let isCurrent = true;
    const look = setTimeout(() => {
      client.approvals({ limit: page }).then(
        ({ approvals }) =>
          isCurrent &&
          setNow({
            is: 'ready',
            approvals: approvals.toSorted((one, other) => one.requestedAt - other.requestedAt),
          }),
        (thrown: unknown) =>
          isCurrent &&
          thrown instanceof RunError &&
          setNow(({ approvals }) => ({ is: 'refused', approvals, failure: thrown.failure })),
      );
    }, gathering);
    return () => {
      isCurrent = false;
      clearTimeout(look);
    };
  }, [client, waiting]);
  return now;
}
