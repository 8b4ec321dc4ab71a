import type { Clock } from '../../engine/time/clock.ts';
import type { Pauses } from './scheduler.ts';
import { systemClock } from '../../loop/machine.ts';

/** Ends a pause. */
export interface Alarm extends Pauses {
  /** Something may be due earlier than was known. */
  ring(): void;
}

export function alarmOf(clock: Pick<Clock, 'sleep'> = systemClock): Alarm {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    async wait(milliseconds, signal) {
      await clock.sleep(milliseconds, AbortSignal.any([signal, rung.signal]));
      rung = new AbortController();
    },
  };
}
