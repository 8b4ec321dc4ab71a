import type { Caller } from '../access/honest.ts';
import { isHiddenConversation, shownRows } from '../apps/hidden-apps.ts';
import type { ServerContext } from '../context.ts';
import { fileIn, ownerOfFile, recordIn, type StoredFile } from './files.ts';
import { isOwnSession } from './own-session.ts';

/** A blob as it is there for somebody. */
export interface OwnFile extends StoredFile {
  /** Whether they sent it, or attached it. */
  readonly isTheirs: boolean;
}

interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
}

/**
 * A file of somebody, or of a conversation they may see; or what a run that they may see keeps beside its journal. The name of
 * a blob is made of what it says and can be guessed, so to everybody else it is not there: and who gives a run the text of a
 * file does not learn whether somebody sent that.
 */
export async function ownFile(asking: Asking, id: string): Promise<OwnFile | undefined> {
  const { context, caller } = asking;
  const { store, uploads } = context.home;
  const { tenant, who } = caller;
  if (!/^[0-9a-f]{64}$/.test(id)) return undefined;
  // What somebody sent comes back as it came.
  const text = await store.blobs.get(tenant, id);
  if (text === undefined) return undefined;
  const holders = await uploads.files.holders(tenant, id);
  const isTheirs = holders.some(({ by }) => by === who);
  const { apps, owners } = await store.blobs.users(tenant, id);
  const isPart = owners.includes(ownerOfFile(tenant, id));
  const uses = new Set(holders.flatMap((holder) => holder.uses));
  const file = fileIn(id, text);
  if (file && (isTheirs || isPart || (await seesOneOf(asking, uses)))) return { ...file, isTheirs };
  const shown = await shownRows(
    context,
    caller,
    apps.map((app) => ({ app })),
  );
  const record = shown.length > 0 ? await context.home.blobs.get(tenant, id) : undefined;
  return record === undefined ? undefined : { ...recordIn(id, record), isTheirs: false };
}

async function seesOneOf({ context, caller }: Asking, conversations: Iterable<string>): Promise<boolean> {
  for (const conversation of conversations) {
    const [newest] = await context.home.dispatch.list({ tenant: caller.tenant, conversation, limit: 1 });
    if (!newest || (await isHiddenConversation(context, caller, conversation))) continue;
    if (await isOwnSession({ context, caller }, newest)) return true;
  }
  return false;
}
