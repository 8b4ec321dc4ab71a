import type { AgentEvent } from './gateway.ts';

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

  const close = (): void => {
    isOver = true;
    signal.removeEventListener('abort', close);
    stop.abort(signal.reason);
    wake();
    // A generator that stands at a yield has not seen the signal; only this runs its `finally`.
    source.return(undefined).catch(() => undefined);
  };

  signal.addEventListener('abort', close, { once: true });
  return {
    async next() {
      signal.throwIfAborted();
      if (isOver) return over;
      try {
        const woken = new Promise<Step>((resolve) => (wake = () => resolve(over)));
        const step = await Promise.race([source.next(), woken]);
        signal.throwIfAborted();
        if (step.done === true) close();
        return isOver ? over : step;
      } catch (error) {
        signal.throwIfAborted();
        if (isOver) return over;
        close();
        throw error;
      }
    },
    return() {
      close();
      return Promise.resolve(over);
    },
  };
}
