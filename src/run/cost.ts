import type { Prices, Usage } from './values.ts';

const million = 1e6;
/** Finer is nobody's price, and only what adding fractions leaves behind. */
const digits = 9;

/** What tokens cost. Those that were read again are among those that were read. */
export function costOf({ input, output, cached = 0 }: Usage, prices: Prices): number {
  const again = Math.min(cached, input);
  const sum =
    (input - again) * prices.input + again * (prices.cached ?? prices.input) + output * prices.output;
  return rounded(sum / million);
}

/** Of two parts, one of which may have no price. */
export function costsTogether(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : rounded(one + other);
}

function rounded(cost: number): number {
  return Number(cost.toFixed(digits));
}
