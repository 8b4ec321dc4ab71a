import type { RunError } from '../../run/failure.ts';
import type { Refusal } from '../http/ask-again.ts';
import { ChatAttempt } from './attempt.ts';
import { cleaner, failureOfError } from './failure.ts';
import { ChatReader } from './reader.ts';
import { Complaints } from '../http/complaints.ts';
import type { Dialect } from '../dialect.ts';
import type { EventChannel } from '../http/event-channel.ts';
import type { Turn } from '../gateway.ts';
import type { Endpoint, HttpRequest } from '../http/http-exchange.ts';

/** How much of one answer is taken. */
export interface Limits {
  /** Bytes of one event: 1 MiB of a model, 8 MiB of an agent, unless said. A longer one of an agent is left out. */
  readonly event?: number;
  /** Bytes of the whole answer; 64 MiB unless said. */
  readonly answer?: number;
}

const mebi = 1024 * 1024;

interface Asking {
  /** Who is asked, as failures name it. */
  readonly who: string;
  readonly turn: Turn;
  readonly channel: EventChannel;
  readonly endpoint: Endpoint;
  readonly limits: Limits | undefined;
  /** What was sent and must never be told. */
  readonly secrets: readonly string[];
  readonly dialect?: (complaints: Complaints) => Dialect;
}

/** Sends one request that is answered with chunks of chat, and tells them. Resolves with why there was no answer. */
export function askChat(request: HttpRequest, asking: Asking): Promise<Refusal | undefined> {
  const { who, turn, channel, endpoint, limits = {}, secrets, dialect } = asking;
  const { event = dialect ? 8 * mebi : mebi, answer = 64 * mebi } = limits;
  const clean = cleaner(secrets);
  const complaints = new Complaints(who, clean);
  const failureOf = (error: unknown): RunError => failureOfError(who, error, clean);
  const spoken = dialect?.(complaints);
  const reader = new ChatReader({ who, turn, limit: event, complaints, failureOf, dialect: spoken });
  const attempt = new ChatAttempt({ who, channel, reader, complaints, clean, limits: { event, answer } });
  attempt.begin(endpoint, request);
  return attempt.outcome;
}
