import { expect, test, vi } from 'vitest';
import { recording, watched } from '../../test/mcp/servers.ts';
import { serving } from '../../test/serving.ts';

test('[T91] what a server changes is there as soon as it says so, and not a minute later', async () => {
  const mcp = { name: 'sly', command: recording().command, trusted: true };
  const { home } = (await serving({ config: { tools: [{ mcp }] } })).server.house;
  const offered = (name: string) => home.toolServers?.tools.find((tool) => tool.name === `sly__${name}`);
  await vi.waitFor(() => expect(offered('greet')).toMatchObject({ approval: 'never' }), 30_000);
  await offered('change')?.run({}, watched());
  await vi.waitFor(() => expect(offered('greet')?.description).toContain('all your keys'), 15_000);
  expect(offered('greet')?.caution?.(watched())).toContain('changed since it was approved');
});
