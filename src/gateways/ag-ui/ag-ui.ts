import type { Json } from '../../run/values.ts';
import { agentFailure, mayRepeat } from '../agent-refusal.ts';
import { cleaner } from '../chat/attempt.ts';
import type { Gateway, Turn } from '../gateway.ts';
import { askAgain, type Surroundings, channelled, type EventChannel } from '../http/event-channel.ts';
import { idempotencyHeader, readSecret, type Secret } from '../http/http-exchange.ts';
import { tell } from '../http/tell.ts';
import { EventReader } from './event-reader.ts';
import { exchange } from './exchange.ts';
import { inputOf } from './input.ts';
import { Place, threadOf, type Exchange } from './thread.ts';

export interface AgUiSettings {
  readonly name: string;
  readonly url: string;
  readonly key?: Secret | undefined;
}

/** A turn that is under way. */
interface Taking {
  readonly turn: Turn;
  readonly channel: EventChannel;
  readonly thread: Exchange;
  /** Whoever answers may be a Vitrine: to leave its run does not stop it. */
  isVitrine: boolean;
  /** Resolves when that is known. */
  readonly named: PromiseWithResolvers<void>;
}

/**
 * An agent that speaks AG-UI. What it does is told as it runs; what it wants to know of people ends the turn, and all
 * answers go to the same thread. It may act on what it is told, so it is asked again only if it certainly has not.
 */
export function agUiGateway(settings: AgUiSettings, surroundings: Surroundings = {}): Gateway {
  return {
    takeTurn(turn, signal) {
      const thread = threadOf(turn);
      const named = Promise.withResolvers<void>();
      const taking = { turn, thread, isVitrine: false, named };
      const token = async (): Promise<Json> => {
        await named.promise;
        return { thread: thread.thread, isVitrine: taking.isVitrine };
      };
      const ask = (channel: EventChannel): Promise<void> =>
        take(settings, Object.assign(taking, { channel }), surroundings).finally(named.resolve);
      return { ...channelled(signal, ask), token };
    },
    cancel: (token, signal) => tellStop(settings, token, signal),
  };
}

async function take(settings: AgUiSettings, taking: Taking, surroundings: Surroundings): Promise<void> {
  const { turn, channel, thread } = taking;
  if (channel.isOver) return;
  const { name, url } = settings;
  const { headers: own, secrets } = credentials(settings);
  const headers = { ...idempotencyHeader(turn), ...own };
  const clean = cleaner(secrets);
  const answers = (given: Headers): void => {
    taking.isVitrine = given.has('x-run-id');
    taking.named.resolve();
  };
  const asked = { who: `Agent ${name}`, url, headers, input: inputOf(turn, thread), clean, answers };
  const isVitrine = (): boolean => taking.isVitrine;
  const refusal = await askAgain(
    { channel, mayAskAgain: (each) => mayRepeat(turn, each), ...surroundings },
    () => exchange(asked, channel, new EventReader({ name, turn, exchange: thread, clean, isVitrine })),
  );
  if (refusal !== undefined) throw agentFailure(turn, refusal);
}

interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
}

function credentials({ key, name }: AgUiSettings): Credentials {
  if (key === undefined) return { headers: {}, secrets: [] };
  const secret = readSecret(key, name);
  return { headers: { authorization: `Bearer ${secret}` }, secrets: [secret] };
}

/** To those who are no Vitrine there is nothing to be said but that nobody listens. */
async function tellStop(settings: AgUiSettings, token: Json, signal: AbortSignal): Promise<void> {
  const { thread: threadId, isVitrine } = Place.parse(token);
  if (!isVitrine) return;
  const door = new URL(settings.url);
  door.pathname += '/stop';
  await tell(`Agent ${settings.name}`, door, {
    headers: credentials(settings).headers,
    body: { threadId },
    signal,
  });
}
