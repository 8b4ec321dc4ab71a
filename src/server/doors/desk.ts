import type { Desk } from '../../projections/door.ts';
import { holdingPlaces } from '../../engine/conversation/places.ts';
import { appsFor } from '../apps/apps-for.ts';
import { ownRun } from '../runs/quotas.ts';
import { conversationOf } from './conversation.ts';
import type { Visitor } from './door-routes.ts';

/** How many runs of a conversation are looked at. */
const most = 50;

/** What somebody at a door can look at. */
export async function deskOf({ context, caller, asker }: Visitor): Promise<Desk> {
  const { home, trees } = context;
  const apps = await appsFor(context, caller);
  return {
    apps: apps.map(({ name, description }) => ({ name, description })),
    async run(id) {
      const row = await ownRun({ context, caller }, id);
      await asker.heavy(row?.bytes ?? 0);
      return row && trees.of(row);
    },
    async runs(given) {
      const { id: conversation } = await conversationOf({ context, caller }, given);
      const rows = holdingPlaces(
        await home.dispatch.list({ tenant: caller.tenant, conversation, limit: most }),
      );
      await asker.heavy(rows.reduce((sum, { bytes }) => sum + bytes, 0));
      return Promise.all(rows.map(async (row) => ({ run: row.run, tree: await trees.of(row) })));
    },
  };
}
