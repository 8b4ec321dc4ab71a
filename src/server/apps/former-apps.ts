import { configurationTenant, type Definition } from '../../run/definition.ts';
import type { Shared, SharedKey } from '../../stores/store.ts';
import type { Access } from '../compose/named-flow.ts';

// What was run in an app is there for those it names. Of one that was erased nothing is left to say whom it named, so that is
// kept: otherwise erasing an app would show what was said in it to everybody.

/** An app as far as it says who may see its runs. */
export interface Former {
  readonly name: string;
  readonly access?: Access | undefined;
}

/** Apps that were erased and were not for everybody. */
export async function formerApps(
  shared: Pick<Shared, 'list'>,
  tenant: string,
  name?: string,
): Promise<readonly Former[]> {
  const kept = await shared.list(name === undefined ? { kind, tenant } : placeOf(tenant, name));
  return kept.map((one) => ({ name: one.name, access: JSON.parse(one.value) as Access }));
}

/** Before an app is erased. */
export async function keepFormer(shared: Shared, tenant: string, { name, access }: Former): Promise<void> {
  if (!access || access.everyone) return;
  const place = placeOf(tenant, name);
  const [kept] = await shared.list(place);
  await shared.set({ ...place, value: JSON.stringify(access), version: kept?.version ?? 0 });
}

/** Whose definitions an app of a tenant may have: its own, and those that a configuration said once and says no more. */
export const placesOf = (tenant: string): readonly string[] => [tenant, configurationTenant];

/** The version that says what an app is: the newest that is published, or was last. */
export function lastOf(versions: readonly Definition[]): Definition | undefined {
  return versions.findLast(({ state }) => state === 'published') ?? versions.at(-1);
}

const kind = 'former app';

function placeOf(tenant: string, name: string): SharedKey {
  return { kind, tenant, name };
}
