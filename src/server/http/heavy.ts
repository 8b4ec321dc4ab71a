import { RunError } from '../../run/failure.ts';

/** Work that needs memory for what it reads: so much at once in the process, and a part of that for each tenant. */
export interface HeavyWork {
  /** Resolves when there is room for work on so many bytes, which is kept until the signal aborts: who leaves waits no longer. */
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

export function heavyWork(): HeavyWork {
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
    async enter(tenant, bytes, signal) {
      signal.throwIfAborted();
      if (bytes <= light) return;
      const line = [...waiting].filter((work) => work.tenant === tenant);
      if (line.length >= longestLine)
        throw new RunError('over-budget', 'Too many large answers are being made for you: wait for some.', {
          retryable: true,
        });
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const work = { tenant, bytes, begin: resolve };
      const leave = (): void => {
        if (waiting.delete(work)) return reject(signal.reason);
        move(work, -1);
        admit();
      };
      signal.addEventListener('abort', leave, { once: true });
      waiting.add(work);
      admit();
      await promise;
      signal.throwIfAborted();
    },
  };
}
