// A server for two tenants in a process of its own. One of them has a hostile model and a hostile MCP server.
import { join } from 'node:path';
import { serve } from '../../src/server/serve.ts';
import { says } from '../large/says.ts';
import { blocks } from './blocks.ts';
import { used } from './used.ts';
import { workDuring } from './work-during.ts';

const [data = '', model = '', folder = '', calm = ''] = process.argv.slice(2);
process.env['HOSTILE_KEY'] = 'a key of a hostile agent';
/** Nobody is there to be asked. */
const approval = Object.fromEntries(
  ['pattern', 'doubled', 'giant', 'endless', 'hang'].map((tool) => [tool, 'never' as const]),
);
const hostile = {
  models: { hostile: { baseUrl: model, model: 'hostile' } },
  agents: {
    hostile: { model: 'hostile', effect: 'pure' as const },
    flood: {
      dial: { baseUrl: model, deployment: 'flood', key: { env: 'HOSTILE_KEY' } },
      effect: 'pure' as const,
      trusted: true,
    },
  },
  tools: [
    {
      mcp: {
        approval,
        name: 'hostile',
        command: [process.execPath, join(import.meta.dirname, 'mcp.ts'), folder],
      },
    },
  ],
  apps: {
    says: says(),
    hostile: { flow: 'converse', settings: { agent: 'hostile' }, limits: { seconds: 6 } },
    flood: { flow: 'converse', settings: { agent: 'flood' }, limits: { seconds: 6 } },
  },
};
const server = await serve({
  data,
  port: 0,
  config: { ...hostile, auth: { required: true } },
  log: { error: () => {} },
  patience: 5_000,
});
const watch = blocks();
const waited = workDuring(calm);
process.on('message', () => {
  const peak = process.resourceUsage().maxRSS * 1024;
  process.send?.({ peak, used: used(), ...watch.take(), during: waited.take() });
});
process.on('disconnect', () => process.exit(1));
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.send?.({ url: server.url });
