import { createHash } from 'node:crypto';
import type { Turn } from '../gateway.ts';

/**
 * The ids under which the calls of one turn are told: the one upstream gave, unless it gave none, or gave it to another
 * call before. Results are told to the model by id, so two calls with one id would be mixed up. An id that is made up
 * is the same for every attempt of the turn.
 */
export class CallIds {
  readonly #taken: Set<string>;
  readonly #key: string;

  constructor({ messages, idempotencyKey }: Turn) {
    this.#taken = new Set(messages.flatMap(({ calls = [] }) => calls.map(({ id }) => id)));
    this.#key = idempotencyKey;
  }

  give(upstreamId: string | undefined, place: number): string {
    if (upstreamId !== undefined && !this.#taken.has(upstreamId)) {
      this.#taken.add(upstreamId);
      return upstreamId;
    }
    return `call_${createHash('sha256').update(this.#key).digest('hex').slice(0, 12)}_${place}`;
  }
}
