import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import { appsFor } from '../apps/apps-for.ts';
import type { Asked, Reply } from '../routes/route.ts';
import { misfit } from './misfit.ts';
import { mcpServer } from './server.ts';
import { sessionOf } from './sessions.ts';

/** What of a request means something to the library. */
const read = [
  'accept',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  'mcp-session-id',
  'last-event-id',
];

/** Answer a request of an MCP client. */
export async function answer(asked: Asked<'tenant', unknown, unknown>, method: string): Promise<Reply> {
  const { context, caller, body: parsedBody, header, left } = asked;
  const wrong = misfit(parsedBody);
  if (wrong) return { status: 200, json: wrong };
  const headers = read.flatMap((name) => (header(name) === undefined ? [] : [[name, header(name) ?? '']]));
  const request = new Request('http://vitrine/mcp', {
    method,
    headers: Object.fromEntries(headers),
    signal: left(),
  });
  if (await isLegacyRequest(request, parsedBody)) {
    const session = await sessionOf(context, caller, header('mcp-session-id'));
    return replyOf(await session.handleRequest(request, { parsedBody }));
  }
  const early: Error[] = [];
  const problem = (thrown: Error): void => context.log.problem('A request of an MCP client failed.', thrown);
  let onerror = (thrown: Error): void => void early.push(thrown);
  const apps = await appsFor(context, caller);
  const handler = createMcpHandler(({ era }) => mcpServer({ context, caller, era }, apps), {
    legacy: 'reject',
    onerror: (thrown) => onerror(thrown),
  });
  const response = await handler.fetch(request, { parsedBody });
  onerror = problem;
  // What the client did wrong it is told, and nobody here has to look at it.
  if (response.status < 400 || response.status >= 500) early.forEach(problem);
  return replyOf(response);
}

function replyOf({ status, headers, body }: Response): Reply {
  const { 'content-type': type, 'content-length': _, ...others } = Object.fromEntries(headers);
  if (!body) return { status, headers: others };
  return { status, headers: others, poured: { type: type ?? 'application/json', texts: body } };
}
