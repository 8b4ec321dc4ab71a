import type { RunRow } from '../../stores/store.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';

/** What runs of a session are found by: whose they are. */
export const ownerLabel = 'user';

/**
 * Whether a conversation is not the session of somebody else: what is no session is everybody's of the tenant. By its newest
 * run: nobody else begins one in it.
 */
export async function isOwnSession(
  { context, caller }: { readonly context: ServerContext; readonly caller: Caller },
  newest: RunRow,
): Promise<boolean> {
  const owner = newest.facts.labels[ownerLabel];
  if (owner === undefined || owner === caller.who) return true;
  const { started } = await context.trees.of(newest);
  return started?.who !== undefined && started.who !== owner;
}
