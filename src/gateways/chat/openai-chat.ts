import { askAgain, type Refusal, type Surroundings } from '../http/ask-again.ts';
import { askChat, type Limits } from './attempt.ts';
import { pathOf, readSecret, requestHeaders, type Secret, urlBelow } from '../http/request-headers.ts';
import { chatRequest } from './request.ts';
import { channelled, type EventChannel } from '../http/event-channel.ts';
import type { Gateway, Turn } from '../gateway.ts';
import {
  defaultTimeouts,
  type Endpoint,
  httpEndpoint,
  type HttpRequest,
  type Timeouts,
} from '../http/http-exchange.ts';

export interface OpenAiChatSettings {
  /** Where the API begins, as in `https://host/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: Secret;
  /** Models of the same endpoint that are asked, in this order, when the first cannot answer. */
  readonly fallbacks?: readonly string[];
  readonly timeouts?: Partial<Timeouts>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly limits?: Limits;
}

interface Asking {
  readonly settings: OpenAiChatSettings;
  readonly surroundings: Surroundings;
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly turn: Turn;
  readonly channel: EventChannel;
}

/** Any server that speaks OpenAI chat completions. It is asked again only while it has not begun to answer. */
export function openAiChatGateway(settings: OpenAiChatSettings, surroundings: Surroundings = {}): Gateway {
  const url = urlBelow(settings.baseUrl, 'chat/completions', 'https://host/v1');
  const endpoint = httpEndpoint(url, { ...defaultTimeouts, ...settings.timeouts });
  const path = pathOf(url);
  return {
    takeTurn: (turn, signal) =>
      channelled(signal, (channel) => ask({ settings, surroundings, endpoint, path, turn, channel })),
  };
}

async function ask(asking: Asking): Promise<void> {
  const { settings, channel, surroundings, turn } = asking;
  const models = [settings.model, ...(settings.fallbacks ?? [])];
  for (const [i, model] of models.entries()) {
    const body = JSON.stringify(chatRequest(model, turn));
    // Whoever has waited a whole timeout is not made to wait another one for the same model.
    const mayAskAgain = (refusal: Refusal): boolean => isPassing(refusal) && !isSlow(refusal);
    const once = (): Promise<Refusal | undefined> => askOnce(asking, model, body);
    const refusal = await askAgain({ channel, mayAskAgain, ...surroundings }, once);
    if (refusal === undefined) return;
    const next = models[i + 1];
    if (next === undefined || !isPassing(refusal)) throw refusal.error;
    channel.push([{ type: 'turn.retried', reason: refusal.error.message, model: next }]);
  }
}

function askOnce(asking: Asking, model: string, body: string): Promise<Refusal | undefined> {
  const { settings, endpoint, path, turn, channel } = asking;
  const { headers: own = {}, limits } = settings;
  const who = `Model ${model}`;
  const key = readSecret(settings.key ?? '', who);
  const headers = requestHeaders(turn, key === '' ? {} : { authorization: `Bearer ${key}` }, own);
  const request: HttpRequest = { method: 'POST', path, headers, body };
  return askChat(request, { who, turn, channel, endpoint, limits, secrets: [key, ...Object.values(own)] });
}

function isPassing({ error, isBeforeAnswer }: Refusal): boolean {
  return isBeforeAnswer && error.failure.retryable === true;
}

function isSlow({ error }: Refusal): boolean {
  return error.failure.code === 'timed-out';
}
