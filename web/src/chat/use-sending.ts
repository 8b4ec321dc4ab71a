import { useCallback, useEffect, useRef, useState } from 'react';
import { RunError, type GivenAttachment, type ListedRun } from '../../../src/client/client.ts';
import { useVitrine } from '../../../src/react/react.ts';
import { addressOf, navigate } from '../routing.tsx';
import type { Protocol } from './composer.tsx';
import { newKey, newLine, queue, useQueue, type Queued } from './queue.ts';

export interface Sending {
  /** Where what is written waits for its turn: the conversation, or the page until that has begun. */
  readonly line: string;
  /** What was sent and is not in the list yet. */
  readonly pending: string | undefined;
  readonly problem: string | undefined;
  /** What could not be sent: it can be tried again, or taken back. */
  readonly unsent: Unsent | undefined;
  readonly send: (text: string, attachments: readonly GivenAttachment[]) => void;
  readonly again: (run: string) => void;
}

export interface Unsent {
  readonly key: string;
  readonly text: string;
  readonly retry: () => void;
  readonly takeBack: () => void;
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
export function useSending({ runs, isLoading, ...to }: SendingTo): Sending {
  const client = useVitrine();
  const [fresh] = useState(newLine);
  const line = to.conversation ?? fresh;
  const { pending, problem, unsent, start, tell, arrived } = useStarting(to, line);
  const queued = useQueue(line);
  const isListed = pending?.run !== undefined && runs.some(({ run }) => run === pending.run);
  const isUnderWay = pending !== undefined && !isListed;
  // Another run may take its place in the list: it is not waited for again.
  useEffect(() => void (isListed && arrived()), [isListed, arrived]);
  const mustWait =
    isLoading || isUnderWay || unsent !== undefined || runs.some(({ status }) => isUnfinished(status));
  const tried = useRef(new Set<string>());
  useEffect(() => {
    const [next] = queued;
    if (mustWait || !next || tried.current.has(next.key)) return;
    tried.current.add(next.key);
    void start(next);
  }, [mustWait, queued, start]);
  return {
    line,
    pending: isUnderWay ? pending.text : undefined,
    problem,
    unsent: unsent && {
      key: unsent.key,
      text: unsent.text,
      retry: () => void start(unsent),
      takeBack() {
        tell(undefined);
        queue.remove(line, unsent.key);
      },
    },
    send(text, attachments) {
      const sent = { text, attachments, key: newKey() };
      if (mustWait) queue.add(line, sent);
      else void start(sent);
    },
    again(run) {
      client.start({ again: run, idempotencyKey: newKey() }).catch(tell);
    },
  };
}

interface Pending {
  readonly text: string;
  readonly run?: string;
}

/** What conversations were begun with on this page, until their own place shows it: there is no moment without it. */
const begunWith = new Map<string, Pending>();

interface Starting {
  readonly pending: Pending | undefined;
  readonly problem: string | undefined;
  readonly unsent: Queued | undefined;
  readonly start: (sent: Queued) => Promise<void>;
  /** What was sent is in the list. */
  readonly arrived: () => void;
  /** What did not work; nothing where all is well again. */
  readonly tell: (thrown: unknown) => void;
}

function useStarting(
  { conversation, begins, app, protocol }: Omit<SendingTo, 'runs' | 'isLoading'>,
  line: string,
): Starting {
  const client = useVitrine();
  const [pending, setPending] = useState(() => begunWith.get(line));
  useEffect(() => void begunWith.delete(line), [line]);
  const [failed, setFailed] = useState<{ readonly problem: string; readonly unsent?: Queued }>();
  const start = useCallback(
    async (sent: Queued): Promise<void> => {
      const { text, attachments, key } = sent;
      setFailed(undefined);
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
        queue.remove(line, key);
        if (conversation !== undefined) return;
        begunWith.set(begun.conversation, { text, run: begun.run });
        queue.begin(line, begun.conversation);
        navigate(addressOf.chat(begun.conversation));
      } catch (thrown) {
        setPending(undefined);
        setFailed({ problem: wordsOf(thrown), unsent: sent });
      }
    },
    [client, app, conversation, begins, protocol, line],
  );
  const arrived = useCallback(() => setPending(undefined), []);
  const tell = (thrown: unknown): void =>
    setFailed(thrown === undefined ? undefined : { problem: wordsOf(thrown) });
  return { pending, problem: failed?.problem, unsent: failed?.unsent, start, arrived, tell };
}

export function wordsOf(thrown: unknown): string {
  return thrown instanceof RunError ? thrown.message : String(thrown);
}

/** Whether a run may still do something. */
export function isUnfinished(status: ListedRun['status']): boolean {
  return status === 'running' || status === 'waiting' || status === 'paused';
}
