// A server that speaks the Model Context Protocol over its standard input and output, without any library: a line of
// JSON for each message. Vitrine starts it and ends it.
import { createInterface } from 'node:readline';

const books = [
  { title: 'A Tale of Two Cities', isbn: '9780141439600' },
  { title: 'Frankenstein', isbn: '9780486282114' },
];

const findBook = {
  name: 'find_book',
  description: 'Finds a book by words of its title.',
  inputSchema: {
    type: 'object',
    properties: { words: { type: 'string' } },
    required: ['words'],
    additionalProperties: false,
  },
  // It reads and changes nothing, so nobody has to be asked.
  annotations: { readOnlyHint: true },
};

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly protocolVersion?: string; readonly arguments?: { readonly words?: string } };
}

for await (const line of createInterface({ input: process.stdin })) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer(request) })}\n`);
}

function answer({ method, params }: Request): object {
  if (method === 'initialize') {
    const protocolVersion = params?.protocolVersion ?? '2025-06-18';
    const serverInfo = { name: 'library', version: '1.0.0' };
    return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'tools/list') return { result: { tools: [findBook] } };
  if (method === 'tools/call')
    return { result: { content: [{ type: 'text', text: find(params?.arguments?.words) }] } };
  if (method === 'ping') return { result: {} };
  return { error: { code: -32_601, message: `There is no method ${method}.` } };
}

function find(words = ''): string {
  const wanted = words.toLowerCase();
  const book = books.find(({ title }) =>
    title
      .toLowerCase()
      .split(' ')
      .some((word) => word.length > 3 && wanted.includes(word)),
  );
  return JSON.stringify(book ?? {});
}
