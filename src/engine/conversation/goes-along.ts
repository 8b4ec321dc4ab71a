import type { Agent } from '../../catalog/agent.ts';
import type { Message } from '../../gateways/gateway.ts';
import type { Along, EarlierMessage, Exchange } from '../../run/events.ts';
import { filled, present } from '../../run/present.ts';
import { isBlobRef, type Attachment, type Json } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { keepAttachment, keepLarge } from '../record/large.ts';
import { placeOfLast } from './last-message.ts';
import { toBeRestored } from './restore.ts';

/** A message that a person is asked about, in the turn it belongs to. */
export interface Going {
  readonly agent: Agent;
  readonly messages: readonly Message[];
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
  const attachments = await kept(execution, all[place]?.attachments);
  const earlier = await Promise.all(
    all.filter((_, i) => i !== place).map((message) => shown(execution, message)),
  );
  const history = isExchange(earlier, exchange) ? [] : execution.world.secrets.cleanAll(earlier);
  const large = await keepLarge(execution, history as unknown as Json);
  return present({
    attachments: filled(attachments),
    history: isBlobRef(large) ? large : filled(history),
  });
}

async function shown(
  execution: Execution,
  { role, text, attachments, calls }: Message,
): Promise<EarlierMessage> {
  const hanging = filled(await kept(execution, attachments));
  return { role, text, ...present({ attachments: hanging, calls: calls as Json | undefined }) };
}

async function kept(execution: Execution, attachments: readonly Attachment[] = []): Promise<Attachment[]> {
  const clean = execution.world.secrets.cleanAll(attachments);
  return Promise.all(clean.map((attachment) => keepAttachment(execution, attachment)));
}

/** Nothing but what is shown as the exchange. */
function isExchange(earlier: readonly EarlierMessage[], exchange: Exchange | undefined): boolean {
  const [asked, answered, ...more] = earlier;
  if (!asked || !answered || more.length > 0) return false;
  const hasMore = [asked, answered].some(({ attachments, calls }) => attachments ?? calls);
  return !hasMore && asked.text === exchange?.asked && answered.text === exchange.answered;
}
