import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { killableTool } from './killable.ts';
import { failureFrom, recordingContext, toolContract } from '../tool.contract.ts';
import type { Tool } from '../tool.ts';

const failure = new URL('../../run/failure.ts', import.meta.url).href;
const source = `
import { execFileSync, spawn } from 'node:child_process';
import { threadId } from 'node:worker_threads';
import { RunError } from '${failure}';
export const notAFunction = 1;
export async function work({ what }, context) {
  if (what === 'echo') {
    context.say('working');
    context.attach({ kind: 'citation', title: context.tenant });
    return { what, run: context.run, key: context.idempotencyKey };
  }
  if (what === 'nothing') return undefined;
  if (what === 'where') return { pid: process.pid, threadId };
  if (what === 'env') return process.env.VITRINE_SECRET ?? null;
  if (what === 'refuse') throw new RunError('refused', 'No \`what\` today.', { retryable: true });
  if (what === 'bug') throw new Error('secret');
  if (what === 'exit') process.exit(3);
  if (what === 'crash') await new Promise(() => setTimeout(() => { throw new Error('secret') }));
  if (what === 'memory') { const kept = []; for (;;) kept.push(new Array(1000).fill({})); }
  if (what === 'talk') { for (;;) context.say('x'.repeat(100)); }
  if (what === 'orphan') context.say(String(spawn('sleep', ['600']).pid));
  if (what === 'native') { context.say(String(process.pid)); execFileSync('sleep', ['600']); }
  context.say(String(process.pid));
  for (;;);
}
`;

let folder: string;
const tools = new Map<string, Tool>();
const tool = (isolation: string): Tool => tools.get(isolation) ?? expect.fail('no such tool');

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vitrine-killable-'));
  await writeFile(join(folder, 'work.mjs'), source);
  for (const isolation of ['thread', 'process'] as const) tools.set(isolation, make({ isolation }));
});
afterAll(() => rm(folder, { recursive: true }));

function make(place: Partial<Parameters<typeof killableTool>[0]>): Tool {
  return killableTool({
    name: 'work',
    description: 'Does what it is told, which may be to never end.',
    input: z.strictObject({ what: z.string().min(1).max(50).describe('What to do.') }),
    effect: 'idempotent',
    module: pathToFileURL(join(folder, 'work.mjs')),
    export: 'work',
    memory: 64,
    ...place,
  });
}

describe.each(['thread', 'process'] as const)('in a %s', (isolation) => {
  const input = z.strictObject({ what: z.enum(['echo', 'loop', 'refuse']).describe('What to do.') });
  toolContract(`killableTool in a ${isolation}`, async () => ({
    tool: make({ isolation, input }),
    good: { what: 'echo' },
    slow: { what: 'loop' },
    failing: [{ input: { what: 'refuse' }, names: 'what' }],
  }));

  test('[T60] the function gets its input and context, and what it says and attaches comes through', async () => {
    const context = recordingContext();
    const result = await tool(isolation).run({ what: 'echo' }, context);
    expect(result).toStrictEqual({ what: 'echo', run: 'run-1', key: 'key-1' });
    expect(context.said).toStrictEqual(['working']);
    expect(context.items).toStrictEqual([{ kind: 'citation', title: 'tenant-1' }]);
    expect(await tool(isolation).run({ what: 'nothing' }, context)).toBeNull();
  });

  test('[T61] failures keep code and sentence, bugs stay bugs', async () => {
    const refused = await failureFrom(tool(isolation).run({ what: 'refuse' }, recordingContext()));
    expect(refused).toStrictEqual({ code: 'refused', message: 'No `what` today.', retryable: true });
    for (const what of ['bug', 'crash']) {
      const bug: unknown = await tool(isolation)
        .run({ what }, recordingContext())
        .catch((error: unknown) => error);
      expect(bug).not.toBeInstanceOf(RunError);
      expect(bug).toMatchObject({ message: 'secret', stack: expect.stringContaining('work.mjs') });
    }
  });

  test.for([
    { what: 'exit', code: 'unavailable', message: /without a result/ },
    { what: 'memory', code: 'too-large', message: /64 MB/ },
  ])('[T62] a worker lost by "$what" is a failure that says so', async ({ what, code, message }) => {
    const lost = await failureFrom(tool(isolation).run({ what }, recordingContext()));
    expect(lost).toMatchObject({ code, message });
  });

  test('[T63] a loop that talks without end is cut short and told so', async () => {
    const stop = new AbortController();
    const context = recordingContext(stop.signal);
    const call = failureFrom(tool(isolation).run({ what: 'talk' }, context));
    await vi.waitUntil(() => context.said.at(-1)?.includes('said too much'), {
      timeout: 20_000,
      interval: 5,
    });
    stop.abort();
    await call;
    expect(context.said.join('').length).toBeLessThan(5_000_000);
  });

  test('[T64] the function sees the environment it is given', async () => {
    process.env['VITRINE_SECRET'] = 'secret';
    try {
      expect(await make({ isolation, env: {} }).run({ what: 'env' }, recordingContext())).toBeNull();
    } finally {
      delete process.env['VITRINE_SECRET'];
    }
  });
});

