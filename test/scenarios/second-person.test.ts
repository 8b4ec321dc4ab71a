// One person at two doors of one folder is one person: its terminal, its key, and a server that asks for no key.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { configured, eventually } from '../served-config.ts';
import { start, vitrine } from '../vitrine.ts';

const config = `
const ask = { name: 'ask', version: '1', run: async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision };
export default { apps: { witnessed: { flow: ask, approvals: 'second-person' } } };
`;

interface Asked {
  readonly id: string;
  readonly fingerprint: string;
}

/** A folder that is served, and both of its doors. */
async function doors(...options: readonly string[]) {
  const cwd = configured(config);
  const server = start(['serve', '--port', '0', '--data', 'data', ...options], { cwd });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on ')) ?? [];
  const keyFile = join(cwd, 'data', 'local.key');
  const terminal = (...words: string[]) => vitrine([...words, '--data', 'data'], { cwd });
  const own = existsSync(keyFile) ? readFileSync(keyFile, 'utf8').trim() : undefined;
  const http = async (path: string, json?: object, key = own) => {
    const answer = await fetch(`${url}${path}`, {
      ...(json === undefined ? {} : { method: 'POST', body: JSON.stringify(json) }),
      headers: {
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      },
    });
    return { status: answer.status, text: await answer.text() };
  };
  const question = (): Promise<Asked> =>
    eventually(async () => {
      const { approvals } = JSON.parse((await http('/api/approvals')).text) as { approvals: Asked[] };
      return approvals[0];
    });
  const approve = async ({ id, fingerprint }: Asked, key?: string) =>
    http(`/api/approvals/${id}`, { decision: 'approve', fingerprint }, key);
  return { terminal, http, question, approve };
}

const servers = [
  { name: 'asks for no key', options: [] },
  { name: 'asks for one', options: ['--private'] },
] as const;

test.for(servers)('[V60] [V61] [V62] of a server that $name', async ({ options }) => {
  const { terminal, http, question, approve } = await doors(...options);
  // Begun at the terminal, answered over HTTP.
  await terminal('run', 'x', '--app', 'witnessed');
  const first = await question();
  expect(await approve(first)).toMatchObject({ status: 403, text: expect.stringContaining('second person') });
  await terminal('stop', first.id.replace(/\.a\d+$/, ''));
  // Begun over HTTP, answered at the terminal.
  expect((await http('/api/runs', { app: 'witnessed', input: { text: 'y' } })).status).toBe(201);
  const second = await question();
  const answered = await terminal('approve', second.id);
  expect([answered.code, answered.error]).toEqual([1, expect.stringContaining('a second person has to')]);
  // Somebody else has a key of their own, which counts where everybody needs one.
  const { out } = await terminal('keys', 'create', 'bo', '--role', 'approver');
  const twice = await terminal('keys', 'create', 'bo');
  expect([twice.code, twice.error]).toEqual([1, expect.stringContaining('is called «bo» already')]);
  const owner = await terminal('keys', 'create', 'local');
  expect([owner.code, owner.error]).toEqual([2, expect.stringContaining('whoever owns this folder')]);
  const other = await approve(second, out.trim());
  const isOpen = options.length === 0;
  expect(other.status, other.text).toBe(isOpen ? 403 : 200);
  if (isOpen) expect(other.text).toMatch(/nobody can be told apart.*--private.*vitrine keys create/);
});
