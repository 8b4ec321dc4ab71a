// What the shop's own program lets agents do: a tool, and a flow that is typed by it.
import { defineFlow, functionTool } from 'vitrine';
import { z } from 'zod';

const stock: Readonly<Record<string, number>> = { Frankenstein: 3, Dracula: 0 };

export const inStock = functionTool({
  name: 'in_stock',
  description: 'How many copies of a book there are.',
  input: z.strictObject({ title: z.string() }),
  effect: 'pure',
  run: ({ title }) => ({ copies: stock[title] ?? 0 }),
});

export const placeOrder = functionTool({
  name: 'place_order',
  description: 'Orders copies of a book.',
  input: z.strictObject({ title: z.string(), copies: z.int().positive() }),
  effect: 'once',
  approval: 'always',
  run: ({ title, copies }) => ({ order: `${title.toUpperCase()}-${copies}` }),
});

export const order = defineFlow({
  name: 'order',
  version: '1',
  settings: z.strictObject({ copies: z.int().positive().default(1) }),
  async run(scope, { text: title }, { copies }) {
    const stocked = await scope.call(inStock, { title });
    if ('failure' in stocked || stocked.result.copies < copies) return `There is no «${title}» now.`;
    const placed = await scope.call(placeOrder, { title, copies });
    return 'failure' in placed
      ? `Not ordered: ${placed.failure.message}`
      : `Ordered as ${placed.result.order}.`;
  },
});
