/** The time of a store, and how far it was moved since it was last looked at. */
export type Clock = () => { readonly now: number; readonly jump: number };

export interface ClockSettings {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds that have really passed, since any moment. Without it, `now` is believed as it is. */
  readonly elapsed?: () => number;
}

/** Two clocks drift apart a little all the time. */
const drift = 1_000;

/**
 * The wall clock can be set, and goes on while a laptop sleeps; what people asked for by the clock follows it. A lease is
 * a length of time in which its worker can act, so leases must move along: else every run would be taken from a worker
 * that is well, and its effects would be in doubt.
 */
export function storeClock({ now, elapsed }: ClockSettings): Clock {
  const wall = now ?? Date.now;
  const steady = elapsed ?? (now === undefined ? () => performance.now() : wall);
  let offset = wall() - steady();
  return () => {
    const time = wall();
    const jump = time - steady() - offset;
    offset += jump;
    return { now: time, jump: Math.abs(jump) > drift ? Math.round(jump) : 0 };
  };
}
