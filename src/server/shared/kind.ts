import type { z } from 'zod';
import { failureOf, RunError } from '../../run/failure.ts';
import type { Shared, SharedFilter, SharedKey, SharedValue } from '../../stores/store.ts';

/** One kind of shared values, and what they are. */
export interface Kind<T> {
  readonly kind: string;
  readonly schema: z.ZodType<T>;
}

/** A shared value as whoever uses it has it. */
export interface Known<T> extends SharedKey {
  readonly value: T;
}

function read<T>({ schema }: Kind<T>, { kind, tenant, name, value }: SharedValue): Known<T> {
  const parsed = schema.safeParse(JSON.parse(value));
  if (parsed.success) return { kind, tenant, name, value: parsed.data };
  const message = `What is kept as «${kind} ${name}» was written by another version of Vitrine: update this one.`;
  throw new RunError('malformed', message);
}

export async function listShared<T>(
  shared: Pick<Shared, 'list'>,
  kind: Kind<T>,
  whose: Omit<SharedFilter, 'kind'> = {},
): Promise<readonly Known<T>[]> {
  const filter = { kind: kind.kind, ...whose };
  return (await shared.list(filter)).map((value) => read(kind, value));
}

/** How often somebody else may be first before it is said that something is wrong. */
const tries = 20;

/**
 * Change a value, whoever else changes it at the same time: `next` gets what is there, if need be more than once, and gives
 * what shall be. Where that is the same nothing is written.
 */
export async function changeShared<T>(
  shared: Shared,
  { kind, tenant, name }: { readonly kind: Kind<T>; readonly tenant: string; readonly name: string },
  next: (known: T | undefined) => T,
): Promise<T> {
  const key = { kind: kind.kind, tenant, name };
  for (let left = tries; ; left -= 1) {
    const [found] = await shared.list(key);
    const wanted = next(found && read(kind, found).value);
    const value = JSON.stringify(wanted);
    if (found?.value === value) return wanted;
    try {
      await shared.set({ ...key, value, version: found?.version ?? 0 });
      return wanted;
    } catch (thrown) {
      if (left === 0 || failureOf(thrown).code !== 'rejected') throw thrown;
    }
  }
}
