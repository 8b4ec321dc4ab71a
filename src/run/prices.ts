import { z } from 'zod';

const price = z.number().nonnegative();

/** What a million tokens of a model cost, in whatever money they are written in. What is read again costs `cached` where that is said. */
export const Prices = z.strictObject({ input: price, output: price, cached: price.optional() });
export type Prices = z.infer<typeof Prices>;
