import type { ServerAddress } from '../../client/ask.ts';
import { ownersWayFor } from '../../server/access/owners-way.ts';
import type { Api } from '../../server/api.ts';
import type { Hosted } from '../../server/host.ts';
import { fetchWithin } from '../../server/http/in-process.ts';
import { askedOver } from './asked-over.ts';
import type { TerminalHome } from './terminal-home.ts';

/** An API in this process: asked as by any other, over a connection in memory. */
export function within({ app, ways }: Pick<Api, 'app' | 'ways'>, tenant?: string): ServerAddress {
  return { url: 'http://localhost', fetch: fetchWithin(app.server, ways, ownersWayFor(tenant)) };
}

/** A folder that this process holds. */
export function heldFolder(hosted: Hosted, tenant?: string): TerminalHome {
  const { notices, close, context } = hosted;
  const { home } = context;
  const server = within(hosted, tenant);
  return {
    ...askedOver(server),
    server,
    tenant,
    clean: home.clean,
    away: async () => {},
    close,
    isHolder: true,
    isGone: () => false,
    notices,
    standing: (run) => home.standing(run),
    listen: (hear) => home.listen(hear),
    released: (run) => home.released(run),
    idle: () => home.idle(),
    inHand: () => home.inHand(),
  };
}
