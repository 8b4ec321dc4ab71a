import type { EventOf } from '../../run/events.ts';
import { cutWith } from '../preferences/cut.ts';
import { isoTime, seconds } from '../time-text.ts';
import { lengths } from './said.ts';
import type { Happening } from './happening.ts';
import type { Brought } from './part.ts';

/** How a card ended, as both generations of the console tell it. */
export function closedCard(
  { card, ended, brought }: Extract<Happening, { type: 'card.closed' }>,
  at: number,
  { reasoning, sub_steps }: { reasoning: string | undefined; sub_steps?: Brought['below'] | undefined },
) {
  return {
    duration: seconds(card.milliseconds),
    response: ended.response,
    timestamp: isoTime(at),
    visualizations: some(brought.shown),
    reasoning: reasoning === undefined ? undefined : cutWith(reasoning, lengths.reasoning, '…'),
    sub_steps,
    error: ended.isError || undefined,
    blocked: ended.isBlocked || undefined,
    is_action: brought.action && (true as const),
    action: brought.action?.data,
  };
}

export function some<T>(list: readonly T[]): T[] | undefined {
  return list.length > 0 ? [...list] : undefined;
}

export function doneStatus(outcome: EventOf<'run.ended'>['outcome']): 'completed' | 'failed' | 'cancelled' {
  return outcome === 'stopped' ? 'cancelled' : outcome;
}
