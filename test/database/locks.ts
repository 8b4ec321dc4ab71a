// Locks as a database has them: kept until their owner is over, waited for in order, and a circle of waiting is noticed.

export interface Owner {
  readonly name: string;
}

export type Mode = 'alone' | 'shared';

interface Waiting {
  readonly owner: Owner;
  readonly key: string;
  readonly mode: Mode;
  grant(): void;
}

export class Locks {
  readonly #held = new Map<string, Map<Owner, Mode>>();
  #waiting: Waiting[] = [];

  /** Whether it was free; else `grant` is called when it is. */
  take(
    owner: Owner,
    key: string,
    { mode, grant }: { readonly mode: Mode; readonly grant: () => void },
  ): boolean {
    if (this.#isFree(owner, key, mode)) {
      this.#give(owner, key, mode);
      return true;
    }
    this.#waiting.push({ owner, key, mode, grant });
    return false;
  }

  /** Only if nobody has it. */
  tryTake(owner: Owner, key: string): boolean {
    const isFree = this.#isFree(owner, key, 'alone');
    if (isFree) this.#give(owner, key, 'alone');
    return isFree;
  }

  /** Whether this owner waits for somebody who waits, in the end, for this owner. */
  isInCircle(owner: Owner): boolean {
    const seen = new Set<Owner>();
    const next = (from: Owner): boolean =>
      this.#inTheWayOf(from).some((other) => {
        if (other === owner) return true;
        if (seen.has(other)) return false;
        seen.add(other);
        return next(other);
      });
    return next(owner);
  }

  release(owner: Owner): void {
    this.#waiting = this.#waiting.filter((waiting) => waiting.owner !== owner);
    for (const [key, owners] of this.#held)
      if (owners.delete(owner) && owners.size === 0) this.#held.delete(key);
    for (const waiting of this.#waiting) {
      const { key, mode } = waiting;
      const before = this.#waiting.slice(0, this.#waiting.indexOf(waiting));
      if (before.some((other) => other.key === key) || !this.#isFree(waiting.owner, key, mode)) continue;
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      this.#give(waiting.owner, key, mode);
      waiting.grant();
    }
  }

  #inTheWayOf(owner: Owner): readonly Owner[] {
    return this.#waiting
      .filter((waiting) => waiting.owner === owner)
      .flatMap((waiting) => {
        const before = this.#waiting.slice(0, this.#waiting.indexOf(waiting));
        const holders = [...(this.#held.get(waiting.key)?.keys() ?? [])];
        return [...holders, ...before.flatMap((other) => (other.key === waiting.key ? other.owner : []))];
      })
      .filter((other) => other !== owner);
  }

  #isFree(owner: Owner, key: string, mode: Mode): boolean {
    const others = [...(this.#held.get(key) ?? [])].filter(([holder]) => holder !== owner);
    return mode === 'shared' ? others.every(([, theirs]) => theirs === 'shared') : others.length === 0;
  }

  #give(owner: Owner, key: string, mode: Mode): void {
    const owners = this.#held.get(key) ?? new Map<Owner, Mode>();
    this.#held.set(key, owners);
    if (owners.get(owner) !== 'alone') owners.set(owner, mode);
  }
}
