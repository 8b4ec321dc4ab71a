import type { FlatData } from '../../wire/a2ui.ts';

/** What changed with an entry: rows and questions are sent whole. */
export type Changed = 'rows' | 'questions' | FlatData;

/** How many full lists are sent a second, by the times of the entries, and how many may come at once before that. */
const perSecond = 4;
const atOnce = 40;

export interface Pace {
  /** How many lists may be sent now. */
  left: number;
  /** When that was reckoned last. */
  at: number;
  /** Whether a row that people must see at once has changed. */
  isUrgent: boolean;
  /** Whether rows have changed that are not told. */
  isBehind: boolean;
}

export function newPace(): Pace {
  return { left: atOnce, at: 0, isUrgent: false, isBehind: false };
}

/**
 * What is told of what changed with an entry. A list that comes too soon waits for the next entry that is late enough; stages,
 * skills, questions and the end do not wait.
 */
export function paced(pace: Pace, changed: readonly Changed[], at: number): readonly Changed[] {
  const { isUrgent } = pace;
  pace.isUrgent = false;
  pace.left = Math.min(atOnce, pace.left + (Math.max(0, at - pace.at) * perSecond) / 1000);
  pace.at = Math.max(pace.at, at);
  const isChanged = changed.includes('rows');
  if (!isChanged && !pace.isBehind) return changed;
  pace.isBehind = !isUrgent && !changed.includes('questions') && pace.left < 1;
  if (pace.isBehind) return changed.filter((one) => one !== 'rows');
  pace.left = Math.max(0, pace.left - 1);
  return isChanged ? changed : [...changed, 'rows'];
}
