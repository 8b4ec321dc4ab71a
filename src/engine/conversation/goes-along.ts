import type { Agent } from '../../catalog/agent.ts';
import type { Message } from '../../gateways/gateway.ts';
import type { Along, EarlierMessage, Exchange } from '../../run/events.ts';
import { isBlobRef, type Attachment, type Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepAttachment, keepLarge } from '../record/recordable.ts';
import { placeOfLast } from './conversation.ts';
import { toBeRestored } from './restore.ts';
import { filled, present } from '../../run/tree.ts';

/** A message that a person is asked about, in the turn it belongs to. */
export interface Going {
  readonly agent: Agent;
  readonly messages: readonly Message[];
  /** What hangs on it, as an entry carries it. */
  readonly attachments: readonly Attachment[];
}

/**
 * What goes out with a message beside its words: what hangs on it, and what is sent before it as far as that is not the
 * exchange a person is shown anyway.
 */
export async function goesAlong(
  execution: Execution,
  going: Going,
  exchange: Exchange | undefined,
): Promise<Along> {
  const all = await toBeRestored(execution, going);
  const place = placeOfLast(all);
  const earlier = await Promise.all(
    all.filter((_, i) => i !== place).map((message) => shown(execution, message)),
  );
  const before = isExchange(earlier, exchange) ? [] : earlier;
  const history = await keepLarge(execution, before as unknown as Json);
  return present({
    attachments: filled([...execution.guarding.cleanAll(going.attachments)]),
    history: isBlobRef(history) ? history : filled(history as unknown as EarlierMessage[]),
  });
}

async function shown(
  execution: Execution,
  { role, text, attachments, calls }: Message,
): Promise<EarlierMessage> {
  const kept = await Promise.all((attachments ?? []).map((one) => keepAttachment(execution, one)));
  const hanging = filled(kept);
  return { role, text, ...present({ attachments: hanging, calls: calls as Json | undefined }) };
}

/** Nothing but what is shown as the exchange. */
function isExchange(earlier: readonly EarlierMessage[], exchange: Exchange | undefined): boolean {
  const [asked, answered, ...more] = earlier;
  if (!asked || !answered || more.length > 0) return false;
  const hasMore = [asked, answered].some(({ attachments, calls }) => attachments ?? calls);
  return !hasMore && asked.text === exchange?.asked && answered.text === exchange.answered;
}
