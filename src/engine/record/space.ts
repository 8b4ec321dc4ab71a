import type { RunEvent } from '../../run/events.ts';
import { limitsOf } from '../../run/limits.ts';
import type { RunTree } from '../../run/tree.ts';
import { referencesIn } from '../../run/references.ts';
import type { Store } from '../../stores/store.ts';

/** What a run whose space is used up may still write to come to its end. */
export const lastSpace = { entries: 10_000, bytes: 4_000_000 } as const;

/** How many bytes a run writes before its tenant's share is looked at again. */
const stride = 256 * 1024;

export interface SpaceSettings {
  readonly tree: RunTree;
  readonly store: Store;
  /** What its journal, and all that is kept beside it, has already. */
  readonly bytes: number;
  /** What all runs of a tenant may have together. */
  readonly bytesPerTenant?: number | undefined;
}

/** What a run takes up in the store: entries, and bytes with all that is kept beside them. */
export class Space {
  readonly #settings: SpaceSettings;
  #bytes: number;
  #lookAgainAt: number;
  /** What the tenant has, as far as is known. */
  #held = 0;

  constructor(settings: SpaceSettings) {
    this.#settings = settings;
    this.#bytes = settings.bytes;
    // Whoever let a new run begin has just looked.
    this.#lookAgainAt = settings.bytes === 0 ? stride : settings.bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  take(bytes: number): void {
    this.#bytes += bytes;
    const { bytesPerTenant, tree, store } = this.#settings;
    if (bytesPerTenant === undefined || this.#bytes < this.#lookAgainAt) return;
    this.#lookAgainAt = this.#bytes + stride;
    // A store that does not answer now is asked again: what is written meanwhile fails anyway.
    store.blobs.held(tree.started?.tenant ?? '').then(
      (held) => (this.#held = held),
      () => (this.#lookAgainAt = this.#bytes),
    );
  }

  /** Why nothing more may be written, but for so much. */
  used(beyond: { readonly entries: number; readonly bytes: number } = none): string | undefined {
    const { tree, bytesPerTenant = Infinity } = this.#settings;
    const { entries, bytes } = limitsOf(tree);
    if (tree.seq >= entries + beyond.entries) return `The run has used up its ${entries} entries.`;
    if (this.#bytes >= bytes + beyond.bytes) return `The run has used up its ${bytes} bytes.`;
    if (this.#held >= bytesPerTenant + beyond.bytes)
      return `All runs together have used up their ${bytesPerTenant} bytes: erase some.`;
    return undefined;
  }
}

const none = { entries: 0, bytes: 0 };

/** How many bytes are kept beside the journal for an entry. */
export function bytesBeside(event: RunEvent): number {
  return referencesIn(event).reduce((bytes, { size }) => bytes + size, 0);
}
