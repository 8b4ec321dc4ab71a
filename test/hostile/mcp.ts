// A hostile MCP server: patterns that explode, schemas that double, results without end, and calls that never come back.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { used } from './used.ts';

interface Request {
  readonly id?: number | string;
  readonly method: string;
  readonly params?: { readonly name?: string; readonly _meta?: { readonly progressToken?: number } };
}

const say = (body: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...body })}\n`);

/** As much as is taken of one result. Characters, with the quotes of JSON. */
const largest = 8_000_000 - 2;

/** Each level refers to the next one twice. */
const doubled = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [
    `d${i}`,
    i === 29 ? {} : { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
  ]),
);
const schemas: Readonly<Record<string, object>> = {
  pattern: { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } },
  doubled: { type: 'object', properties: { text: { $ref: '#/$defs/d0' } }, $defs: doubled },
  giant: { type: 'object' },
  endless: { type: 'object' },
  hang: { type: 'object' },
};

// Whoever started it does not speak with it: a file tells what it used.
const [folder = ''] = process.argv.slice(2);
setInterval(() => writeFileSync(join(folder, `${process.pid}.used`), String(used())), 200).unref();

for await (const line of createInterface(process.stdin)) {
  const request = JSON.parse(line) as Request;
  if (request.id !== undefined) answer(request);
}

function answer({ id, method, params }: Request): void {
  if (method === 'initialize') {
    const serverInfo = { name: 'hostile', version: '1' };
    say({ id, result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo } });
  } else if (method === 'tools/list') {
    const annotations = { readOnlyHint: true };
    const tools = Object.entries(schemas).map(([name, inputSchema]) => ({ name, inputSchema, annotations }));
    say({ id, result: { tools } });
  } else if (method !== 'tools/call') say({ id, error: { code: -32601, message: 'No' } });
  else if (params?.name === 'giant')
    say({ id, result: { content: [{ type: 'text', text: 'x'.repeat(largest) }] } });
  else if (params?.name === 'endless') progress(params._meta?.progressToken);
  else if (params?.name !== 'hang') say({ id, result: { content: [{ type: 'text', text: 'done' }] } });
}

function progress(progressToken: number | undefined): void {
  let count = 0;
  setInterval(() => {
    for (let i = 0; i < 100; i += 1) {
      count += 1;
      say({
        method: 'notifications/progress',
        params: { progressToken, progress: count, message: 'x'.repeat(1_000) },
      });
    }
  }, 10);
}
