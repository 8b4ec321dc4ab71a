import { RunError, type Client, type Failure, type ListedRun, type Source } from '../client/client.ts';

/** The runs that are known so far, by their names, as lists show them. */
export interface RunsNow {
  readonly is: 'loading' | 'ready' | 'refused';
  readonly runs: ReadonlyMap<string, ListedRun>;
  readonly failure?: Failure;
}

/** How many of the newest runs are known from the start. */
const newest = 100;
/** What comes in a burst is told at once. Milliseconds. */
const gathering = 40;
/** A list that was refused is asked for again after so long. Milliseconds. */
const patience = 3_000;

/** The newest runs and every one that changes, over one connection for all who look. */
export class LiveRuns implements Source<RunsNow> {
  readonly #client: Client;
  readonly #listeners = new Set<() => void>();
  readonly #runs = new Map<string, ListedRun>();
  #now: RunsNow = { is: 'loading', runs: new Map() };
  #following: AbortController | undefined;
  #telling: ReturnType<typeof setTimeout> | undefined;

  constructor(client: Client) {
    this.#client = client;
  }

  readonly getSnapshot = (): RunsNow => this.#now;

  readonly subscribe = (changed: () => void): (() => void) => {
    this.#listeners.add(changed);
    if (!this.#following) {
      this.#following = new AbortController();
      void this.#follow(this.#following.signal);
    }
    return () => {
      this.#listeners.delete(changed);
      if (this.#listeners.size > 0) return;
      this.#following?.abort();
      this.#following = undefined;
    };
  };

  /** More that are known, from a page of a list. What the feed has told since is newer. */
  add(runs: readonly ListedRun[]): void {
    for (const run of runs) if (run.seq >= (this.#runs.get(run.run)?.seq ?? 0)) this.#runs.set(run.run, run);
    this.#tell();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const { runs, feed } = await this.#client.runs({ limit: newest });
        this.add(runs);
        this.#show({ is: 'ready' });
        for await (const news of this.#client.feed({ after: feed, signal })) {
          if (news.run) this.#runs.set(news.run.run, news.run);
          else this.#runs.delete(news.erased);
          this.#tell();
        }
      } catch (thrown) {
        if (signal.aborted) return;
        const failure = thrown instanceof RunError ? thrown.failure : undefined;
        if (this.#now.is !== 'ready') this.#show({ is: 'refused', ...(failure ? { failure } : {}) });
        await new Promise((resolve) => setTimeout(resolve, patience));
      }
    }
  }

  #tell(): void {
    this.#telling ??= setTimeout(() => this.#show({ is: this.#now.is }), gathering);
  }

  #show(state: Omit<RunsNow, 'runs'>): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    this.#now = { ...state, runs: new Map(this.#runs) };
    for (const changed of this.#listeners) changed();
  }
}

const known = new WeakMap<Client, LiveRuns>();

export function liveRuns(client: Client): LiveRuns {
  const runs = known.get(client) ?? new LiveRuns(client);
  known.set(client, runs);
  return runs;
}
