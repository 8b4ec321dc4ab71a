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

/** What is kept of what is shown while the store is read: a read takes a moment, and few commits come in one. */
const mostAhead = 16;

interface Shown {
  readonly chunk: Chunk;
  readonly ends: boolean;
}

/**
 * A place in a run that is called with what comes after it. What follows its place it gets in the moment that is shown; else
 * it reads until it is there. What is shown meanwhile waits for its turn, so that it need not be read as well.
 */
export class Watch {
  readonly #settings: Settings;
  #position: number;
  #isReading = false;
  #isStale = false;
  #isOver = false;
  #isFound = false;
  #ahead: Shown[] = [];

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#position = settings.after;
  }

  /** This was committed. */
  show(chunk: Chunk, ends: boolean): void {
    if (chunk.first === this.#position + 1) return this.#take({ chunk, ends });
    if (this.#isReading && this.#ahead.length < mostAhead) this.#ahead.push({ chunk, ends });
    else this.look();
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
        const fresh = page.chunks.filter(({ last }) => last > this.#position);
        for (const chunk of fresh) this.#give(chunk);
        if (page.ended) this.#finish();
        // Only the store can tell what comes after that, unless it was shown.
        if (!this.#takeAhead()) this.#isStale ||= fresh.length > 0 && !page.isAll;
      }
    } catch (thrown) {
      this.#finish(thrown);
    }
    this.#isReading = false;
  }

  /** Whether anything that was shown is what comes next. Behind a hole there is more to read. */
  #takeAhead(): boolean {
    const next = this.#ahead.filter(({ chunk }) => chunk.last > this.#position);
    this.#ahead = [];
    for (const shown of next) {
      if (shown.chunk.first === this.#position + 1) this.#take(shown);
      else this.#isStale = true;
    }
    return next.length > 0;
  }

  #take({ chunk, ends }: Shown): void {
    this.#give(chunk);
    if (ends) this.#finish();
  }

  /** The place moves before the call, which may end this, and whose failure is its own. */
  #give(chunk: Chunk): void {
    if (this.#isOver) return;
    this.#isFound = true;
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
  if (found && failureOf(thrown).code === 'unknown') return { chunks: [], isAll: true, ended: true };
  throw thrown;
}
