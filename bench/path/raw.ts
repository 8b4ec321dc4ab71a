// The least that any server does: asks the model, parses what it says and sends it on, over plain node:http.
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { asked, type Plan } from './plan.ts';
import { answering } from './usage.ts';

const [model = ''] = process.argv.slice(2);
const keptOpen = new Agent({ keepAlive: true, maxSockets: Infinity });

interface Delta {
  readonly content?: string;
  readonly tool_calls?: readonly { readonly function?: { readonly arguments?: string } }[];
}

const server = createServer((incoming, response) => void run(incoming, response));
server.listen(0, '127.0.0.1', () => {
  answering();
  process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});

async function run(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
  const plan = (await json(incoming)) as Plan;
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  let seq = 0;
  const tell = (event: object): void => {
    seq += 1;
    response.write(`id: ${seq}\ndata: ${JSON.stringify(event)}\n\n`);
  };
  for (let turn = 0; turn <= plan.tools; turn += 1) {
    const call = await takeTurn(JSON.stringify(asked(plan, turn)), (x) => tell({ t: Date.now(), x }));
    if (call !== '') tell({ t: Date.now(), result: JSON.parse(call) as unknown });
  }
  response.end();
}

/** Resolves with the arguments of the call it asks for. */
function takeTurn(content: string, tell: (text: string) => void): Promise<string> {
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content }] });
  return new Promise((resolve, reject) => {
    const asking = request(`${model}/chat/completions`, { method: 'POST', agent: keptOpen }, (answer) => {
      let rest = '';
      let call = '';
      answer.setEncoding('utf8');
      answer.on('data', (text: string) => {
        const frames = (rest + text).split('\n\n');
        rest = frames.pop() ?? '';
        for (const frame of frames) {
          const data = frame.slice(6);
          if (data === '[DONE]') continue;
          const { choices } = JSON.parse(data) as { readonly choices: readonly { readonly delta: Delta }[] };
          const { content: said, tool_calls: calls } = choices[0]?.delta ?? {};
          if (said !== undefined) tell(said);
          call += calls?.[0]?.function?.arguments ?? '';
        }
      });
      answer.on('end', () => resolve(call));
    });
    asking.on('error', reject);
    asking.end(body);
  });
}
