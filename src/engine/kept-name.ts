import type { World } from './world.ts';

/** A name that a client made up, as it is kept (of a conversation, an idempotency key): one that holds a secret as its hash, so that two of them stay two. */
export function keptName({ secrets, hash }: Pick<World, 'secrets' | 'hash'>, name: string): string {
  return secrets.clean(name) === name ? name : `sha256-${hash(name)}`;
}
