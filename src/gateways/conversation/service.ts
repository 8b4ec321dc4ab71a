import type { ChatMessageRequest, CreateRequest } from '../../wire/conversation-service.ts';
import { type Limits, cleaner } from '../chat/attempt.ts';
import { askJson, type JsonAnswer } from '../http/ask-json.ts';
import {
  pathOf,
  requestHeaders,
  urlBelow,
  agentKeepAlive,
  defaultTimeouts,
  type Endpoint,
  httpEndpoint,
  type HttpRequest,
  type Timeouts,
} from '../http/http-exchange.ts';
import type { Turn } from '../gateway.ts';

export interface ConversationSettings {
  /** What people call it; its address is shown to nobody. */
  readonly name?: string;
  /** Where the service is: `http://host:8042`. */
  readonly baseUrl: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<Timeouts>;
  /** What conversations are called that are created there. */
  readonly title?: string;
  /** When the service writes a message into its history: before it acts on it, or after its answer (unless said). */
  readonly records?: 'before' | 'after';
  readonly limits?: Limits;
}

/** The requests a conversation service understands. */
export interface ConversationService {
  /** As failures name it. */
  readonly who: string;
  readonly endpoint: Endpoint;
  readonly secrets: readonly string[];
  chat(id: string, turn: Turn, content: string): HttpRequest;
  create(turn: Turn, signal: AbortSignal): Promise<JsonAnswer>;
  read(id: string, turn: Turn, signal: AbortSignal): Promise<JsonAnswer>;
}

/** A history is as long as its conversation. */
const longestHistory = 16 * 1024 * 1024;
const longestAnswer = 64 * 1024;

export function conversationService(settings: ConversationSettings): ConversationService {
  const { baseUrl, title, name, headers: own = {} } = settings;
  const url = (path: string): URL => urlBelow(baseUrl, path, 'http://host:8042');
  const root = url('conversations');
  const endpoint = httpEndpoint(root, { ...defaultTimeouts, ...settings.timeouts }, agentKeepAlive);
  const who = name === undefined ? 'The conversation service' : `The conversation service ${name}`;
  const secrets = Object.values(own);
  const asking = { who, endpoint, clean: cleaner(secrets) };
  const below = (id: string): string => `conversations/${encodeURIComponent(id)}`;
  const json = (turn: Turn): Record<string, string> =>
    requestHeaders(turn, { accept: 'application/json' }, own);
  return {
    who,
    endpoint,
    secrets,
    chat(id, turn, content) {
      const body: ChatMessageRequest = { message: { role: 'user', content }, stream: true };
      const headers = requestHeaders(turn, {}, own);
      return { method: 'POST', path: pathOf(url(`${below(id)}/chat`)), headers, body: JSON.stringify(body) };
    },
    create(turn, signal) {
      const body: CreateRequest = { title };
      const headers = json({ ...turn, idempotencyKey: `${turn.idempotencyKey}/create` });
      const request: HttpRequest = {
        method: 'POST',
        path: pathOf(root),
        headers,
        body: JSON.stringify(body),
      };
      return askJson(request, { ...asking, limit: longestAnswer }, signal);
    },
    read(id, turn, signal) {
      const request: HttpRequest = { method: 'GET', path: pathOf(url(below(id))), headers: json(turn) };
      return askJson(request, { ...asking, limit: longestHistory }, signal);
    },
  };
}
