/** An MCP server without a library, for what a library would not do: `node terse.ts <record file>`. */
import { appendFileSync, closeSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly _meta?: { readonly progressToken?: number } };
}

const record = process.argv[2] ?? '/dev/null';
const note = (line: string): void => appendFileSync(record, `${line}\n`);
const message = (body: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`;
const tools = ['burst', 'flood', 'last', 'hang_up'].map((name) => ({
  name,
  inputSchema: { type: 'object' },
  annotations: { readOnlyHint: true },
}));

let isFirst = true;
note('started');
process.stdin.on('end', () => setTimeout(leave, 800));
process.stdout.write('Welcome! This line is no message.\n{"nor":"is this"}\n');

for await (const line of createInterface(process.stdin)) {
  const request = JSON.parse(line) as Request;
  if (request.id === undefined) continue;
  if (request.method === 'tools/call') call(request);
  else answer(request);
}

function answer({ id, method }: Request): void {
  const serverInfo = { name: 'terse', version: '1' };
  const results: Record<string, object> = {
    initialize: { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo },
    'tools/list': { tools },
  };
  if (method === 'tools/list') {
    note('listed');
    // The first list is old before it arrives.
    if (isFirst) process.stdout.write(message({ method: 'notifications/tools/list_changed' }));
    isFirst = false;
  }
  const result = results[method];
  process.stdout.write(
    message(result === undefined ? { id, error: { code: -32601, message: 'No' } } : { id, result }),
  );
}

function call({ id, params }: Request): void {
  const text = params?.name === 'last' ? 'x'.repeat(100_000) : `${process.pid}`;
  const result = message({ id, result: { content: [{ type: 'text', text }] } });
  const progressToken = params?._meta?.progressToken;
  const progress = (count: object): string =>
    message({ method: 'notifications/progress', params: { progressToken, ...count } });
  if (params?.name === 'burst') {
    process.stdout.write([1, 2, 3].map((i) => progress({ progress: i })).join('') + result);
  }
  if (params?.name === 'flood') {
    const line = progress({ progress: 1, message: 'x'.repeat(1000) });
    process.stdout.write(line.repeat(100) + result);
  }
  if (params?.name === 'last') process.stdout.write(result, () => process.exit());
  if (params?.name === 'hang_up') closeSync(1);
}

function leave(): void {
  note('ended');
  process.exit();
}
