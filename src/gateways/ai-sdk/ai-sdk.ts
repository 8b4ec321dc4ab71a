import type { LanguageModelV4 } from '@ai-sdk/provider';
import { RunError } from '../../run/failure.ts';
import { failureOfProvider } from './failure.ts';
import { callOptions } from './prompt.ts';
import { AiSdkReader } from './reader.ts';
import type { AgentEvent, Gateway, Turn } from '../gateway.ts';
import { defaultTimeouts, type Timeouts, tooSlow } from '../http/http-exchange.ts';
import { delayBefore, realSleep, type Sleep } from '../http/event-channel.ts';
import { stoppable } from '../http/stoppable.ts';

interface Settings {
  /** Connecting is the provider's business; the first part and the parts after it are waited for here. */
  readonly timeouts?: Partial<Omit<Timeouts, 'connect'>>;
  /** Characters of the arguments of one call (1 Mi unless said) and of one answer (64 Mi). */
  readonly limits?: { readonly event?: number; readonly answer?: number };
  readonly random?: () => number;
  readonly sleep?: Sleep;
}

interface Asking {
  readonly model: LanguageModelV4;
  readonly who: string;
  readonly turn: Turn;
  readonly timeouts: Timeouts;
  readonly reader: AiSdkReader;
}

type Events = AsyncGenerator<readonly AgentEvent[], undefined, undefined>;

const mostTries = 3;

/** Any model of any AI SDK provider package. It is asked again only while it has not begun to answer. */
export function aiSdkGateway(model: LanguageModelV4, settings: Settings = {}): Gateway {
  return {
    model: model.modelId,
    takeTurn: (turn, signal) => stoppable(signal, (stop) => ask(model, turn, { settings, stop })),
  };
}

async function* ask(
  model: LanguageModelV4,
  turn: Turn,
  { settings, stop }: { readonly settings: Settings; readonly stop: AbortSignal },
): Events {
  const { random = Math.random, sleep = realSleep } = settings;
  const who = `Model ${model.modelId}`;
  const timeouts = { ...defaultTimeouts, ...settings.timeouts };
  const { event = 1024 * 1024, answer = 64 * 1024 * 1024 } = settings.limits ?? {};
  for (let tries = 1; ; tries += 1) {
    const reader = new AiSdkReader({ who, turn, limits: { event, answer } });
    try {
      return yield* askOnce({ model, who, turn, timeouts, reader }, stop);
    } catch (thrown) {
      stop.throwIfAborted();
      const { error, wait } = failureOfProvider(who, thrown);
      const isSlow = error.failure.code === 'timed-out';
      if (reader.hasTold || isSlow || error.failure.retryable !== true || tries === mostTries) throw error;
      const delay = delayBefore(tries, wait, random);
      yield [{ type: 'turn.retried', reason: `${error.message} Asked again in ${delay} ms.` }];
      await sleep(delay, stop);
    }
  }
}

async function* askOnce({ model, who, turn, timeouts, reader }: Asking, stop: AbortSignal): Events {
  const silence = new AbortController();
  const abortSignal = AbortSignal.any([stop, silence.signal]);
  const patience: Patience = { give: (phase) => tooSlow(who, phase, timeouts), timeouts, silence };
  const opening = Promise.resolve(model.doStream({ ...callOptions(turn), abortSignal }));
  void opening.then(
    ({ stream }) => (silence.signal.aborted ? stream.cancel() : undefined),
    () => undefined,
  );
  const parts = (await within(patience, 'firstByte', opening)).stream.getReader();
  const cancel = (): void => void parts.cancel().catch(() => undefined);
  // A provider that ignores the signal would otherwise go on in secret.
  abortSignal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      abortSignal.throwIfAborted();
      const { done, value } = await within(patience, reader.hasTold ? 'idle' : 'firstByte', parts.read());
      if (done) break;
      const events = reader.read(value);
      if (events.length > 0) yield events;
    }
    if (!reader.isFinished) throw endedEarly(who);
    return undefined;
  } finally {
    abortSignal.removeEventListener('abort', cancel);
    cancel();
  }
}

interface Patience {
  readonly give: (phase: 'firstByte' | 'idle') => RunError;
  readonly timeouts: Timeouts;
  readonly silence: AbortController;
}

/** Waits for what a provider promised, but not for ever, also when it does not listen to the signal. */
function within<T>(
  { give, timeouts, silence }: Patience,
  phase: 'firstByte' | 'idle',
  promised: Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const error = give(phase);
      silence.abort(error);
      reject(error);
    }, timeouts[phase]);
    promised.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function endedEarly(who: string): RunError {
  const message = `${who} ended early: the stream closed before it said how the answer ended.`;
  return new RunError('unavailable', message, { retryable: true });
}
