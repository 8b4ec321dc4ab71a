import type { Gateway } from '../src/index.ts';

/** A gateway that is made when its first turn comes. */
export function lazily(make: () => Promise<Gateway>): Gateway {
  let made: Promise<Gateway> | undefined;
  const gateway = (): Promise<Gateway> => (made ??= make());
  return {
    async *takeTurn(turn, signal) {
      yield* (await gateway()).takeTurn(turn, signal);
    },
    async arrived(turn, signal) {
      return (await gateway()).arrived?.(turn, signal);
    },
    async answered(turn, signal) {
      return (await gateway()).answered?.(turn, signal);
    },
  };
}
