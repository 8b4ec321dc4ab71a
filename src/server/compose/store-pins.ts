import { failureOf, RunError } from '../../run/failure.ts';
import type { Shared } from '../../stores/store.ts';
import { Pinned, withoutSecrets, type Clean, type Pins } from '../../tools/mcp/pins.ts';
import { changeShared, listShared, type Kind } from '../shared/kind.ts';
import { keptSecrets } from './secret-names.ts';
import { watchedKind, type SharedStore, type WatchedKind } from '../shared/watched-kind.ts';

export { Pinned, withoutSecrets, type Clean };

/** By `server/tool`. */
export const pinsKind: Kind<Pinned> = { kind: 'pins', schema: Pinned };

/** Pins that all processes of a store go by: what is approved from a terminal counts at once for a server that runs. */
export interface StorePins extends Pins {
  /** Read them again: a hint may have been lost. */
  lookAgain(): Promise<void>;
}

export async function storePins(store: SharedStore, clean: Clean): Promise<StorePins> {
  const watched = await watchedKind(store, pinsKind);
  await cleaned(watched, clean);
  return {
    get(key) {
      const pinned = watched.values.get('')?.get(key);
      return pinned && withoutSecrets(pinned, clean);
    },
    all: () => new Map(watched.all().map(({ name, value }) => [name, withoutSecrets(value, clean)])),
    async change(changes) {
      for (const [key, next] of changes) await watched.change('', key, next);
    },
    lookAgain: () => watched.lookAgain(),
  };
}

/** What is known of the tools of MCP servers in a data folder. */
export async function pinsIn(
  shared: Pick<Shared, 'list'>,
  folder: string,
): Promise<ReadonlyMap<string, Pinned>> {
  const clean = keptSecrets(folder).cleanAll;
  const all = await listShared(shared, pinsKind);
  return new Map(all.map(({ name, value }) => [name, withoutSecrets(value, clean)]));
}

/** Approve a tool, or all of a server, as they were last seen: for everybody. Gives each with its pin. */
export async function approvePins(
  shared: Shared,
  named: string,
): Promise<readonly (readonly [string, string])[]> {
  const all = await listShared(shared, pinsKind);
  const meant = all.filter(({ name }) => name === named || name.startsWith(`${named}/`));
  if (meant.length === 0)
    throw new RunError('unknown', `No tool «${named}» was seen here: vitrine pins lists those that were.`);
  for (const { name, value } of meant)
    await changeShared(shared, { kind: pinsKind, tenant: '', name }, (known = value) => ({
      ...known,
      approved: value.seen.pin,
    }));
  return meant.map(({ name, value }) => [name, value.seen.pin]);
}

/** What was seen before it was known to be secret is written anew; where that cannot be done, it is not shown all the same. */
async function cleaned(watched: WatchedKind<Pinned>, clean: Clean): Promise<void> {
  try {
    for (const { name, value } of watched.all())
      await watched.change('', name, (known = value) => withoutSecrets(known, clean));
  } catch (thrown) {
    if (failureOf(thrown).code !== 'unavailable') throw thrown;
  }
}
