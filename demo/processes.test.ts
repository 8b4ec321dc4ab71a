import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, test } from 'vitest';
import { askDial } from '../test/demo/dial-client.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-processes-'));
const running = new Set<ChildProcess>();
afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Started {
  readonly url: string;
  end(signal: NodeJS.Signals): Promise<number | null>;
}

/** Starts one server of the demo as a process of its own, on a port it chooses. */
async function start(name: string, environment: Readonly<Record<string, string>>): Promise<Started> {
  const main = fileURLToPath(new URL(`./${name}/main.ts`, import.meta.url));
  const env = { ...process.env, PORT: '0', PACE: '0', ...environment };
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(child);
  const gone = once(child, 'exit').then(() => {
    running.delete(child);
    return child.exitCode;
  });
  let said = '';
  for await (const piece of child.stdout.setEncoding('utf8')) {
    said += String(piece);
    const url = / listens at (\S+)\n/.exec(said)?.[1];
    if (url === undefined) continue;
    return { url, end: (signal) => (child.kill(signal), gone) };
  }
  throw new Error(`${name} did not start: ${said}`);
}

const user = (content: string): object => ({ role: 'user', content });

test('every server runs as a process of its own, and ends when it is asked to', async () => {
  const model = await start('model', {});
  const thinking = { MODEL_URL: `${model.url}/v1` };
  const database = join(folder, 'users.db');
  const [network, users, roster] = await Promise.all([
    start('network', thinking),
    start('user-service', { ...thinking, DATABASE: database }),
    start('roster', {}),
  ]);
  const desk = await start('duty-desk', {
    ...thinking,
    NOTICE_BOARD: `${network.url}/notices`,
    ROSTER: `${roster.url}/mcp`,
  });
  expect((await askDial(desk.url, 'DutyDeskAgent', [user('Who is on call in Perth?')])).content).toContain(
    'is on call for Perth',
  );
  expect(
    (await askDial(network.url, 'GraphExplorerAgent', [user('Which links are down?')])).content,
  ).toContain('LINK-SYD-MEL-FIBRE-01');
  const made = (await (await fetch(`${users.url}/conversations`, { method: 'POST', body: '{}' })).json()) as {
    id: string;
  };
  const body = JSON.stringify({ message: user('List users named John'), stream: false });
  const answer = await (
    await fetch(`${users.url}/conversations/${made.id}/chat`, { method: 'POST', body })
  ).json();
  expect(answer).toMatchObject({ content: expect.stringContaining('John'), conversation_id: made.id });
  for (const server of [desk, roster, network, users, model]) expect(await server.end('SIGTERM')).toBe(0);
});

test('the general agent is killed between two turns, and the next process goes on from the state of the message', async () => {
  const model = await start('model', {});
  const log = join(folder, 'requests.jsonl');
  const environment = { MODEL_URL: `${model.url}/v1`, REQUEST_LOG: log };
  const n = 2 + Math.floor(Math.random() * 89);
  const first = await start('general-agent', environment);
  const before = await askDial(first.url, 'general-purpose-agent', [user(`Calculate fibonacci(${n})`)]);
  expect(await first.end('SIGKILL')).toBe(null);
  const second = await start('general-agent', environment);
  const assistant = { role: 'assistant', content: before.content, custom_content: { state: before.state } };
  const after = await askDial(second.url, 'general-purpose-agent', [
    user('Start'),
    assistant,
    user('Now 20'),
  ]);
  expect(after.content).toContain('fibonacci(20) = 6765');
  const [, logged] = readFileSync(log, 'utf8').trim().split('\n');
  expect(JSON.parse(logged ?? '{}')).toMatchObject({
    restored: [{ tool: 'run_javascript', arguments: expect.stringContaining(`fibonacci(${n}n)`) }],
  });
});
