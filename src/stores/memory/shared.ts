import type { SharedFilter, SharedKey, SharedValue } from '../store.ts';
import type { Tables } from '../rules/tables.ts';

export function memoryShared(): Pick<Tables, 'sharedValue' | 'listShared' | 'setShared'> {
  const kept = new Map<string, SharedValue>();
  return {
    sharedValue: (key) => kept.get(sharedName(key)),
    listShared: (filter) => pickShared(kept.values(), filter),
    setShared: (value) => void kept.set(sharedName(value), value),
  };
}

export function sharedName({ kind, tenant, name }: SharedKey): string {
  return JSON.stringify([kind, tenant, name]);
}

/** Those that a filter wants, by tenant and name. */
export function pickShared(
  values: Iterable<SharedValue>,
  { kind, tenant, name }: SharedFilter,
): readonly SharedValue[] {
  return [...values]
    .filter(
      (value) =>
        value.kind === kind &&
        (tenant ?? value.tenant) === value.tenant &&
        (name ?? value.name) === value.name,
    )
    .toSorted((one, other) => compare(one.tenant, other.tenant) || compare(one.name, other.name));
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
