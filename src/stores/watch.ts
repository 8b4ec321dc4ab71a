import { failureOf } from '../run/failure.ts';
import type { Page } from './rules/journal.ts';
import type { Chunk, Watcher } from './store.ts';

export type Reading = (run: string, after: number) => Promise<Page>;

interface Settings {
  readonly run: string;
  readonly after: number;
  readonly watcher: Watcher;
  readonly read: Reading;
  /** Called once, when it is over. */
  readonly left: () => void;
}

/**
 * A place in a run that is called with what comes after it. At the head it gets what was committed in the moment it is
 * shown; else it reads until it is there. Whatever it is told meanwhile it takes only in order.
 */
export class Watch {
  readonly #settings: Settings;
  #position: number;
  #isReading = false;
  #isStale = false;
  #isOver = false;
  #isFound = false;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#position = settings.after;
  }

  /** This was committed. */
  show(chunk: Chunk, ends: boolean): void {
    if (this.#isReading || chunk.first !== this.#position + 1) return this.look();
    this.#give(chunk);
    if (ends) this.#finish();
  }

  /** Only the store can tell how the run stands. */
  look(): void {
    this.#isStale = true;
    if (!this.#isReading && !this.#isOver) void this.#read();
  }

  /** Whoever watched has gone. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#settings.left();
  }

  async #read(): Promise<void> {
    const { run, read } = this.#settings;
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isOver) {
        this.#isStale = false;
        const page = await read(run, this.#position).catch((thrown) => erased(thrown, this.#isFound));
        this.#isFound = true;
        for (const chunk of page.chunks) this.#give(chunk);
        if (page.ended) this.#finish();
        this.#isStale ||= page.chunks.length > 0;
      }
    } catch (thrown) {
      this.#finish(thrown);
    }
    this.#isReading = false;
  }

  /** The place moves before the call, which may end this, and whose failure is its own. */
  #give(chunk: Chunk): void {
    if (this.#isOver) return;
    this.#position = chunk.last;
    try {
      this.#settings.watcher.chunk(chunk);
    } catch (thrown) {
      this.#finish(thrown);
    }
  }

  #finish(failure?: unknown): void {
    if (this.#isOver) return;
    this.end();
    this.#settings.watcher.over(failure);
  }
}

/** A run that was there and is no longer has no more to give; one that never was is the caller's mistake. */
export function erased(thrown: unknown, found: boolean): Page {
  if (found && failureOf(thrown).code === 'unknown') return { chunks: [], ended: true };
  throw thrown;
}
