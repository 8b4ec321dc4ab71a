import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { configured, eventually, servedConfig, type ServedConfig } from '../served-config.ts';

const config = `
const tool = (name, run) => ({ name, description: name, schema: {}, effect: 'pure', run });
const never = () => new Promise(() => {});
const left = new Error('canary left behind');
const flow = (name, run) => ({ flow: { name, version: '1', run } });
export default {
  tools: [
    tool('rejects', () => { Promise.reject(left); return never(); }),
    tool('throws', () => { setTimeout(() => { throw left; }, 1); return never(); }),
    tool('later', async () => { setTimeout(() => { throw left; }, 20); return 'fine'; }),
    tool('slow', (input, { signal }) => new Promise((resolve) => {
      const look = setInterval(() => globalThis.mayEnd && (clearInterval(look), resolve('whole')), 10);
    })),
    tool('release', async () => { globalThis.mayEnd = true; return 1; }),
  ],
  defaultApp: 'calls',
  apps: {
    calls: flow('calls', async (scope, { text }) => JSON.stringify(await scope.call(text, {}))),
    floats: flow('floats', (scope) => { void (async () => { throw left; })(); return never(); }),
  },
};
`;

async function ended(server: ServedConfig, app: string, text: string): Promise<FlatTree> {
  const { run } = await server.ask<{ run: string }>('/api/runs', { app, input: { text } });
  return endOf(server, run);
}

function endOf(server: ServedConfig, run: string): Promise<FlatTree> {
  return eventually(async () => {
    const tree = await server.ask<FlatTree>(`/api/runs/${run}`);
    return tree.endedAt === undefined ? undefined : tree;
  });
}

test('[E130 E131] errors that tools and flows leave behind end their own steps, and no process', async () => {
  const cwd = configured(config);
  const server = await servedConfig(cwd);
  const slow = await server.ask<{ run: string }>('/api/runs', { app: 'calls', input: { text: 'slow' } });
  for (const tool of ['rejects', 'throws'])
    expect((await ended(server, 'calls', tool)).answer).toContain(
      `«${tool}» left an error that nobody caught`,
    );
  expect((await ended(server, 'calls', 'later')).answer).toContain('fine');
  expect(await ended(server, 'floats', 'now')).toMatchObject({
    status: 'failed',
    failure: { code: 'internal' },
  });
  await ended(server, 'calls', 'release');
  expect((await endOf(server, slow.run)).answer).toContain('whole');
  expect(readFileSync(join(cwd, 'data', 'vitrine.log'), 'utf8')).toContain('canary left behind');
  server.child.kill('SIGTERM');
  expect((await server.ended).code).toBe(0);
});

const deadly = `
const flow = (name, run) => ({ flow: { name, version: '1', run } });
const tool = (name, run) => ({ name, description: name, schema: {}, effect: 'pure', run });
const later = (milliseconds, work) => new Promise((resolve) => setTimeout(() => resolve(work()), milliseconds));
export default {
  tools: [
    tool('exits', () => process.exit(7)),
    tool('killed', () => later(50, () => process.kill(process.pid, 'SIGKILL'))),
    tool('slow', () => later(1500, () => 'whole')),
  ],
  apps: { calls: flow('calls', async (scope, { text }) => {
    if (text === 'flow') process.exit(7);
    return JSON.stringify(await scope.call(text, {}));
  }) },
};
`;

interface Question {
  readonly id: string;
  readonly run: string;
  readonly fingerprint: string;
}

test.for(['exits', 'killed', 'flow'])(
  '[E32 E33 E34] a run that ends the process (%s) is set aside after three times, and the others get done',
  async (kind) => {
    const cwd = configured(deadly);
    let server = await servedConfig(cwd);
    const begin = (text: string) => server.ask<{ run: string }>('/api/runs', { input: { text } });
    const innocent = [await begin('slow'), await begin('slow')];
    const guilty = await begin(kind).catch(() => undefined);
    let ends = 0;
    const asked = async (): Promise<readonly Question[] | undefined> => {
      const { approvals } = await server.ask<{ approvals: readonly Question[] }>('/api/approvals');
      return approvals.length > 0 ? approvals : undefined;
    };
    let approvals: readonly Question[] | undefined;
    while (!approvals && ends <= 3) {
      approvals = await Promise.race([eventually(asked), server.ended]).then(
        (found) => ('code' in found ? undefined : found),
        () => undefined,
      );
      if (approvals) break;
      await server.ended;
      ends += 1;
      server = await servedConfig(cwd).catch(() => {
        // It was taken up, and ended this one, too, before that could listen.
        ends += 1;
        return servedConfig(cwd);
      });
    }
    expect(ends).toBe(3);
    expect(approvals).toEqual([expect.objectContaining({ title: 'Shall this run go on?' })]);
    if (guilty) expect(approvals?.[0]?.run).toBe(guilty.run);
    for (const { run } of innocent) expect((await endOf(server, run)).answer).toContain('whole');
    const { id, fingerprint, run } = approvals?.[0] ?? { id: '', fingerprint: '', run: '' };
    await server.ask(`/api/approvals/${id}`, { decision: 'reject', fingerprint });
    expect((await endOf(server, run)).status).toBe('stopped');
  },
);