test('[T65] a stop ends a synchronous loop, and no thread is left', async () => {
  await stopWhenBusy('thread', 'loop');
  const before = threads();
  for (let i = 0; i < 10; i++) await stopWhenBusy('thread', 'loop');
  await vi.waitUntil(() => threads() <= before, { interval: 5 });
});

test('[T65] a worker that has answered is gone too', async () => {
  await tool('thread').run({ what: 'nothing' }, recordingContext());
  const before = threads();
  for (let i = 0; i < 5; i++) await tool('thread').run({ what: 'where' }, recordingContext());
  await vi.waitUntil(() => threads() <= before, { interval: 5 });
});

test.for(['loop', 'native', 'orphan'])('[T66] a stop ends the process and its children: %s', async (what) => {
  const pids = await stopWhenBusy('process', what);
  await vi.waitUntil(() => pids.every((pid) => !isAlive(pid)), { interval: 5 });
});

test('[T67] a server that is killed leaves no busy process behind', async () => {
  const script = `
    const { killableTool } = await import('${new URL('./killable.ts', import.meta.url).href}');
    const { z } = await import('zod');
    const tool = killableTool({ name: 'w', description: 'd', input: z.any(), effect: 'pure', isolation: 'process',
      module: new URL('${pathToFileURL(join(folder, 'work.mjs')).href}'), export: 'work' });
    const signal = new AbortController().signal;
    await tool.run({ what: 'loop' }, { signal, say: (text) => process.stdout.write(text + '\\n') });`;
  const server = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: import.meta.dirname,
  });
  const [line] = await once(createInterface(server.stdout), 'line');
  const pid = Number(line);
  expect(isAlive(pid)).toBe(true);
  server.kill('SIGKILL');
  await vi.waitUntil(() => !isAlive(pid), { interval: 5 });
});

test('[T68] a module or function that is not there is a failure that names the tool', async () => {
  const call = make({ export: 'notAFunction' }).run({ what: 'echo' }, recordingContext());
  expect((await failureFrom(call)).message).toBe('The module of work has no function "notAFunction".');
});

async function stopWhenBusy(isolation: string, what: string): Promise<number[]> {
  const stop = new AbortController();
  const context = recordingContext(stop.signal);
  const call = failureFrom(tool(isolation).run({ what }, context));
  const lines = what === 'orphan' ? 2 : 1;
  await vi.waitUntil(() => context.said.length === lines, { interval: 2 });
  const pids = context.said.map(Number);
  if (isolation === 'process') expect(pids.every(isAlive)).toBe(true);
  stop.abort();
  expect((await call).code).toBe('rejected');
  return pids;
}

function threads(): number {
  return readdirSync('/proc/self/task').length;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
