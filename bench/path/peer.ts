// Those outside: a model that streams, and viewers that read. A process of its own, so that only the server's work is measured.
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked, Had, Visit } from './plan.ts';
import { prose } from './prose.ts';

/** When the pieces of each stream left the model, in their order: the model and the viewers share a clock. */
const sentAt = new Map<number, number[]>();
const nextWord = prose(1);

const keptOpen = new Agent({ keepAlive: true, maxSockets: Infinity });

const model = createServer((asking, response) => void answer(asking, response));
model.listen(0, '127.0.0.1', () => process.send?.((model.address() as AddressInfo).port));

async function answer(asking: IncomingMessage, response: ServerResponse): Promise<void> {
  const { messages } = (await json(asking)) as { readonly messages: readonly { readonly content: string }[] };
  const {
    deltas,
    pace,
    call,
    stream = 0,
    newWords,
    open = 0,
  } = JSON.parse(messages.at(-1)?.content ?? '{}') as Asked;
  const times = sentAt.get(stream) ?? [];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  await paced(deltas, pace, () => {
    const now = performance.now();
    times.push(now);
    response.write(chunk({ content: newWords ? `word ${now.toFixed(3)} ` : `${nextWord()} ` }));
  });
  if (open > 0) await sleep(open);
  const isCall = call !== undefined;
  if (isCall) for (const delta of callPieces(call)) response.write(chunk(delta));
  response.end(`${chunk({}, isCall ? 'tool_calls' : 'stop')}data: [DONE]\n\n`);
}

function paced(count: number, pace: number, tick: () => void): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const timer = setInterval(() => {
      if (left > 0) tick();
      left -= 1;
      if (left > 0) return;
      clearInterval(timer);
      resolve();
    }, pace);
  });
}

function callPieces(call: number): readonly object[] {
  const start = { index: 0, id: `call_${call}`, type: 'function', function: { name: 'echo', arguments: '' } };
  const pieces = ['{"n"', ': ', `${call}}`].map((text) => ({ index: 0, function: { arguments: text } }));
  return [start, ...pieces].map((piece) => ({ tool_calls: [piece] }));
}

function chunk(delta: object, finish: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason: finish }];
  const rest = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };
  return `data: ${JSON.stringify({ ...rest, choices })}\n\n`;
}

process.on('message', (visit: Visit) => {
  const latencies: number[] = [];
  const watchers = Array.from({ length: visit.streams }, async (_, i) => {
    await sleep(i * visit.stagger);
    for (let run = 0; run < visit.runs; run += 1) await watch(visit, latencies);
  });
  Promise.all(watchers).then(
    () => process.send?.(had(latencies)),
    (cause: unknown) => {
      throw cause;
    },
  );
});

function had(latencies: readonly number[]): Had {
  const sorted = latencies.toSorted((one, other) => one - other);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { deltas: sorted.length, p50: at(0.5), p99: at(0.99) };
}

let streams = 0;

async function watch(visit: Visit, latencies: number[]): Promise<void> {
  streams += 1;
  const stream = streams;
  const times: number[] = [];
  sentAt.set(stream, times);
  await read(await begun(visit, JSON.stringify({ ...visit.plan, stream })), times, latencies);
  sentAt.delete(stream);
}

/** The stream of a run that was just started. */
async function begun({ url, kind }: Visit, text: string): Promise<IncomingMessage> {
  if (kind === 'raw') return ask('POST', `${url}/run`, text);
  const answered = await ask('POST', `${url}/api/runs`, JSON.stringify({ app: 'talk', input: { text } }));
  if (answered.headers['content-type']?.startsWith('text/event-stream')) return answered;
  // Older checkouts answer with the name of the run alone.
  const { run } = (await json(answered)) as { readonly run: string };
  return ask('GET', `${url}/api/runs/${run}/events`);
}

function ask(method: string, url: string, body = ''): Promise<IncomingMessage> {
  const headers = {
    accept: 'text/event-stream',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, agent: keptOpen, headers }, resolve);
    // A connection that was kept may be closed by the other end in the very moment it is used again.
    asking.on('error', (error) => {
      if (asking.reusedSocket) resolve(ask(method, url, body));
      else reject(error);
    });
    asking.end(body);
  });
}

const piece = /"x":"/g;

async function read(response: IncomingMessage, times: readonly number[], latencies: number[]): Promise<void> {
  if (response.statusCode !== 200 && response.statusCode !== 201)
    throw new Error(`The server answered ${response.statusCode}.`);
  let rest = '';
  let had = 0;
  for await (const bytes of response) {
    const now = performance.now();
    const text = rest + String(bytes);
    const end = text.lastIndexOf('\n\n') + 2;
    for (const _ of text.slice(0, end).matchAll(piece)) {
      latencies.push(now - (times[had] ?? now));
      had += 1;
    }
    rest = text.slice(end);
  }
}
