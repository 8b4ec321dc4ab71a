import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { ConversationId, Created, History } from '../../wire/conversation-service.ts';
import { agentFailure, mayRepeat } from '../agent-refusal.ts';
import {
  askAgain,
  type Refusal,
  type Surroundings,
  channelled,
  type EventChannel,
  signalOf,
} from '../http/event-channel.ts';
import { askChat, type Limits } from '../chat/attempt.ts';
import { withNotes } from '../chat/openai-chat.ts';
import { conversationDialect, conversationState } from './dialect.ts';
import { type Trace, traceOf } from './history.ts';
import { type ConversationService, conversationService, type ConversationSettings } from './service.ts';
import type { Gateway, Turn } from '../gateway.ts';

interface Asking {
  readonly service: ConversationService;
  readonly surroundings: Surroundings;
  readonly limits: Limits | undefined;
  readonly turn: Turn;
  readonly channel: EventChannel;
}

/**
 * A service that keeps conversations itself and is sent one message at a time. The id it keeps one under rides in the
 * state of the turn. It may act on what it is told, so it is asked again only if it certainly has not, or if that does no
 * harm.
 */
export function conversationGateway(
  settings: ConversationSettings,
  surroundings: Surroundings = {},
): Gateway {
  const { records = 'after', limits } = settings;
  const service = conversationService(settings);
  const trace = async (turn: Turn, signal: AbortSignal): Promise<Trace> => {
    const id = saidBefore(turn) ? undefined : idIn(turn);
    const answer = id === undefined ? undefined : await service.read(id, turn, signal);
    const history = answer && 'body' in answer ? History.safeParse(answer.body).data : undefined;
    return history ? traceOf(history, contentOf(turn), records) : { arrived: undefined };
  };
  return {
    takeTurn: (turn, signal) =>
      channelled(signal, (channel) => converse({ service, surroundings, limits, turn, channel })),
    arrived: async (turn, signal) => (await trace(turn, signal)).arrived,
    answered: async (turn, signal) => (await trace(turn, signal)).answer,
    async remembers(turn, signal) {
      const id = idIn(turn);
      if (id === undefined) return false;
      const answer = await service.read(id, turn, signal);
      if ('body' in answer) return true;
      return answer.refusal.status === 404 ? false : undefined;
    },
  };
}

async function converse(asking: Asking): Promise<void> {
  const { service, turn, channel } = asking;
  if (channel.isOver) return;
  const known = idIn(turn);
  const refusal = await chat(asking, known ?? (await create(asking)));
  if (refusal === undefined) return;
  if (known === undefined || !(await isForgotten(asking, known, refusal))) throw agentFailure(turn, refusal);
  if (turn.isAgreed) throw lost(service, known);
  const message =
    `${service.who} does not know conversation ${known} any more, so a new one was begun; ` +
    'what was said in the old one is forgotten.';
  channel.push([{ type: 'notice.posted', code: 'CONVERSATION_RENEWED', message }]);
  const again = await chat(asking, await create(asking));
  if (again !== undefined) throw agentFailure(turn, again);
}

/** In another conversation the same words would mean something else. */
function lost({ who }: ConversationService, id: string): RunError {
  const message = `${who} does not know conversation ${id} any more. A person agreed to this message there, so it was not sent anywhere; say it again to be asked anew.`;
  return new RunError('rejected', message);
}

function chat(
  { service, surroundings, limits, turn, channel }: Asking,
  id: string,
): Promise<Refusal | undefined> {
  const { who, endpoint, secrets } = service;
  const request = service.chat(id, turn, contentOf(turn));
  const asking = { who, turn, channel, endpoint, limits, secrets, dialect: () => conversationDialect(id) };
  const mayAskAgain = (refusal: Refusal): boolean => mayRepeat(turn, refusal);
  return askAgain({ channel, mayAskAgain, ...surroundings }, () => askChat(request, asking));
}

/** To create a conversation twice does nobody any harm. */
async function create({ service, surroundings, turn, channel }: Asking): Promise<string> {
  let id: string | undefined;
  const mayAskAgain = ({ error }: Refusal): boolean => error.failure.retryable === true;
  const refusal = await askAgain({ channel, mayAskAgain, ...surroundings }, async () => {
    const answer = await service.create(turn, signalOf(channel));
    if ('refusal' in answer) return answer.refusal;
    id = Created.safeParse(answer.body).data?.id;
    return undefined;
  });
  if (refusal !== undefined) throw refusal.error;
  if (id === undefined)
    throw new RunError('unavailable', `${service.who} created a conversation without an id.`);
  channel.push([conversationState(id)]);
  return id;
}

/** One kind of service answers 404, another breaks; a conversation that is there says that it was something else. */
async function isForgotten(
  { service, turn, channel }: Asking,
  id: string,
  { status }: Refusal,
): Promise<boolean> {
  if (status !== 500) return status === 404;
  const answer = await service.read(id, turn, signalOf(channel));
  return 'refusal' in answer && answer.refusal.status === 404;
}

const State = z.object({ ums_conversation_id: ConversationId });

function idIn({ state }: Turn): string | undefined {
  return State.safeParse(state).data?.ums_conversation_id;
}

/** Whoever says the same thing again cannot be told from the first time. */
function saidBefore({ messages }: Turn): boolean {
  const [last, ...earlier] = messages.filter(({ role }) => role === 'user').toReversed();
  return earlier.some(({ text }) => text === last?.text);
}

/** The service has the rest, and knows nothing of attachments. */
function contentOf({ messages }: Turn): string {
  const last = messages.findLast(({ role }) => role === 'user') ?? messages.at(-1);
  return last === undefined ? '' : withNotes(last.text, last.attachments ?? []);
}
