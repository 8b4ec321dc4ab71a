import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { configured, eventually, servedConfig } from '../served-config.ts';

const hostile = fileURLToPath(new URL('../mcp/hostile.ts', import.meta.url));
const config = `
const text = 'a'.repeat(60) + '!';
const schema = { type: 'object', properties: { text: { type: 'string', pattern: '^(a+)+$' } } };
const asks = { name: 'evil__asks', description: '', schema: {}, effect: 'pure', async run(input, { ask }) {
  return ask({ title: 'What?', message: 'It must fit.', schema });
} };
const approval = { pattern: 'never', doubled: 'never', ahead: 'never', repeated: 'never', named: 'never' };
export default {
  tools: [{ mcp: { name: 'evil', command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(hostile)}], approval, trusted: true } }, asks],
  defaultApp: 'calls',
  apps: { calls: { flow: { name: 'calls', version: '1', async run(scope, { text: asked }) {
    const [tool, number] = asked.split(' ');
    const given = number === undefined ? { text } : { text: Number(number) };
    const { outcome, failure, result } = await scope.call('evil__' + tool, tool === 'asks' ? {} : given);
    return outcome + ' ' + (failure?.message ?? JSON.stringify(result));
  } } } },
};
`;

interface Approvals {
  readonly approvals: readonly { readonly id: string; readonly fingerprint: string }[];
}

test('[S45 X1 X2 X3] a server of tools with expensive schemas holds nobody up', async () => {
  const server = await servedConfig(configured(config));
  const begin = (text: string) => server.ask<{ run: string }>('/api/runs', { input: { text } });
  const ended = ({ run }: { readonly run: string }): Promise<FlatTree> =>
    eventually(async () => {
      await server.ask('/healthz');
      const tree = await server.ask<FlatTree>(`/api/runs/${run}`);
      return tree.endedAt === undefined ? undefined : tree;
    });
  const told = async (text: string): Promise<string> => JSON.stringify(await ended(await begin(text)));
  const asking = ['pattern', 'doubled', 'doubled 7', 'ahead'];
  const [pattern, doubled, misfit, unread] = await Promise.all(asking.map(told));
  expect(pattern).toContain('text must match pattern');
  // Followed to the end of all references, and not given up: what fits is called, and what does not is told why.
  expect(doubled).toContain('completed \\"called\\"');
  expect(misfit).toContain('text must be string');
  for (const checked of [doubled, misfit]) expect(checked).not.toContain('SCHEMA_UNCHECKED');
  expect(unread).toContain('completed \\"called\\"');
  expect(unread).toContain('SCHEMA_UNCHECKED');
  for (const part of ['repeated', 'named'])
    expect(await told(part)).toMatch(/SCHEMA_UNCHECKED.*cannot be read here/);
  const asks = await begin('asks');
  const { id, fingerprint } = await eventually(
    async () => (await server.ask<Approvals>('/api/approvals')).approvals[0],
  );
  const answer = { text: `${'a'.repeat(60)}!` };
  const decide = (given: object) =>
    server.ask(`/api/approvals/${id}`, { decision: 'approve', fingerprint, ...given });
  await expect(decide({ answer })).rejects.toThrow('409');
  await server.ask('/healthz');
  await decide({ answer: { text: 'aaa' } });
  const asked = JSON.stringify(await ended(asks));
  expect(asked).toContain('DECISION_REFUSED');
  expect(asked).toContain('aaa');
});
