import { setImmediate as turn } from 'node:timers/promises';
import type { Clock } from '../src/engine/clock.ts';

interface Sleeper {
  readonly at: number;
  wake(): void;
}

/** Time that passes when a test says so. */
export class VirtualClock implements Clock {
  #now = 1_700_000_000_000;
  #sleepers: Sleeper[] = [];

  now(): number {
    return this.#now;
  }

  sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted) return resolve();
      const sleeper = { at: this.#now + milliseconds, wake: () => resolve() };
      this.#sleepers.push(sleeper);
      signal.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
        resolve();
      });
    });
  }

  async settle(): Promise<void> {
    await turn();
  }

  /** Let so much time pass: whoever sleeps is woken in order, and everything that follows from it happens. */
  async pass(milliseconds: number): Promise<void> {
    const until = this.#now + milliseconds;
    await calm();
    for (;;) {
      const next = this.#sleepers.toSorted((a, b) => a.at - b.at)[0];
      if (!next || next.at > until) break;
      this.#now = Math.max(this.#now, next.at);
      this.#sleepers = this.#sleepers.filter((other) => other !== next);
      next.wake();
      await calm();
    }
    this.#now = until;
    await calm();
  }
}

/** Everything that can happen without time passing has happened. The memory store answers without the event loop. */
export async function calm(): Promise<void> {
  for (let i = 0; i < 12; i += 1) await turn();
}
