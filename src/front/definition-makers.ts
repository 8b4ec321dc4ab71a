import type { Definition, DefinitionKey } from '../run/definition.ts';
import type { Shared } from '../stores/store.ts';

// A row says who made it what it is. Where an operator has changed what somebody else made, whose it was would be lost with the
// row that said so, and its maker could not go on with it: so that is kept beside it.

const kind = 'maker';

/** Everybody who made something of a definition that is there. */
export async function makersOf(
  shared: Pick<Shared, 'list'>,
  key: DefinitionKey,
  rows: readonly Definition[],
): Promise<readonly string[]> {
  if (rows.length === 0) return [];
  const [kept] = await shared.list(placeOf(key));
  const first = kept ? (JSON.parse(kept.value) as string | null) : null;
  return [...new Set([...(first === null ? [] : [first]), ...rows.map(({ by }) => by)])];
}

/** Whose it is from now on, whoever changes it; nobody's, where it is not there. */
export async function keepMaker(shared: Shared, key: DefinitionKey, maker: string | null): Promise<void> {
  const [kept] = await shared.list(placeOf(key));
  const value = JSON.stringify(maker);
  if (kept?.value === value || (!kept && maker === null)) return;
  await shared.set({ ...placeOf(key), value, version: kept?.version ?? 0 });
}

function placeOf({ tenant, kind: of, name }: DefinitionKey): {
  readonly kind: string;
  readonly tenant: string;
  readonly name: string;
} {
  return { kind, tenant, name: `${of} ${name}` };
}
