// The files and lines of ours that one message runs through, from its request to its viewer's bytes, by V8's coverage.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../src/server/serve.ts';

const ours = pathToFileURL(join(import.meta.dirname, '../src/')).href;

interface Range {
  readonly startOffset: number;
  readonly endOffset: number;
  readonly count: number;
}

interface Script {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly Range[] }[];
}

/** The coverage of this thread and of every thread it has started. */
async function covering() {
  const session = new Session();
  session.connect();
  const workers: string[] = [];
  const answers = new Map<number, (result: unknown) => void>();
  let asked = 0;
  session.on('NodeWorker.attachedToWorker', ({ params }) => void workers.push(params.sessionId));
  session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message) as { readonly id: number; readonly result: unknown };
    answers.get(id)?.(result);
  });
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const askWorker = (sessionId: string, method: string, params: object = {}): Promise<unknown> => {
    asked += 1;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    answers.set(asked, resolve);
    const message = JSON.stringify({ id: asked, method, params });
    return session.post('NodeWorker.sendMessageToWorker', { sessionId, message }).then(() => promise);
  };
  const detail = { callCount: true, detailed: true };
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', detail);
  for (const worker of workers) {
    await askWorker(worker, 'Profiler.enable');
    await askWorker(worker, 'Profiler.startPreciseCoverage', detail);
  }
  return async (): Promise<readonly Script[]> => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    const others = workers.map((worker) => askWorker(worker, 'Profiler.takePreciseCoverage'));
    const theirs = (await Promise.all(others)) as readonly { readonly result: readonly Script[] }[];
    return [...result, ...theirs.flatMap(({ result: scripts }) => scripts)];
  };
}

/** Which characters of a file ran. Inner ranges come after those they are part of, and say it better. */
function marked({ functions }: Script, ran: Uint8Array): void {
  const own = new Uint8Array(ran.length);
  for (const { ranges } of functions)
    for (const { startOffset, endOffset, count } of ranges)
      own.fill(count > 0 ? 1 : 0, startOffset, endOffset);
  for (const [at, isRun] of own.entries()) if (isRun) ran[at] = 1;
}

interface Reach {
  readonly file: string;
  readonly lines: number;
}

function reachOf(scripts: readonly Script[]): readonly Reach[] {
  const files = new Map<string, Uint8Array>();
  for (const script of scripts) {
    // A module that is only loaded runs its top level and no function.
    const called = { ...script, functions: script.functions.filter(({ ranges }) => !isTopLevel(ranges)) };
    if (!script.url.startsWith(ours)) continue;
    const path = fileURLToPath(script.url);
    const ran = files.get(path) ?? new Uint8Array(readFileSync(path, 'utf8').length);
    files.set(path, ran);
    marked(called, ran);
  }
  return [...files]
    .map(([path, ran]) => ({ file: relative(process.cwd(), path), lines: linesIn(path, ran) }))
    .filter(({ lines }) => lines > 0)
    .toSorted((one, other) => other.lines - one.lines);
}

function isTopLevel([whole]: readonly Range[]): boolean {
  return whole?.startOffset === 0;
}

function linesIn(path: string, ran: Uint8Array): number {
  let place = 0;
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => {
      const start = place;
      place += line.length + 1;
      return line.trim() !== '' && ran.subarray(start, start + line.length).includes(1);
    }).length;
}

const words = ['It ', 'is ', 'seen.'];

/** A model on a real socket. */
async function model() {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const content of words) response.write(chunk({ delta: { content } }));
    response.end(`${chunk({ delta: {}, finish_reason: 'stop' })}data: [DONE]\n\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

function chunk(choice: object): string {
  return `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`;
}

/** One message at a server that has just started. */
async function reachOfOneMessage(): Promise<readonly Reach[]> {
  const { url: baseUrl, close } = await model();
  const data = mkdtempSync(join(tmpdir(), 'vitrine-reach-'));
  const config = {
    models: { m: { baseUrl, model: 'm' } },
    agents: { talker: { model: 'm' } },
    apps: { talk: { flow: 'converse', settings: { agent: 'talker' } } },
  };
  const server = await serve({ data, port: 0, config });
  try {
    const take = await covering();
    await take();
    const response = await fetch(`${server.url}/api/runs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ app: 'talk', input: { text: 'What is seen?' } }),
    });
    const told = await response.text();
    if (!words.every((word) => told.includes(word.trim())))
      throw new Error(`The answer did not come: ${told}`);
    return reachOf(await take());
  } finally {
    await server.close();
    close();
    rmSync(data, { recursive: true });
  }
}

export async function reachBench(): Promise<void> {
  // A timer that fires meanwhile is no part of the message.
  const tries = [await reachOfOneMessage(), await reachOfOneMessage(), await reachOfOneMessage()];
  const [reach = []] = tries.toSorted((one, other) => one.length - other.length);
  console.table(reach);
  const lines = reach.reduce((sum, one) => sum + one.lines, 0);
  console.log(`one message: ${reach.length} files (at most 60), ${lines} lines of ours (at most 6,000)`);
}
