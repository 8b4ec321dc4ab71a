import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { configured, eventually, servedConfig } from '../served-config.ts';

const recorder = fileURLToPath(new URL('../mcp/recorder-stdio.ts', import.meta.url));
const config = `
export default {
  tools: [{ mcp: {
    name: 'rec', command: [${JSON.stringify(process.execPath)}, ${JSON.stringify(recorder)}, '/dev/null'],
    approval: { die: 'never' }, trusted: true,
  } }],
  defaultApp: 'calls',
  apps: { calls: { flow: { name: 'calls', version: '1', async run(scope, { text }) {
    return JSON.stringify(await scope.call(text, {}));
  } } } },
};
`;

interface Waiting {
  readonly approvals: readonly { readonly title: string; readonly message: string }[];
}

test('[E260] a tool that may run once and whose server dies during the call is asked about', async () => {
  const server = await servedConfig(configured(config));
  const { run } = await server.ask<{ run: string }>('/api/runs', { input: { text: 'rec__die' } });
  const [question] = await eventually(async () => {
    const { approvals } = await server.ask<Waiting>('/api/approvals');
    const { endedAt } = await server.ask<{ endedAt?: number }>(`/api/runs/${run}`);
    return approvals.length > 0 || endedAt !== undefined ? approvals : undefined;
  });
  expect(question).toMatchObject({
    title: 'Did «rec__die» happen?',
    message: expect.stringContaining('The server of rec__die went away during the call'),
  });
});
