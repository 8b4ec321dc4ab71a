import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/server';
import { LRUCache } from 'lru-cache';
import { RunError } from '../../run/failure.ts';
import type { Caller } from '../access/honest.ts';
import { appsFor } from '../apps/apps-for.ts';
import type { ServerContext } from '../context.ts';
import { mcpServer } from './server.ts';

/** How many clients of before 2026 can be in session, and how long one that is silent is. Milliseconds. */
const most = 1_000;
const silence = 6 * 3_600_000;

interface Session {
  readonly transport: Transport;
  readonly tenant: string;
  readonly who: string;
}

const known = new WeakMap<ServerContext, LRUCache<string, Session>>();

/** The session that a request of an older client belongs to; a new one where it has none. After a restart they begin anew. */
export async function sessionOf(
  context: ServerContext,
  caller: Caller,
  id: string | undefined,
): Promise<Transport> {
  const sessions = sessionsIn(context);
  if (id !== undefined) {
    const session = sessions.get(id);
    if (session?.tenant === caller.tenant && session.who === caller.who) return session.transport;
    throw new RunError('unknown', 'There is no such session: initialize again.');
  }
  const transport: Transport = new Transport({
    sessionIdGenerator: () => context.newId('session'),
    onsessioninitialized: (session) =>
      void sessions.set(session, { transport, tenant: caller.tenant, who: caller.who }),
    onsessionclosed: (session) => void sessions.delete(session),
  });
  const apps = await appsFor(context, caller);
  await mcpServer({ context, caller, era: 'legacy' }, apps).connect(transport);
  return transport;
}

function sessionsIn(context: ServerContext): LRUCache<string, Session> {
  const sessions =
    known.get(context) ??
    new LRUCache<string, Session>({
      max: most,
      ttl: silence,
      updateAgeOnGet: true,
      dispose: ({ transport }) => void transport.close(),
    });
  known.set(context, sessions);
  return sessions;
}
