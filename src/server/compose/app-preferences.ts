import { failureOf } from '../../run/failure.ts';
import { Preferences } from '../../projections/projection.ts';
import type { Shared } from '../../stores/store.ts';
import type { App } from '../folder/home.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { changeShared, listShared, type Kind } from '../shared/kind.ts';
import { preferencesIn } from '../viewers/channels.ts';

/** Terminals look at a folder without its configuration, so what apps prefer is kept beside their runs. */
export const appPreferences: Kind<Preferences> = { kind: 'app preferences', schema: Preferences };

export interface Keeping {
  readonly preferences: OpenFolder['preferences'];
  /** What the owner should know if terminals beside this process cannot be told. */
  readonly notices: readonly string[];
}

/** Keep what these apps prefer. */
export async function keepPreferences(shared: Shared, apps: readonly App[]): Promise<Keeping> {
  const kept = await read(shared);
  const preferences = preferencesIn(
    new Map([...kept, ...apps.map(({ name, preferences: own = {} }) => [name, own] as const)]),
  );
  try {
    for (const { name, preferences: own = {} } of apps) {
      if (JSON.stringify(own) === JSON.stringify(kept.get(name) ?? {})) continue;
      await changeShared(shared, { kind: appPreferences, tenant: '', name }, () => own);
    }
    return { preferences, notices: [] };
  } catch (thrown) {
    const { code, message } = failureOf(thrown);
    if (code !== 'unavailable') throw thrown;
    return { preferences, notices: [`Other terminals do not know what apps prefer to show: ${message}`] };
  }
}

async function read(shared: Pick<Shared, 'list'>): Promise<ReadonlyMap<string, Preferences>> {
  return new Map((await listShared(shared, appPreferences)).map(({ name, value }) => [name, value]));
}
