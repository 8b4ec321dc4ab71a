/** An MCP server whose schemas are made to be expensive: `node hostile.ts`. */
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number | string;
  readonly method: string;
}

const backtracking = '^(a+)+$';
const doubled = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => {
    const next = { $ref: `#/$defs/a${i + 1}` };
    return [`a${i}`, { allOf: [next, next] }];
  }),
);
const schemas: Readonly<Record<string, object>> = {
  pattern: { type: 'object', properties: { text: { type: 'string', pattern: backtracking } } },
  doubled: {
    type: 'object',
    properties: { text: { $ref: '#/$defs/a0' } },
    $defs: { ...doubled, a40: { type: 'string' } },
  },
  repeated: {
    type: 'object',
    properties: { text: { type: 'string', pattern: '^(([a-z]{1,1000}){1,1000}){1,1000}$' } },
  },
  named: {
    type: 'object',
    patternProperties: { '^(?=t)text$': { type: 'number' } },
  },
  ahead: { type: 'object', properties: { text: { type: 'string', pattern: '^(?=x)y' } } },
};
for await (const line of createInterface(process.stdin)) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  if (request.method === 'tools/call') call(request);
  else answer(request);
}

function answer({ id, method }: Request): void {
  const annotations = { readOnlyHint: true };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-11-25',
      capabilities: { tools: {} },
      serverInfo: { name: 'hostile', version: '1' },
    },
    'tools/list': {
      tools: Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema, annotations })),
    },
  };
  const result = results[method];
  send(result === undefined ? { id, error: { code: -32601, message: 'No' } } : { id, result });
}

function call({ id }: Request): void {
  send({ id, result: { content: [{ type: 'text', text: 'called' }] } });
}

function send(body: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`);
}
