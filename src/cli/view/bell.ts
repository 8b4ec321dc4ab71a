import { setTimeout } from 'node:timers/promises';

/** Things come in bursts, and a run that is just being taken up looks for a moment as if nobody had it. Milliseconds. */
const quiet = 200;

/** Tells whoever waits that something has come, and whether it was the last for a while. */
export class Bell {
  #rung = Promise.withResolvers<void>();

  ring(): void {
    this.#rung.resolve();
    this.#rung = Promise.withResolvers();
  }

  /** Resolves when it rings the next time. */
  next(): Promise<void> {
    return this.#rung.promise;
  }

  /** Whether it does not ring for a while. */
  async isQuiet(signal: AbortSignal): Promise<boolean> {
    const over = new AbortController();
    const isRung = this.next().then(() => false);
    const isOver = setTimeout(quiet, true, { signal: AbortSignal.any([signal, over.signal]) }).catch(
      () => false,
    );
    const isQuiet = await Promise.race([isRung, isOver]);
    over.abort();
    return isQuiet;
  }
}
