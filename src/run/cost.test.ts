import fc from 'fast-check';
import { expect, test } from 'vitest';
import { costOf, costsTogether } from './cost.ts';
import { Prices } from './values.ts';

test.for([
  [{ input: 1_000_000, output: 0 }, 3],
  [{ input: 0, output: 1_000_000 }, 15],
  [{ input: 1_000_000, output: 0, cached: 400_000 }, 1.92],
  [{ input: 1_200, output: 340 }, 0.0087],
  [{ input: 10, output: 0, cached: 20 }, 0.000003],
] as const)('[CO1] %o costs %d', ([usage, cost]) => {
  expect(costOf(usage, { input: 3, output: 15, cached: 0.3 })).toBe(cost);
});

test('[CO1] what is read again costs as much as what is read, unless said', () => {
  expect(costOf({ input: 100, output: 0, cached: 100 }, { input: 10, output: 0 })).toBe(0.001);
});

test('[CO1] more tokens never cost less, and parts cost what the whole does', () => {
  const tokens = fc.nat(1_000_000);
  const usage = fc.record({ input: tokens, output: tokens });
  const prices = { input: 2.5, output: 10 };
  fc.assert(
    fc.property(usage, usage, (one, other) => {
      const both = { input: one.input + other.input, output: one.output + other.output };
      const apart = costsTogether(costOf(one, prices), costOf(other, prices)) ?? 0;
      expect(apart).toBeCloseTo(costOf(both, prices), 8);
      expect(costOf(both, prices)).toBeGreaterThanOrEqual(costOf(one, prices));
    }),
  );
});

test('[CO1] what has no price adds nothing, and makes nothing of nothing', () => {
  expect([costsTogether(1, undefined), costsTogether(undefined, 2)]).toEqual([1, 2]);
  expect(costsTogether(undefined, undefined)).toBeUndefined();
  expect(costsTogether(0.1, 0.2)).toBe(0.3);
});

test('[CO2] a price is a number from 0 on', () => {
  expect(Prices.safeParse({ input: -1, output: 1 }).success).toBe(false);
  expect(Prices.safeParse({ input: 1, output: 1, outputs: 1 }).success).toBe(false);
});
