import type { Entry, EventOf, RunEvent } from '../../run/events.ts';
import { redactedNotice } from '../record/hold-back.ts';

interface Taking {
  readonly worker: string;
  readonly at: number;
  /** Whether a secret was taken out of what was asked. */
  readonly isRedacted: boolean;
}

/** The first entries of a run: what was asked, and who has it in hand. */
export function beginningOf(
  started: Omit<EventOf<'run.started'>, 'type'>,
  { worker, at, isRedacted }: Taking,
): Entry[] {
  const events: RunEvent[] = [
    { type: 'run.started', ...started },
    { type: 'worker.took', worker, epoch: 1, reason: 'started' },
    ...(isRedacted ? [redactedNotice(0)] : []),
  ];
  return events.map((event, i) => ({ seq: i + 1, at, event }));
}
