import { useEffect, useMemo, useState } from 'react';
import { RunError, type Failure, type ListedRun } from '../client/client.ts';
import { liveRuns } from './live-runs.ts';
import { useSource } from './use-source.ts';
import { useVitrine } from './vitrine.tsx';

/** The most runs of one conversation that are shown. */
const longest = 200;

/** The runs of a conversation, the oldest first. */
export interface Conversation {
  readonly is: 'loading' | 'ready' | 'refused';
  readonly runs: readonly ListedRun[];
  readonly failure?: Failure;
}

/** The runs of a conversation, as they come and change. A run whose place was taken by another is left out. */
export function useConversation(conversation: string): Conversation {
  const client = useVitrine();
  const live = liveRuns(client);
  const { runs } = useSource(live);
  const [loaded, setLoaded] = useState<{ readonly of: string; readonly failure?: Failure }>();
  useEffect(() => {
    let isCurrent = true;
    client.runs({ conversation, limit: longest }).then(
      (page) => {
        live.add(page.runs);
        if (isCurrent) setLoaded({ of: conversation });
      },
      (thrown: unknown) => {
        const failure: Failure =
          thrown instanceof RunError ? thrown.failure : { code: 'internal', message: String(thrown) };
        if (isCurrent) setLoaded({ of: conversation, failure });
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [client, live, conversation]);
  const own = useMemo(() => inPlace(runs, conversation), [runs, conversation]);
  if (loaded?.of !== conversation) return { is: 'loading', runs: own };
  return loaded.failure ? { is: 'refused', runs: own, failure: loaded.failure } : { is: 'ready', runs: own };
}

/** In the order in which they were asked; one that took the place of another stands where that one stood. */
function inPlace(runs: ReadonlyMap<string, ListedRun>, conversation: string): readonly ListedRun[] {
  const own = [...runs.values()].filter((run) => run.conversation === conversation);
  const askedAt = (run: ListedRun): number => {
    const before = run.again === undefined ? undefined : runs.get(run.again);
    return before === undefined ? run.createdAt : askedAt(before);
  };
  const replaced = new Set(own.flatMap(({ again }) => again ?? []));
  return own
    .filter(({ run, replacedBy }) => replacedBy === undefined && !replaced.has(run))
    .toSorted((one, other) => askedAt(one) - askedAt(other));
}
