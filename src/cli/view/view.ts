import type { Entry } from '../../run/events.ts';
import type { Approval, RunTree } from '../../run/tree.ts';
import type { Watched } from './watch.ts';

/** How a run is shown while it goes on. */
export interface View {
  /** This entry has just been folded into the tree. */
  show(entry: Entry, tree: RunTree): void;
  /** Whether somebody here may still answer this. */
  expects(approval: Approval): boolean;
  /** Whether somebody is here, who sees what comes. */
  readonly isWatched: boolean;
  /** Aborts when whoever watches leaves. */
  readonly signal: AbortSignal;
  /** Watching is over. */
  close(watched: Watched): void;
}
