import { RunError } from '../../run/failure.ts';
import type { SharedChange, SharedFilter, SharedValue } from '../store.ts';
import type { Desk } from './tables.ts';
import type { Needs } from './needs.ts';

/** Whoever changes what has changed since they looked would undo the work of others: they look again. */
export function share({ tables, hints }: Desk, { value, version, ...key }: SharedChange): number {
  const { kind, name } = key;
  if ((tables.sharedValue(key)?.version ?? 0) !== version) {
    throw new RunError(
      'rejected',
      `Somebody else has changed «${kind} ${name}» meanwhile: look at it again, then change it.`,
      { retryable: true },
    );
  }
  const next = version + 1;
  tables.setShared({ ...key, value, version: next });
  hints.push({ type: 'shared', key });
  return next;
}

export function shareNeeds({ kind, tenant, name }: SharedChange): Needs {
  return { shared: [{ kind, tenant, name }] };
}

export function shared({ tables }: Desk, filter: SharedFilter): readonly SharedValue[] {
  return tables.listShared(filter);
}

export function sharedNeeds(sharedLike: SharedFilter): Needs {
  return { sharedLike };
}
