import { RunError } from '../run/failure.ts';
import { ChatAttempt, type Refusal } from './chat-attempt.ts';
import { cleaner, failureOfError } from './chat-failure.ts';
import { ChatReader } from './chat-reader.ts';
import { chatRequest } from './chat-request.ts';
import { EventChannel } from './event-channel.ts';
import type { Gateway, Turn } from './gateway.ts';
import { defaultTimeouts, type Endpoint, httpEndpoint, type Timeouts } from './http-post.ts';
import { idempotencyHeader } from './idempotency-header.ts';
import { delayBefore } from './retry.ts';
import { realSleep, type Sleep } from './sleep.ts';

export interface OpenAiChatSettings {
  /** Where the API begins, as in `https://host/v1`. */
  readonly baseUrl: string;
  readonly model: string;
  readonly key?: string | (() => string);
  /** Models of the same endpoint that are asked, in this order, when the first cannot answer. */
  readonly fallbacks?: readonly string[];
  readonly timeouts?: Partial<Timeouts>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes of one event (1 MiB unless said) and of one answer (64 MiB). */
  readonly limits?: { readonly event?: number; readonly answer?: number };
}

interface Surroundings {
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

interface Asking extends Required<Surroundings> {
  readonly settings: OpenAiChatSettings;
  readonly endpoint: Endpoint;
  readonly turn: Turn;
  readonly channel: EventChannel;
}

const mostTries = 3;

/** Any server that speaks OpenAI chat completions. It is asked again only while it has not begun to answer. */
export function openAiChatGateway(
  settings: OpenAiChatSettings,
  { random = Math.random, sleep = realSleep }: Surroundings = {},
): Gateway {
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const endpoint = httpEndpoint(completionsUrl(settings.baseUrl), timeouts);
  return {
    takeTurn: (turn, signal) => ({
      [Symbol.asyncIterator]() {
        const channel = new EventChannel(signal);
        ask({ settings, random, sleep, endpoint, turn, channel }).then(
          () => channel.close(),
          (error: unknown) => channel.close(error),
        );
        return channel;
      },
    }),
  };
}

async function ask(asking: Asking): Promise<void> {
  const { settings, channel } = asking;
  const models = [settings.model, ...(settings.fallbacks ?? [])];
  for (const [i, model] of models.entries()) {
    const refusal = await askModel(asking, model);
    if (refusal === undefined) return;
    const next = models[i + 1];
    if (next === undefined || !mayAskAgain(refusal)) throw refusal.error;
    channel.push([{ type: 'turn.retried', reason: refusal.error.message, model: next }]);
  }
}

async function askModel(asking: Asking, model: string): Promise<Refusal | undefined> {
  const { channel, random } = asking;
  const body = JSON.stringify(chatRequest(model, asking.turn));
  for (let tries = 1; !channel.isOver; tries += 1) {
    const refusal = await askOnce(asking, model, body);
    if (refusal === undefined) return undefined;
    // Whoever has waited a whole timeout is not made to wait another one for the same model.
    const isSlow = refusal.error.failure.code === 'timed-out';
    if (!mayAskAgain(refusal) || isSlow || tries === mostTries) return refusal;
    const wait = delayBefore(tries, refusal.wait, random);
    channel.push([{ type: 'turn.retried', reason: `${refusal.error.message} Asked again in ${wait} ms.` }]);
    await pause(asking, wait);
  }
  return undefined;
}

function askOnce(asking: Asking, model: string, body: string): Promise<Refusal | undefined> {
  const { settings, endpoint, turn, channel } = asking;
  const key = readKey(settings);
  const clean = cleaner([key, ...Object.values(settings.headers ?? {})]);
  const who = `Model ${model}`;
  const { event = 1024 * 1024, answer = 64 * 1024 * 1024 } = settings.limits ?? {};
  const failureOf = (error: unknown): RunError => failureOfError(who, error, clean);
  const reader = new ChatReader({ who, turn, limit: event, clean, failureOf });
  const attempt = new ChatAttempt({ who, channel, reader, clean, limit: answer });
  channel.source = attempt;
  attempt.exchange = endpoint.post(headersOf(settings, key, turn), body, attempt);
  return attempt.outcome;
}

async function pause({ sleep, channel }: Asking, wait: number): Promise<void> {
  const left = new AbortController();
  channel.source = { resume: () => undefined, cancel: () => left.abort() };
  await sleep(wait, left.signal).catch((error: unknown) => {
    if (!left.signal.aborted) throw error;
  });
}

function mayAskAgain({ error, isBeforeAnswer }: Refusal): boolean {
  return isBeforeAnswer && error.failure.retryable === true;
}

function headersOf({ headers = {} }: OpenAiChatSettings, key: string, turn: Turn): Record<string, string> {
  const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    // Counting bytes bounds memory only while a byte is a byte.
    'accept-encoding': 'identity',
    ...idempotencyHeader(turn),
    ...(key === '' ? {} : { authorization: `Bearer ${key}` }),
    ...Object.fromEntries(own),
  };
}

function readKey({ key = '', model }: OpenAiChatSettings): string {
  if (typeof key === 'string') return key;
  try {
    return key();
  } catch (cause) {
    throw new RunError('unauthenticated', `The key for model ${model} cannot be read.`, { cause });
  }
}

function completionsUrl(baseUrl: string): URL {
  const url = URL.parse(baseUrl);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new RunError('malformed', `baseUrl "${baseUrl}" is no address; give one like https://host/v1.`);
  }
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/chat/completions`;
  return url;
}
