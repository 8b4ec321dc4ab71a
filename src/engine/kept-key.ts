import type { World } from './world.ts';

/** An idempotency key as it is kept: one that holds a secret as its hash, so that two of them stay two. */
export function keptKey({ secrets, hash }: Pick<World, 'secrets' | 'hash'>, key: string): string {
  return secrets.clean(key) === key ? key : `sha256-${hash(key)}`;
}
