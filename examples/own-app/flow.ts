// A flow of our own: a plain async function. Everything it does goes through its scope, so all of it is shown as it
// happens, and after a crash it goes on where it was.
import type { Flow, Json, Scope } from 'vitrine';
import { placeOrder, price as priceOf } from './tools.ts';

export const buyBook: Flow = {
  name: 'buy-book',
  version: '1',
  async run(scope, { text }) {
    scope.plan([
      { key: 'find', title: 'Find the book' },
      { key: 'weigh', title: 'Is it worth it?' },
      { key: 'order', title: 'Order it' },
    ]);
    const book = await scope.step({ key: 'find', title: 'Find the book' }, (step) => findBook(step, text));
    if (book === null) return `The library knows no book like «${text}».`;
    const { price, review } = await scope.step({ key: 'weigh', title: 'Is it worth it?' }, (step) =>
      // Two branches at once, each shown under its name.
      step.parallel({
        // Typed by the tool: what it takes, and what it gives.
        price: async (branch) => {
          const asked = await branch.call(priceOf, { isbn: book.isbn, copies: 1 });
          return 'failure' in asked ? 0 : asked.result.euros;
        },
        review: async (branch) => {
          const messages = [{ role: 'user' as const, text: `Review «${book.title}» in two sentences.` }];
          return (await branch.turn('reviewer', { messages, title: 'Reviewer' })).text;
        },
      }),
    );
    const order = await scope.step({ key: 'order', title: 'Order it' }, async (step) => {
      const done = await step.call(placeOrder, { isbn: book.isbn, copies: 1, euros: price });
      return 'failure' in done ? `not ordered: ${done.failure.message}` : `ordered as ${done.result.order}`;
    });
    return `«${book.title}», ${price} euros with shipping, ${order}.\n\n${review}`;
  },
};

interface Book {
  readonly title: string;
  readonly isbn: string;
}

async function findBook(scope: Scope, text: string): Promise<Book | null> {
  const found = await resultOf(scope, 'library__find_book', { words: text });
  const isbn = field(found, 'isbn');
  return isbn === '' ? null : { title: field(found, 'title'), isbn };
}

/** What a call brought. A failure is shown at its step; this flow goes on without. */
async function resultOf(scope: Scope, tool: string, input: Json): Promise<Json> {
  const done = await scope.call(tool, input);
  return 'failure' in done ? null : done.result;
}

/** A field of a result, as text. An MCP server gives its results as text that may be JSON. */
function field(result: Json, name: string): string {
  const value: unknown = typeof result === 'string' ? parsed(result) : result;
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
  return typeof found === 'string' || typeof found === 'number' ? `${found}` : '';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: then it has no fields.
    return undefined;
  }
}
