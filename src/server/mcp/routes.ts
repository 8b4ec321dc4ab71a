import { z } from 'zod';
import { route } from '../routes/route.ts';

/** Apps as tools of an MCP server: streamable HTTP, of 2026-07-28 and of the years before. */
export const mcpRoutes = (['POST', 'GET', 'DELETE'] as const).map((method) =>
  route({
    method,
    path: '/mcp',
    about:
      'The apps of this server as tools, and its runs as resources, for clients of the Model Context Protocol.',
    tag: 'mcp',
    role: 'member',
    addresses: 'tenant',
    ...(method === 'POST' ? { body: z.unknown() } : {}),
    answers: { 200: { about: 'The answer, or the stream of a call.' } },
    // The library takes an eighth of the time a server needs to begin, and most never hear of a client of this protocol.
    handle: async (asked) => (await import('./answer.ts')).answer(asked, method),
  }),
);
