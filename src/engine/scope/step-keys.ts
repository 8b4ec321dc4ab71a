import { RunError } from '../../run/failure.ts';

/**
 * Keys within one scope. They are how a recovery finds a step again, so a key used twice, or two unnamed operations at
 * once (whose order nobody can promise), fail at the first execution and not at the first crash.
 */
export class Keys {
  readonly #where: string;
  readonly #used = new Set<string>();
  readonly #counts = new Map<string, number>();
  #unnamed: string | undefined;

  constructor(where: string) {
    this.#where = where || 'the run';
  }

  async use<T>(kind: string, given: string | undefined, work: (key: string) => Promise<T>): Promise<T> {
    if (given !== undefined) return work(this.claim(given));
    if (this.#unnamed !== undefined) {
      const message = `In «${this.#where}» two unnamed operations are under way at once (${this.#unnamed}, ${kind}); give each a key.`;
      throw new RunError('malformed', message);
    }
    const count = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, count);
    const key = this.claim(`${kind}${count}`);
    this.#unnamed = key;
    try {
      return await work(key);
    } finally {
      this.#unnamed = undefined;
    }
  }

  claim(key: string): string {
    if (this.#used.has(key))
      throw new RunError('malformed', `In «${this.#where}» the key «${key}» is used twice.`);
    this.#used.add(key);
    return key;
  }
}
