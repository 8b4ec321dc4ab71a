import type { EventOf } from '../../run/events.ts';
import type { Part } from './part.ts';

const deciding = 'Deciding who works on this…';
const thinking = 'Thinking…';
const writing = 'Writing the answer…';

/** What is said while something goes on, and may be said again after the next card. */
export const activities: ReadonlySet<string> = new Set([deciding, thinking, writing]);

/** What people are told when a step opens that is no card. Names of steps and agents mean nothing to them. */
export function activityOf({ kind, title, key, parent }: EventOf<'step.opened'>, role: Part['role']): string {
  if (role === 'part') return '';
  switch (kind) {
    case 'route':
      return deciding;
    case 'answer':
      return writing;
    case 'turn':
      return role === 'message' && parent === 0 ? thinking : '';
    case 'registration':
    case 'verdict':
    case 'facts':
      return '';
    default:
      return title === key ? '' : title;
  }
}

/** Notices about how the step they stand at ends: where that is a card, its end tells it. */
export const toldByCards: ReadonlySet<string> = new Set([
  'AGENT_FAILED',
  'BUDGET_EXHAUSTED',
  'CALL_MALFORMED',
  'CALL_REFUSED',
  'CALL_SKIPPED',
  'DUPLICATE_BLOCKED',
  'TOOLS_DISABLED',
]);

/** Plans and the like, which models write for us. */
export function isForMachines(text: string): boolean {
  return /^\s*(?:```json\b|[[{])/.test(text);
}
