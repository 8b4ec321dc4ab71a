import { EventType, type StateDeltaEvent, type StateSnapshotEvent } from '@ag-ui/core';
import jsonPatch, { type Operation } from 'fast-json-patch';
import type { Exchange } from './thread.ts';

/** What an agent shares with its clients: it gets it back in its next turn, as it stood after all changes. */
export class SharedState {
  readonly #before: Exchange['shared'];
  readonly #changes: (StateSnapshotEvent | StateDeltaEvent)[] = [];

  constructor({ shared = {} }: Exchange) {
    this.#before = shared;
  }

  take(event: StateSnapshotEvent | StateDeltaEvent): readonly [] {
    if (event.type === EventType.STATE_SNAPSHOT) this.#changes.length = 0;
    this.#changes.push(event);
    return [];
  }

  /** As it stands now, and how many changes could not be made: the official client would print those. */
  kept(): { readonly now: Pick<Exchange, 'shared'>; readonly refused: number } {
    if (this.#changes.length === 0) return { now: {}, refused: 0 };
    let shared: unknown = structuredClone(this.#before);
    let refused = 0;
    for (const change of this.#changes) {
      if (change.type === EventType.STATE_SNAPSHOT) shared = structuredClone(change.snapshot);
      else
        try {
          shared = jsonPatch.applyPatch(shared, change.delta as Operation[], true, false).newDocument;
        } catch {
          refused += 1;
        }
    }
    return { now: { shared: shared as Exchange['shared'] }, refused };
  }
}
