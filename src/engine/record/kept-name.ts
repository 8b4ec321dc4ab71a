import type { World } from '../world.ts';

/** A name that a client made up, as it is kept: one that holds a secret as its hash, so that two of them stay two. */
export function keptName(
  { secrets, hash }: Pick<World, 'secrets' | 'hash'>,
  name: string,
  prefix: 'conversation_' | 'sha256-',
): string {
  return secrets.clean(name) === name ? name : `${prefix}${hash(name)}`;
}
