// An agent that lives elsewhere: any server that speaks OpenAI chat completions. This one streams a fixed opinion.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const port = Number(process.env['REVIEWER_PORT'] ?? 4180);

const server = createServer((request, response) => {
  if (request.method === 'POST' && request.url === '/v1/chat/completions') void review(request, response);
  else response.writeHead(404).end();
});

async function review(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const piece of request) body += String(piece);
  const { messages } = JSON.parse(body) as { readonly messages: readonly { readonly content: string }[] };
  const [, title = 'this book'] = /«(.+)»/.exec(messages.at(-1)?.content ?? '') ?? [];
  const send = (choice: object, more = {}): void => {
    const chunk = {
      id: 'review',
      object: 'chat.completion.chunk',
      choices: [{ index: 0, ...choice }],
      ...more,
    };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const word of `I have read ${title} twice. Buy it before the winter.`.split(/(?<= )/)) {
    send({ delta: { content: word } });
    await sleep(30);
  }
  send({ delta: {}, finish_reason: 'stop' }, { usage: { prompt_tokens: 12, completion_tokens: 14 } });
  response.end('data: [DONE]\n\n');
}

server.listen(port, '127.0.0.1', () => {
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  process.stdout.write(`The reviewer listens on http://127.0.0.1:${bound}/v1\n`);
});
