import type { RunEvent } from '../run/events.ts';
import type { RunTree } from '../run/tree.ts';

/** Counts what a worker does. It is told, and changes nothing. */
export interface Meter {
  /** An event was recorded, and is in the tree. */
  recorded(event: RunEvent, tree: RunTree): void;
  /** Somebody had to wait until what had gathered was durable, for so many milliseconds. */
  committed(milliseconds: number): void;
}
