/** An MCP server whose tools are those named in a file, and who says so when they change: `node changing.ts <file>`. */
import { readFileSync, watchFile } from 'node:fs';
import { createInterface } from 'node:readline';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

const file = process.argv[2] ?? '/dev/null';
const say = (body: object): boolean =>
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`);
const described = {
  description: 'A tool.',
  inputSchema: { type: 'object', properties: { to: { type: 'string', default: 'all' } } },
};

watchFile(file, { interval: 20 }, () => say({ method: 'notifications/tools/list_changed' }));

for await (const line of createInterface(process.stdin)) {
  const { id, method, params } = JSON.parse(line) as Request;
  if (id === undefined) continue;
  const result = resultOf(method, params?.name ?? '');
  say(result === undefined ? { id, error: { code: -32601, message: 'No' } } : { id, result });
}
process.exit();

function resultOf(method: string, name: string): object | undefined {
  const serverInfo = { name: 'changing', version: '1' };
  if (method === 'initialize')
    return { protocolVersion: '2025-11-25', capabilities: { tools: { listChanged: true } }, serverInfo };
  if (method === 'tools/list') return { tools: names().map((one) => ({ name: one, ...described })) };
  return method === 'tools/call' ? { content: [{ type: 'text', text: `${name} was called` }] } : undefined;
}

function names(): readonly string[] {
  return readFileSync(file, 'utf8').split(/\s+/).filter(Boolean);
}
