import { cleanLong } from '../../guards/clean-value.ts';
import { guardValue, noting, type GuardedValue } from '../../guards/guard-value.ts';
import type { Kind } from '../../guards/guard.ts';
import type { Secrets } from '../../guards/secrets.ts';
import type { Message } from '../../gateways/gateway.ts';
import type { RunGuards } from './run-guards.ts';

/**
 * What a run builds on is what it may record: no value holds a secret, nor what its guards find where they look at
 * everything.
 */
export class Guarding {
  readonly #secrets: Secrets;
  #guards: RunGuards | undefined;
  #answers: RunGuards | undefined;

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  guardBy(guards: RunGuards | undefined): void {
    this.#answers = guards;
    this.#guards = guards?.covers === 'everything' ? guards : undefined;
  }

  /** Whether guards look at everything that is recorded. */
  get looksAtAll(): boolean {
    return this.#guards !== undefined;
  }

  cleanAll<T>(value: T): T {
    return this.guarded(this.#secrets.cleanAll(value)).value;
  }

  /** The same, where guards look at these fields only: the others are names of ours, or of those who wrote the flow. */
  cleanIn<T extends object>(given: T, names: readonly (keyof T & string)[]): T {
    const value = this.#secrets.cleanAll(given);
    if (!this.#guards) return value;
    const said = Object.fromEntries(names.filter((name) => name in value).map((name) => [name, value[name]]));
    const { value: guarded } = this.guarded(said);
    return guarded === said ? value : { ...value, ...guarded };
  }

  /** A large answer, which guards look at whatever else they cover: one that an entry carries is looked at with it. */
  async guardAnswer(text: string, rest: () => Promise<void>): Promise<GuardedValue<string>> {
    return this.#answers ? guardLong(this.#answers, text, rest) : { value: text, kinds: [] };
  }

  /** A message to a model, of which guards leave the role as it is. */
  message({ role, ...said }: Message): Message {
    return { role, ...this.guarded(said).value };
  }

  /** Without what guards find, and what that was. */
  guarded<T>(value: T): GuardedValue<T> {
    return this.#guards ? guardValue(this.#guards.values, value) : { value, kinds: [] };
  }

  /** The same of a value that may be long: between its parts it rests. */
  async cleanLong<T>(
    given: T,
    rest: () => Promise<void>,
  ): Promise<GuardedValue<T> & { readonly isSecret: boolean }> {
    const clean = await this.#secrets.cleanLong(given, rest);
    const isSecret = clean !== given;
    return this.#guards
      ? { ...(await guardLong(this.#guards, clean, rest)), isSecret }
      : { value: clean, kinds: [], isSecret };
  }
}

async function guardLong<T>(
  { values }: RunGuards,
  given: T,
  rest: () => Promise<void>,
): Promise<GuardedValue<T>> {
  const kinds = new Set<Kind>();
  const value = await cleanLong(noting(values, kinds), given, rest);
  return { value, kinds: value === given ? [] : [...kinds] };
}
