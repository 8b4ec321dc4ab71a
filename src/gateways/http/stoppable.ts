import type { AgentEvent } from '../gateway.ts';

type Step = IteratorResult<readonly AgentEvent[], undefined>;
type Play = (signal: AbortSignal) => AsyncGenerator<readonly AgentEvent[], undefined, undefined>;

const over: Step = { done: true, value: undefined };

/**
 * A turn written as a generator that can be left at once. `return` of a plain generator waits for the await it stands
 * at, so a turn whose back end is silent, or ignores the signal, could never be left.
 */
export function stoppable(signal: AbortSignal, play: Play): AsyncIterable<readonly AgentEvent[]> {
  return { [Symbol.asyncIterator]: () => begin(signal, play) };
}

function begin(signal: AbortSignal, play: Play): AsyncIterator<readonly AgentEvent[], undefined> {
  const stop = new AbortController();
  const source = play(stop.signal);
  let wake = (): void => undefined;
  let isOver = false;
  let isAborted = signal.aborted;

  const leave = (): void => {
    isOver = true;
    signal.removeEventListener('abort', abort);
    stop.abort(signal.reason);
    wake();
    // A generator that stands at a yield has not seen the signal; only this runs its `finally`.
    source.return(undefined).catch(() => undefined);
  };
  const abort = (): void => {
    isAborted = true;
    leave();
  };
  /** The reason of an abort is thrown once, like any error of an iterator. */
  const finish = (): Step => {
    if (!isAborted) return over;
    isAborted = false;
    throw signal.reason;
  };

  if (isAborted) leave();
  else signal.addEventListener('abort', abort, { once: true });
  return {
    async next() {
      if (isOver) return finish();
      const woken = new Promise<Step>((resolve) => (wake = () => resolve(over)));
      const step = await Promise.race([source.next(), woken]).catch((error: unknown) => {
        if (isOver) return over;
        leave();
        throw error;
      });
      if (isOver) return finish();
      if (step.done === true) leave();
      return step;
    },
    return() {
      isAborted = false;
      if (!isOver) leave();
      return Promise.resolve(over);
    },
  };
}
