import type { Entry, EventOf, RunEvent } from '../../run/events.ts';
import type { Json } from '../../run/values.ts';
import { redactedNotice } from '../record/hold-back.ts';
import type { Moment } from '../time/lease.ts';

/** How a run has begun, and when that was asked for. */
export interface Begun {
  readonly entries: readonly Entry[];
  readonly claimed: Moment;
  /** What it runs, where that is data. */
  readonly definition?: Json | undefined;
}

interface Taking {
  /** Who has it in hand from the first moment, if somebody does. */
  readonly worker?: string | undefined;
  readonly at: number;
  /** Whether a secret was taken out of what was asked. */
  readonly isRedacted: boolean;
  /** What of what was asked is not used, and why. */
  readonly notices?: readonly Pick<EventOf<'notice.posted'>, 'code' | 'message'>[];
}

/** The first entries of a run: what was asked, and who has it in hand, if somebody does. */
export function beginningOf(
  started: Omit<EventOf<'run.started'>, 'type'>,
  { worker, at, isRedacted, notices = [] }: Taking,
): Entry[] {
  const events: RunEvent[] = [
    { type: 'run.started', ...started },
    ...(worker === undefined ? [] : [tookFirst(worker)]),
    ...(isRedacted ? [redactedNotice(0)] : []),
    ...notices.map((notice): RunEvent => ({ type: 'notice.posted', step: 0, ...notice })),
  ];
  return events.map((event, i) => ({ seq: i + 1, at, event }));
}

function tookFirst(worker: string): RunEvent {
  return { type: 'worker.took', worker, epoch: 1, reason: 'started' };
}
