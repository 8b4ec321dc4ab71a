import { compactEvents } from '@ag-ui/client';
import { EventType, type StateDeltaEvent, type StateSnapshotEvent } from '@ag-ui/core';
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

  kept(): Pick<Exchange, 'shared'> {
    if (this.#changes.length === 0) return {};
    const before = { type: EventType.STATE_SNAPSHOT, snapshot: this.#before } as const;
    const [now] = compactEvents([before, ...this.#changes]);
    return { shared: (now as StateSnapshotEvent | undefined)?.snapshot as Exchange['shared'] };
  }
}
