// Those outside: a model that streams, and viewers that read. A process of its own, so that only the server's work is measured.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { harmlessTexts } from '../../test/secrets.ts';

export interface Round {
  /** The server that is measured. */
  readonly url: string;
  readonly streams: number;
  readonly deltas: number;
  /** Milliseconds between two deltas of a stream. */
  readonly pace: number;
}

const pieces = harmlessTexts(200).flat();
let round: Round = { url: '', streams: 0, deltas: 0, pace: 0 };

const model = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const stream = async (): Promise<void> => {
    for (let i = 0; i < round.deltas; i += 1) {
      const delta = { content: pieces[i % pieces.length] };
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`);
      await sleep(round.pace);
    }
    const end = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
    response.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
  };
  void stream();
});

async function watch(): Promise<void> {
  const body = JSON.stringify({ app: 'talk', input: { text: 'go' } });
  const headers = { 'content-type': 'application/json' };
  const begun = await fetch(`${round.url}/api/runs`, { method: 'POST', body, headers });
  const { run } = (await begun.json()) as { readonly run: string };
  await (await fetch(`${round.url}/api/runs/${run}/events`)).text();
}

process.on('message', (asked: Round) => {
  round = asked;
  void Promise.all(Array.from({ length: round.streams }, watch)).then(() => process.send?.('done'));
});
model.listen(0, '127.0.0.1', () => process.send?.((model.address() as AddressInfo).port));
