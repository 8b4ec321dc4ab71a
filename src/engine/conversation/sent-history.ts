import type { SentMessage } from '../../run/events.ts';
import { filled, present } from '../../run/present.ts';
import type { Attachment } from '../../run/values.ts';
import type { Execution } from '../execution.ts';
import { loadHistory } from '../record/large-input.ts';
import type { Exchange } from '../scope.ts';

/** The conversation that came with the request of this run, if one did. */
export class SentHistory {
  readonly #execution: Execution;
  #messages: Promise<readonly SentMessage[] | undefined> | undefined;

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  messages(): Promise<readonly SentMessage[] | undefined> {
    this.#messages ??= this.#load();
    return this.#messages;
  }

  async #load(): Promise<readonly SentMessage[] | undefined> {
    const { history } = this.#execution.tree.started ?? {};
    return history && loadHistory(this.#execution, history);
  }
}

/** A message of the person that was answered, with all that was said before it since the answer before. */
export interface SentExchange extends Exchange {
  readonly attachments: readonly Attachment[];
  readonly answered: SentMessage;
}

/** What was asked and answered. Whoever instructs says so in front of what they ask: it counts as their words. */
export function exchangesIn(messages: readonly SentMessage[]): readonly SentExchange[] {
  const exchanges: SentExchange[] = [];
  let asked: SentMessage[] = [];
  for (const message of messages) {
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      asked.push(message);
      continue;
    }
    const attachments = asked.flatMap((one) => one.attachments ?? []);
    const { run = '', text: answer } = message;
    exchanges.push({ run, text: said(asked), answer, attachments, answered: message });
    asked = [];
  }
  return exchanges;
}

/** What was said since the last answer, in front of what is asked now. */
export function unanswered(messages: readonly SentMessage[]): Pick<SentExchange, 'text' | 'attachments'> {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const open = messages.slice(last + 1).filter(({ role }) => role !== 'tool');
  return { text: said(open), attachments: open.flatMap(({ attachments }) => attachments ?? []) };
}

function said(messages: readonly SentMessage[]): string {
  return messages.map(({ text }) => text).join('\n\n');
}

/** What a flow is told of it. */
export function plainExchange({ run, text, answer, attachments }: SentExchange): Exchange {
  return { run, text, answer, ...present({ attachments: filled(attachments) }) };
}
