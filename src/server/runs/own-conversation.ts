import type { Caller } from '../access/honest.ts';
import { localTenant } from '../folder/home.ts';

export interface OwnConversation {
  readonly id: string;
  /** Whether the first message under this name may begin it. */
  readonly mayBegin: boolean;
}

/**
 * A name that somebody gives a conversation is theirs: two who both say «mine» do not meet. In full it is `mine@ann`, and
 * by that, as by an id that Vitrine made, anybody of the tenant can go on with it once it is there. Whoever owns the data
 * folder has the plain names, which are those of the terminal beside it.
 */
export function ownConversation(
  { tenant, who, role }: Pick<Caller, 'tenant' | 'who' | 'role'>,
  given: string,
): OwnConversation {
  if (given.startsWith('conversation_')) return { id: given, mayBegin: false };
  const isOwner = tenant === localTenant && who === 'local' && role === 'operator';
  if (isOwner) return { id: given, mayBegin: true };
  const name = given.endsWith(`@${who}`) ? given.slice(0, -who.length - 1) : given;
  // Names of people may have an @ in them, so what comes before has none: the first one tells whose it is.
  if (name.includes('@')) return { id: given, mayBegin: false };
  return { id: `${name}@${who}`, mayBegin: true };
}
