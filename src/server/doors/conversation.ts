import { RunError } from '../../run/failure.ts';
import { isHiddenConversation } from '../apps/hidden-apps.ts';
import { missing } from '../runs/quotas.ts';
import { ownConversation, type OwnConversation } from '../runs/own-conversation.ts';
import type { Visitor } from './door-routes.ts';

/** The longest name of a conversation, as everywhere. */
const longestName = 200;

/**
 * The conversation that a client means by its id. A name it chose is the caller's own. One that looks like ours and is not
 * known here was given by another server, which is a client of this one: here it is a name like any other.
 */
export async function conversationOf(
  { context, caller }: Pick<Visitor, 'context' | 'caller'>,
  given: string,
): Promise<OwnConversation> {
  if (given === '' || given.length > longestName)
    throw new RunError('malformed', `The id of a conversation has 1 to ${longestName} characters.`);
  const own = ownConversation(caller, given);
  if (own.mayBegin) return own;
  if (await isHiddenConversation(context, caller, own.id)) throw missing('conversation', given);
  const { tenant } = caller;
  const [known] = await context.home.dispatch.list({ tenant, conversation: own.id, limit: 1 });
  return known ? own : ownConversation(caller, `abroad:${given.replaceAll('@', '.')}`);
}
