// What pages of other sites may ask, and what they are told.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { headHeader } from '../../wire/native/runs.ts';
import type { ServerContext } from '../context.ts';

/** Other sites may use this server only if the configuration names them. */
export function welcomeGuest(
  { door }: ServerContext,
  { headers }: FastifyRequest,
  reply: FastifyReply,
): void {
  reply.header('vary', 'Origin');
  const origin = door.guestOrigin(headers);
  if (origin === undefined) return;
  reply.headers({
    ...asking(headers),
    'access-control-allow-origin': origin,
    'access-control-expose-headers': exposed,
    'access-control-max-age': '600',
    'cross-origin-resource-policy': 'cross-origin',
  });
}

/** What pages need to go on: clients of MCP have their session there, and every client its run. */
const exposed = [headHeader, 'location', 'x-run-id', 'mcp-session-id', 'retry-after'].join(', ');

/**
 * Each official client has headers of its own (`x-stainless-os`, `mcp-protocol-version`, `api-key`), and more with each version: a
 * page may send what it asks for. Who it is, is what counts.
 */
function asking({
  'access-control-request-headers': asked = '',
}: FastifyRequest['headers']): Record<string, string> {
  const names = /^[\w, -]{1,2000}$/.test(asked) ? asked : 'authorization, content-type';
  return {
    'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
    'access-control-allow-headers': names,
  };
}

/**
 * A browser shows a page nothing of what another site answers: the people of a page that is not named would read that the
 * server cannot be reached. So they may ask, and read that they may not. They get nothing else: whatever has such an
 * origin is refused before any of it is read.
 */
export function strangerHeaders(headers: FastifyRequest['headers']): Record<string, string> {
  return { ...asking(headers), 'access-control-allow-origin': '*' };
}
