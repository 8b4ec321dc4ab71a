import { stopped } from '../../run/stopped.ts';
import { agentFailure, mayRepeat } from '../agent-refusal.ts';
import { cleaner } from '../chat/failure.ts';
import type { Gateway, Turn } from '../gateway.ts';
import { askAgain, type Surroundings } from '../http/ask-again.ts';
import { channelled, type EventChannel } from '../http/event-channel.ts';
import { idempotencyHeader } from '../http/idempotency-header.ts';
import { readSecret, type Secret } from '../http/secret.ts';
import { EventReader } from './event-reader.ts';
import { exchange } from './exchange.ts';
import { inputOf } from './input.ts';
import { threadOf } from './thread.ts';

export interface AgUiSettings {
  readonly name: string;
  readonly url: string;
  readonly key?: Secret | undefined;
}

interface Taking {
  readonly turn: Turn;
  readonly signal: AbortSignal;
  readonly channel: EventChannel;
  readonly surroundings: Surroundings;
}

/**
 * An agent that speaks AG-UI. What it does is told as it runs; what it wants to know of people ends the turn, and all
 * answers go to the same thread. It may act on what it is told, so it is asked again only if it certainly has not.
 */
export function agUiGateway(settings: AgUiSettings, surroundings: Surroundings = {}): Gateway {
  return {
    takeTurn: (turn, signal) =>
      channelled(signal, (channel) => take(settings, { turn, signal, channel, surroundings })),
  };
}

async function take(settings: AgUiSettings, { turn, signal, channel, surroundings }: Taking): Promise<void> {
  if (channel.isOver) return;
  const { name, url, key } = settings;
  const secret = key === undefined ? undefined : readSecret(key, name);
  const headers = {
    ...idempotencyHeader(turn),
    ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
  };
  const clean = cleaner(secret === undefined ? [] : [secret]);
  const thread = threadOf(turn);
  let isVitrine = false;
  const answers = (given: Headers): void => void (isVitrine = given.has('x-run-id'));
  // To leave a run of a Vitrine does not stop it; to others there is nothing to be said but that.
  const stop = (): void => {
    if (signal.reason === stopped && isVitrine) tellStop(url, thread.thread, headers);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    const asked = { who: `Agent ${name}`, url, headers, input: inputOf(turn, thread), clean, answers };
    const refusal = await askAgain(
      { channel, mayAskAgain: (each) => mayRepeat(turn, each), ...surroundings },
      () => exchange(asked, channel, new EventReader({ name, turn, exchange: thread, clean })),
    );
    if (refusal !== undefined) throw agentFailure(turn, refusal);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Nobody waits for it, and where nobody hears it there is nobody to stop. */
function tellStop(url: string, threadId: string, headers: Readonly<Record<string, string>>): void {
  const door = new URL(url);
  door.pathname += '/stop';
  const { 'idempotency-key': _, ...own } = headers;
  const request = {
    method: 'POST',
    body: JSON.stringify({ threadId }),
    headers: { ...own, 'content-type': 'application/json' },
  };
  fetch(door, request).catch(() => undefined);
}
