// A server for two tenants in a process of its own. One of them has a hostile model and a hostile MCP server.
import { join } from 'node:path';
import { serve } from '../../src/server/serve.ts';
import { says } from '../large/says.ts';

const [data = '', model = ''] = process.argv.slice(2);
/** Nobody is there to be asked. */
const approval = Object.fromEntries(
  ['pattern', 'doubled', 'giant', 'endless', 'hang'].map((tool) => [tool, 'never' as const]),
);
const hostile = {
  models: { hostile: { baseUrl: model, model: 'hostile' } },
  agents: { hostile: { model: 'hostile', effect: 'pure' as const } },
  tools: [
    { mcp: { approval, name: 'hostile', command: [process.execPath, join(import.meta.dirname, 'mcp.ts')] } },
  ],
  apps: {
    says: says(),
    hostile: { flow: 'converse', settings: { agent: 'hostile' }, limits: { seconds: 6 } },
  },
};
const server = await serve({
  data,
  port: 0,
  config: { ...hostile, auth: { required: true } },
  log: { error: () => {} },
  patience: 5_000,
});
process.on('message', () => {
  const { rss, heapUsed } = process.memoryUsage();
  const peak = process.resourceUsage().maxRSS * 1024;
  process.send?.({ rss, heapUsed, peak });
});
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.send?.({ url: server.url });
