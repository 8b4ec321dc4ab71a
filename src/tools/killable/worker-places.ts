/** Whose work it is: places are shared out between tenants first, and between runs of one tenant next. */
export interface Owner {
  readonly tenant: string;
  readonly run: string;
}

/** A place for a worker; `free` it when the worker is gone. */
export interface Place {
  free(): void;
}

interface Waiting {
  readonly owner: Owner;
  take(): void;
}

/**
 * So many workers at once in this process, whoever asks. The next free place goes to the tenant that has the fewest, then to the
 * run that has the fewest, then to whoever has waited longest.
 */
export class WorkerPlaces {
  readonly #most: number;
  readonly #taken: Owner[] = [];
  readonly #waiting: Waiting[] = [];

  constructor(most: number) {
    this.#most = most;
  }

  /** At once if a place is free, else when one is. A signal that aborts gives up. */
  take(owner: Owner, signal: AbortSignal): Place | Promise<Place> {
    if (this.#taken.length < this.#most) return this.#give(owner);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        owner,
        take: () => {
          signal.removeEventListener('abort', giveUp);
          resolve(this.#give(owner));
        },
      };
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      this.#waiting.push(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  #give(owner: Owner): Place {
    this.#taken.push(owner);
    let isFree = false;
    return {
      free: () => {
        if (isFree) return;
        isFree = true;
        this.#taken.splice(this.#taken.indexOf(owner), 1);
        this.#next();
      },
    };
  }

  #next(): void {
    const [first, ...others] = this.#waiting;
    if (!first) return;
    const next = others.reduce((best, each) => (this.#rank(each) < this.#rank(best) ? each : best), first);
    this.#waiting.splice(this.#waiting.indexOf(next), 1);
    next.take();
  }

  #rank({ owner }: Waiting): number {
    const ofTenant = this.#taken.filter(({ tenant }) => tenant === owner.tenant);
    const ofRun = ofTenant.filter(({ run }) => run === owner.run);
    return ofTenant.length * (this.#most + 1) + ofRun.length;
  }
}
