import type {
  LanguageModelV4File,
  LanguageModelV4FinishReason,
  LanguageModelV4ReasoningFile,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
  SharedV4Warning,
} from '@ai-sdk/provider';
import { RunError } from '../../run/failure.ts';
import type { Item, Usage } from '../../run/values.ts';
import { AiSdkCalls, malformed } from './calls.ts';
import { failureOfProvider, malformedPiece } from './failure.ts';
import type { AgentEvent, Turn } from '../gateway.ts';
import { WholeText } from '../http/http-exchange.ts';

interface Settings {
  readonly who: string;
  readonly turn: Turn;
  /** Characters of the arguments of one call, and of one answer. */
  readonly limits: { readonly event: number; readonly answer: number };
}

/** Reads the parts a provider streams, each as what it tells. */
export class AiSdkReader {
  /** Whether the model has begun to answer, so that asking again would show its text twice. */
  hasTold = false;
  isFinished = false;
  readonly #settings: Settings;
  readonly #calls: AiSdkCalls;
  readonly #whole = new WholeText();
  #size = 0;

  constructor(settings: Settings) {
    this.#settings = settings;
    this.#calls = new AiSdkCalls(settings.turn, settings.limits.event);
  }

  /** Throws `RunError` when the provider reports an error. */
  read(part: LanguageModelV4StreamPart): AgentEvent[] {
    const events = this.#eventsOf(part);
    this.hasTold ||= events.some(({ type }) => type !== 'notice.posted');
    return events;
  }

  #eventsOf(part: LanguageModelV4StreamPart): AgentEvent[] {
    switch (part.type) {
      case 'text-delta':
        return this.#say('content', part.delta);
      case 'reasoning-delta':
        return this.#say('reasoning', part.delta);
      case 'tool-input-start':
        return this.#calls.start(part);
      case 'tool-input-delta':
        this.#count(part.delta);
        return this.#calls.append(part.id, this.#whole.take(`call ${part.id}`, part.delta));
      case 'tool-call':
        return this.#calls.complete(part);
      case 'tool-result':
        return this.#calls.result(part);
      case 'text-end':
        return (part.citations ?? []).map(({ source, citedText }) => attach(citation(source, citedText)));
      case 'source':
        return [attach(citation(part, undefined))];
      case 'file':
      case 'reasoning-file':
        return [attach(fileItem(part))];
      case 'stream-start':
        return part.warnings.map(warning);
      case 'finish':
        return this.#finish(part.finishReason, part.usage);
      case 'error':
        return [this.#error(part.error)];
      case 'custom':
      case 'tool-approval-request':
        return [
          {
            type: 'notice.posted',
            code: 'UPSTREAM_UNSUPPORTED',
            message: `${this.#settings.who} sent a ${part.type} part, which is not shown.`,
          },
        ];
      case 'text-start':
      case 'reasoning-start':
      case 'reasoning-end':
      case 'tool-input-end':
      case 'response-metadata':
      case 'ping':
      case 'raw':
        return [];
    }
  }

  #say(channel: 'content' | 'reasoning', piece: string): AgentEvent[] {
    this.#count(piece);
    const text = this.#whole.take(channel, piece);
    if (text === '') return [];
    return [{ type: 'text.appended', text, ...(channel === 'content' ? {} : { channel }) }];
  }

  /** Half a character at the end; that of a call was told with its whole arguments. */
  #halves(): AgentEvent[] {
    return this.#whole.finish().flatMap(([stream, text]): AgentEvent[] => {
      if (stream === 'content') return [{ type: 'text.appended', text }];
      return stream === 'reasoning' ? [{ type: 'text.appended', text, channel: 'reasoning' }] : [];
    });
  }

  #count(piece: string): void {
    const { who, limits } = this.#settings;
    this.#size += piece.length;
    if (this.#size > limits.answer) {
      throw new RunError('too-large', `${who} answered with more than ${limits.answer} characters.`);
    }
  }

  /** A piece that cannot be read costs that piece; anything else the provider reports ends the turn. */
  #error(error: unknown): AgentEvent {
    const words = malformedPiece(error);
    if (words !== undefined) return malformed(`a piece that cannot be read: ${words}`);
    throw failureOfProvider(this.#settings.who, error).error;
  }

  #finish({ unified }: LanguageModelV4FinishReason, usage: LanguageModelV4Usage): AgentEvent[] {
    if (unified === 'interrupted') return [];
    if (unified === 'error')
      throw new RunError('unavailable', `${this.#settings.who} ended its answer with an error.`, {
        retryable: true,
      });
    this.isFinished = true;
    const reasons = {
      stop: 'stop',
      length: 'length',
      'content-filter': 'filter',
      'tool-calls': 'calls',
    } as const;
    const reason = unified === 'other' ? 'other' : reasons[unified];
    const hasUsage = usage.inputTokens.total !== undefined || usage.outputTokens.total !== undefined;
    return [
      ...this.#halves(),
      ...(hasUsage ? [{ type: 'usage.reported' as const, usage: usageOf(usage) }] : []),
      { type: 'turn.finished', reason },
    ];
  }
}

function attach(item: Item): AgentEvent {
  return { type: 'item.attached', item };
}

function citation(source: LanguageModelV4Source, quote: string | undefined): Item {
  if (source.sourceType === 'document') return { kind: 'citation', title: source.title, quote };
  return { kind: 'citation', title: source.title ?? source.url, url: source.url, quote };
}

function fileItem({ mediaType: type, data }: LanguageModelV4File | LanguageModelV4ReasoningFile): Item {
  if (data.type === 'url') return { kind: 'attachment', attachment: { type, url: String(data.url) } };
  const bytes = typeof data.data === 'string' ? data.data : Buffer.from(data.data).toString('base64');
  return { kind: 'attachment', attachment: { type, data: bytes } };
}

function warning(given: SharedV4Warning): AgentEvent {
  const message =
    given.type === 'unsupported' || given.type === 'compatibility'
      ? `${given.feature} is ${given.type === 'unsupported' ? 'not supported' : 'only imitated'}${given.details === undefined ? '' : `: ${given.details}`}`
      : given.message;
  return { type: 'notice.posted', code: 'MODEL_WARNING', message };
}

function usageOf({ inputTokens, outputTokens }: LanguageModelV4Usage): Usage {
  const { cacheRead: cached } = inputTokens;
  const { reasoning } = outputTokens;
  return {
    input: inputTokens.total ?? 0,
    output: outputTokens.total ?? 0,
    cached,
    reasoning,
  };
}
