import { RunError } from '../../run/failure.ts';

/** Work that needs memory for what it reads: so much at once in the process, and a part of that for each tenant. */
export interface HeavyWork {
  /**
   * Resolves when there is room for work on so many bytes, which is kept until the signal aborts: who leaves waits no longer.
   * Whoever comes again with the same signal has room for the most it asked for, and never waits for itself.
   */
  enter(tenant: string, bytes: number, signal: AbortSignal): Promise<void>;
}

/** What is smaller costs no more than any other request. Bytes. */
const light = 1 << 20;
/** What is larger than the room is worked on alone. */
const room = 128 << 20;
const share = 64 << 20;
/** Who has more waiting is asking for nothing but harm. */
const longestLine = 200;

interface Work {
  readonly tenant: string;
  readonly bytes: number;
  readonly begin: () => void;
}

interface Place {
  readonly bytes: number;
  readonly isIn: Promise<void>;
  leave(): void;
}

/** Who has room, and who waits for it. */
interface Room {
  waitingOf(tenant: string): number;
  placeFor(work: Omit<Work, 'begin'>, signal: AbortSignal): Place;
}

export function heavyWork(): HeavyWork {
  const places = new WeakMap<AbortSignal, Place>();
  const all = rooms();
  return {
    async enter(tenant, bytes, signal) {
      signal.throwIfAborted();
      if (bytes <= light) return;
      for (let own = places.get(signal); own; own = places.get(signal)) {
        await own.isIn;
        if (bytes <= own.bytes) return;
        if (places.get(signal) !== own) continue;
        places.delete(signal);
        own.leave();
      }
      if (all.waitingOf(tenant) >= longestLine)
        throw new RunError('over-budget', 'Too many large answers are being made for you: wait for some.', {
          retryable: true,
        });
      const place = all.placeFor({ tenant, bytes }, signal);
      places.set(signal, place);
      await place.isIn;
      signal.throwIfAborted();
    },
  };
}

function rooms(): Room {
  const waiting = new Set<Work>();
  const inside = new Map<string, number>();
  let total = 0;
  const move = ({ tenant, bytes }: Work, sign: 1 | -1): void => {
    total += sign * bytes;
    const left = (inside.get(tenant) ?? 0) + sign * bytes;
    if (left === 0) inside.delete(tenant);
    else inside.set(tenant, left);
  };
  /** In order, but nobody waits for a tenant that has its share. */
  const admit = (): void => {
    for (const work of waiting) {
      const own = inside.get(work.tenant) ?? 0;
      if (own > 0 && own + work.bytes > share) continue;
      if (total > 0 && total + work.bytes > room) return;
      waiting.delete(work);
      move(work, 1);
      work.begin();
    }
  };
  return {
    waitingOf: (tenant) => [...waiting].filter((work) => work.tenant === tenant).length,
    placeFor({ tenant, bytes }, signal) {
      const { promise: isIn, resolve, reject } = Promise.withResolvers<void>();
      const work = { tenant, bytes, begin: resolve };
      const leave = (): void => {
        signal.removeEventListener('abort', leave);
        if (waiting.delete(work)) return reject(signal.reason);
        move(work, -1);
        admit();
      };
      signal.addEventListener('abort', leave);
      waiting.add(work);
      admit();
      return { bytes, isIn, leave };
    },
  };
}
