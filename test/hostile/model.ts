// A hostile model, which is a hostile agent as well: answers without end, calls without end, arguments deeper than any stack,
// and floods of stages.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { stages, type Flood } from './stages.ts';
import { used } from './used.ts';

export type Harm = 'text' | 'calls' | 'deep' | 'tools' | Flood;

const depth = 20_000;
const deep = `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const aaaa = JSON.stringify({ text: `${'a'.repeat(31)}!` });

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8');
  request.on('data', (piece: string) => (body += piece));
  request.on('end', () => void misbehave(body, response).catch(() => response.destroy()));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
process.on('disconnect', () => process.exit(0));
process.on('message', () => process.send?.({ used: used() }));
process.send?.({ url: `http://127.0.0.1:${port}/v1` });

async function misbehave(body: string, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const asked = /harm:(\w+)/.exec(body)?.[1] as Harm | undefined;
  const delta = (content: object): Promise<unknown> =>
    write(response, { choices: [{ index: 0, delta: content }] });
  for (let i = 0; !response.destroyed; i += 1) {
    if (asked === 'text') await delta({ content: 'All work and no play makes Jack a dull boy. '.repeat(20) });
    else if (asked === 'calls') await delta(call(i, 'hostile__giant', '{}'));
    else if (asked === 'deep') await delta(call(i, 'hostile__hang', deep));
    else if (asked === 'wide' || asked === 'nested' || asked === 'untidy')
      await delta({ custom_content: { stages: stages[asked](i) } });
    else {
      const tools = ['pattern', 'doubled', 'giant', 'endless', 'hang'];
      for (const [k, tool] of tools.entries()) await delta(call(k, `hostile__${tool}`, aaaa));
      await write(response, { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] });
      response.end('data: [DONE]\n\n');
      return;
    }
  }
}

function call(index: number, name: string, text: string): object {
  return { tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name, arguments: text } }] };
}

async function write(response: ServerResponse, chunk: object): Promise<void> {
  if (response.write(`data: ${JSON.stringify(chunk)}\n\n`) || response.destroyed) return;
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}
