/** An MCP server that says what it is told to: `node scripted.ts script.json`, with `{ tools, results: { name } }`. */
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

interface Script {
  readonly tools: readonly object[];
  readonly results: Readonly<Record<string, object>>;
}

const { tools, results } = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Script;
const answers: Readonly<Record<string, object>> = {
  initialize: {
    protocolVersion: '2025-11-25',
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1' },
  },
  'tools/list': { tools },
};
for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line) as Request;
  if (id === undefined) continue;
  const result = method === 'tools/call' ? results[params?.name ?? ''] : answers[method];
  const body = result === undefined ? { error: { code: -32601, message: 'No' } } : { result };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`);
}
