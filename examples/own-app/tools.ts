// Two tools of our own. What a tool says of its effect decides what happens after a crash and whether a person is asked.
import { functionTool } from 'vitrine';
import { z } from 'zod';

const prices: Readonly<Record<string, number>> = { '9780141439600': 7.99, '9780486282114': 5 };

/** Reads only: it may run again whenever it is in doubt. */
export const price = functionTool({
  name: 'price',
  description: 'The price of a book with shipping, in euros.',
  input: z.strictObject({ isbn: z.string(), copies: z.int().positive() }),
  effect: 'pure',
  run: ({ isbn, copies }) => ({ euros: Math.round(((prices[isbn] ?? 12) * copies + 2.5) * 100) / 100 }),
});

/** Cannot be taken back: it never runs twice, and a person sees exactly what will run. */
export const placeOrder = functionTool({
  name: 'place_order',
  description: 'Orders copies of a book.',
  input: z.strictObject({ isbn: z.string(), copies: z.int().positive(), euros: z.number() }),
  effect: 'once',
  approval: 'always',
  run: ({ isbn, copies }) => ({ order: `B-${isbn.slice(-4)}-${copies}` }),
});
