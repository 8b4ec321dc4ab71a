// A server with little memory, in a process of its own, and an app that says as many megabytes as it is asked for.
import { serve } from '../../src/server/serve.ts';
import { says } from './says.ts';

const server = await serve({ data: process.argv[2] ?? '', port: 0, config: { apps: { says: says() } } });
process.on('SIGTERM', () => void server.close().then(() => process.exit(0)));
process.on('disconnect', () => process.exit(1));
process.on('message', () => process.send?.({ peak: process.resourceUsage().maxRSS * 1024 }));
process.send?.({ url: server.url });
