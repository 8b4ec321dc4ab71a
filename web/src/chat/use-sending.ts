import { useCallback, useEffect, useRef, useState } from 'react';
import { RunError, type GivenAttachment, type ListedRun } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { addressOf, navigate } from '../routing.tsx';
import type { Protocol } from './composer.tsx';
import { newKey, queue, useQueue } from './queue.ts';

export interface Sending {
  /** What was sent and is not in the list yet. */
  readonly pending: string | undefined;
  readonly problem: string | undefined;
  readonly send: (text: string, attachments: readonly GivenAttachment[]) => void;
  readonly again: (run: string) => void;
}

interface SendingTo {
  readonly conversation: string | undefined;
  /** The name that a new one begins under, where it was given one. */
  readonly begins: string | undefined;
  readonly runs: readonly ListedRun[];
  /** Whether it is not known yet which runs there are. */
  readonly isLoading: boolean;
  readonly app: string | undefined;
  readonly protocol: Protocol;
}

/** Starts what is asked; what is asked while a run works waits in line. */
export function useSending(to: SendingTo): Sending {
  const { conversation, begins, runs, isLoading, app, protocol } = to;
  const client = useVitrine();
  const [pending, setPending] = useState<{ readonly text: string; readonly run?: string }>();
  const [problem, setProblem] = useState<string>();
  const queued = useQueue(conversation);
  const mayBeBusy = isLoading || runs.some(({ status }) => isUnfinished(status));
  const started = useRef(new Set<string>());
  const start = useCallback(
    async (text: string, attachments: readonly GivenAttachment[], key: string): Promise<void> => {
      setProblem(undefined);
      setPending({ text });
      try {
        const begun = await client.start({
          text,
          ...(app === undefined ? {} : { app }),
          ...(begins === undefined ? {} : { conversation: begins }),
          ...(attachments.length === 0 ? {} : { attachments: [...attachments] }),
          ...(protocol === 'asApp' ? {} : { labels: { 'converse.protocol': protocol } }),
          idempotencyKey: key,
        });
        setPending({ text, run: begun.run });
        if (conversation === undefined) navigate(addressOf.chat(begun.conversation));
      } catch (thrown) {
        setPending(undefined);
        setProblem(wordsOf(thrown));
      }
    },
    [client, app, conversation, begins, protocol],
  );
  useEffect(() => {
    const [next] = queued;
    if (mayBeBusy || !next || conversation === undefined || started.current.has(next.key)) return;
    started.current.add(next.key);
    void start(next.text, next.attachments, next.key).then(() => queue.remove(conversation, next.key));
  }, [mayBeBusy, queued, conversation, start]);
  const isListed = pending?.run !== undefined && runs.some(({ run }) => run === pending.run);
  return {
    pending: isListed ? undefined : pending?.text,
    problem,
    send(text, attachments) {
      if (mayBeBusy && conversation !== undefined)
        queue.add(conversation, { text, attachments, key: newKey() });
      else void start(text, attachments, newKey());
    },
    again(run) {
      const tell = (thrown: unknown): void => setProblem(wordsOf(thrown));
      client.start({ again: run, idempotencyKey: newKey() }).catch(tell);
    },
  };
}

export function wordsOf(thrown: unknown): string {
  return thrown instanceof RunError ? thrown.message : String(thrown);
}

/** Whether a run may still do something. */
export function isUnfinished(status: ListedRun['status']): boolean {
  return status === 'running' || status === 'waiting' || status === 'paused';
}
