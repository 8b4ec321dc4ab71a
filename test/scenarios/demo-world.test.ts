import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { start } from '../vitrine.ts';

const bin = fileURLToPath(new URL('../../bin/vitrine.js', import.meta.url));
const data = mkdtempSync(join(tmpdir(), 'vitrine-world-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

function vitrine(...args: string[]): Promise<{ code: number; output: string }> {
  return vitrineIn(data, ...args);
}

async function vitrineIn(folder: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, [bin, ...args, '--data', folder], {
    env: { ...process.env, VITRINE_PACE: '0', npm_lifecycle_event: undefined },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => (output += piece.toString()));
  const [code] = (await once(child, 'close')) as [number];
  return { code, output };
}

/** One question to the demo world. Every process brings its agents up anew: only what is stored is remembered. */
function ask(
  text: string,
  conversation: string,
  ...more: string[]
): Promise<{ code: number; output: string }> {
  return vitrine('run', text, '--app', 'demo', '--conversation', conversation, ...more);
}

function fibonacci(n: number): bigint {
  let [a, b] = [0n, 1n];
  for (let i = 0; i < n; i += 1) [a, b] = [b, a + b];
  return a;
}

interface User {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
}

function usersNamed(name?: string): User[] {
  const database = new DatabaseSync(join(data, 'demo-users.db'), { readOnly: true });
  const rows = database.prepare('SELECT id, first_name, last_name FROM users').all() as unknown as User[];
  database.close();
  return name === undefined ? rows : rows.filter((user) => user.first_name === name);
}

function dispatchesIn(folder: string): number {
  const database = new DatabaseSync(join(folder, 'demo-network.db'), { readOnly: true });
  const rows = database.prepare('SELECT number FROM dispatches').all();
  database.close();
  return rows.length;
}

test('a calculation, and the next one with what was calculated before restored', async () => {
  const [n, m] = [randomInt(2, 91), randomInt(2, 91)];
  const first = await ask(`Calculate fibonacci(${n})`, 'numbers');
  expect(first.output).toContain(`fibonacci(${n}) = ${fibonacci(n)}`);
  expect(first.output, 'stages of stages').toMatch(/^ {10}● /m);
  const second = await ask(`Now fibonacci(${m})`, 'numbers');
  expect(second.output).toContain(`fibonacci(${m}) = ${fibonacci(m)}`);
  const requests = readFileSync(join(data, 'demo-general-agent.jsonl'), 'utf8').trim().split('\n');
  expect(JSON.parse(requests.at(-1) ?? '')).toMatchObject({ restored: [{ tool: 'run_javascript' }] });
});

test('users are listed, and one is deleted once a person agrees', async () => {
  await ask('List users named Ada', 'users');
  // Some have the first name of others as their last one, and are found by it, too.
  const last = new Set(usersNamed().map((user) => user.last_name));
  const names = [...new Set(usersNamed().map((user) => user.first_name))].filter((each) => !last.has(each));
  const name = names[randomInt(names.length)] ?? '';
  const found = usersNamed(name);
  const listed = await ask(`List users named ${name}`, 'users');
  for (const { id } of found) expect(listed.output).toContain(`(user ${id})`);
  const asked = await ask('Delete the first one', 'users');
  expect(asked.code, 'it waits for a person').toBe(3);
  expect(asked.output).toContain('asks: User management');
  expect(usersNamed(name)).toHaveLength(found.length);
  const [, approval = ''] = /asks: User management \((\S+)\)/.exec(asked.output) ?? [];
  expect((await vitrine('approve', approval)).code).toBe(0);
  // To agree needs no configuration: what it says of agents and flows is for whoever goes on.
  const { output: shown } = await vitrine('show', approval.split('.')[0] ?? '');
  expect(shown).not.toMatch(/There is no agent|is not here/);
  await vitrine('resume');
  expect(usersNamed(name)).toHaveLength(found.length - 1);
});

test('a conversation switches between agents and back, and each keeps its thread', async () => {
  const n = randomInt(2, 91);
  await ask(`Calculate fibonacci(${n})`, 'mixed');
  await ask('List users named John', 'mixed');
  const network = await ask('What paths depend on LINK-SYD-MEL-FIBRE-01?', 'mixed');
  expect(network.output).toContain('+ graph');
  expect(network.output).toContain('+ table');
  const back = await ask('Now fibonacci(20)', 'mixed');
  expect(back.output).toContain('fibonacci(20) = 6765');
  expect(back.output, 'what it calculated before').toContain(`fibonacci(${n})`);
  const deleted = await ask('Delete the first user', 'mixed', '--yes');
  expect(deleted.output).toMatch(/Deleted John /);
});

test('a newcomer sees what to try and work in progress; killed and started again, it goes on, and is approved', async () => {
  const folder = join(data, 'first');
  const words = ['demo', '--port', '0', '--data', folder];
  const first = start(words, { cwd: data, env: { VITRINE_PACE: '0.2' } });
  await first.until('● Network graph');
  first.child.kill('SIGKILL');
  const { out } = await first.ended;
  expect(out.indexOf('4 look back')).toBeGreaterThan(0);
  expect(out.indexOf('4 look back'), 'before the run').toBeLessThan(out.indexOf('● Coordination'));
  expect(out).toContain(`kill -9 ${first.child.pid}`);
  const second = start(words, { cwd: data });
  await second.until('listens on');
  const [, run = ''] = /^(run_\w+)/m.exec(out) ?? [];
  const watching = start(['follow', run, '--data', folder], { cwd: data });
  await watching.until('asks: Field dispatch');
  expect((await vitrineIn(folder, 'approvals')).output).toContain(`${run}.a1`);
  expect((await vitrineIn(folder, 'approve', `${run}.a1`)).code).toBe(0);
  await watching.until('dispatch DSP-SYD-0001');
  await watching.ended;
  expect(dispatchesIn(folder)).toBe(1);
  second.child.kill('SIGTERM');
  expect((await second.ended).out, 'the folder is not empty any more').not.toContain('look back');
});

test.for([
  { question: 'Which services are at risk and what does the runbook say?', expected: 'RB-001' },
  { question: 'Summarise the runbook for fibre cuts', expected: 'RB-001 Fibre cut' },
])('$question', async ({ question, expected }) => {
  const { code, output } = await ask(question, 'operations');
  expect(code).toBe(0);
  expect(output).toContain(expected);
});

test('a question that no rule matches is answered with what can be asked, of all agents', async () => {
  const { output } = await ask('What is the meaning of life?', 'philosophy');
  expect(output).toContain('none of my rules matches that question');
  const lists = output.slice(output.lastIndexOf('none of my rules matches'));
  for (const example of ['Calculate fibonacci(10)', 'List users named John', 'Who is on call in Melbourne?'])
    expect(lists).toContain(example);
  const again = await ask('And of the universe?', 'philosophy');
  expect(again.output).toContain('none of my rules matches that question');
});
