import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { configured, eventually, servedConfig, type ServedConfig } from '../served-config.ts';
import { vitrine } from '../vitrine.ts';

const recorder = fileURLToPath(new URL('../mcp/recorder-stdio.ts', import.meta.url));
const node = JSON.stringify(process.execPath);
const config = `
const recorder = [${node}, ${JSON.stringify(recorder)}, '/dev/null'];
const later = 'test -f here || exit 1; exec ' + recorder.join(' ');
const approval = { pid: 'never' };
const calls = (name) => ({ flow: { name, version: '1', async run(scope, { text }) {
  return JSON.stringify(await scope.call(text, {}));
} } });
export default {
  tools: [
    { mcp: { name: 'none', command: ['/nowhere/at/all'] } },
    { mcp: { name: 'refused', url: 'http://127.0.0.9:1/mcp' } },
    { mcp: { name: 'mute', command: [...recorder, 'mute'], startSeconds: 1 } },
    { mcp: { name: 'late', command: ['sh', '-c', later], approval, trusted: true, startSeconds: 120 } },
    { name: 'mine', description: 'mine', schema: {}, effect: 'pure', run: async () => 'fine' },
  ],
  defaultApp: 'calls',
  apps: { calls: calls('calls') },
};
`;

async function answerTo(server: ServedConfig, text: string): Promise<string> {
  const { run } = await server.ask<{ run: string }>('/api/runs', { input: { text } });
  const tree = await eventually(async () => {
    const now = await server.ask<FlatTree>(`/api/runs/${run}`);
    return now.endedAt === undefined ? undefined : now;
  });
  return typeof tree.answer === 'string' ? tree.answer : '';
}

test('[M14 E99] servers of tools that are away or hang take nothing down, and come back without a restart', async () => {
  const cwd = configured(config);
  const server = await servedConfig(cwd);
  expect(await answerTo(server, 'mine')).toContain('fine');
  const again = 'it is tried again every 10 s';
  expect(await answerTo(server, 'none__x')).toContain(
    `The MCP server none is away: it cannot be started; ${again}.`,
  );
  expect(await answerTo(server, 'refused__x')).toContain(
    `The MCP server refused is away: it cannot be reached; ${again}.`,
  );
  expect(await answerTo(server, 'mute__x')).toContain(
    `The MCP server mute is away: it did not answer within 1 s; ${again}.`,
  );
  expect(await answerTo(server, 'late__pid')).toContain('The MCP server late is away: it did not start');
  expect(await server.ask('/api/apps')).toMatchObject({ away: ['none', 'refused', 'mute', 'late'] });
  await server.until('The MCP server mute is away');
  await server.until('The MCP server refused at 127.0.0.9:1 is away');
  writeFileSync(join(cwd, 'here'), '');
  await server.until('The MCP server late is back.');
  expect(await answerTo(server, 'late__pid')).toContain('completed');
  expect(await server.ask('/api/apps')).toMatchObject({ away: ['none', 'refused', 'mute'] });
});

test('[M14] a terminal says which servers are away, and runs what does not need them', async () => {
  const { out, error, code } = await vitrine(['run', 'mine', '--data', 'data'], { cwd: configured(config) });
  expect(code).toBe(0);
  expect(out).toContain('fine');
  expect(error).toContain('The MCP server mute is away: it did not answer within 1 s');
});
