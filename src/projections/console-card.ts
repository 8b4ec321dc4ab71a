import type { Call, EventOf, Outcome } from '../run/events.ts';
import { isBlobRef, type BlobRef, type Item, type Json } from '../run/values.ts';
import type { Visualization } from '../wire/console.ts';
import { cut, cutWith } from './cut.ts';
import { partAll } from './thinking-tags.ts';

export const lengths = { query: 500, response: 2_000, reasoning: 500, summary: 200 } as const;

/** The face of a step card: one piece of delegated work. */
export interface Card {
  readonly number: number;
  /** The card it was opened in. */
  readonly parent: number | undefined;
  /** Without an agent of its own, a card goes by its title, which may still be arriving. */
  readonly agent: string | undefined;
  readonly query: string;
  readonly reasoning: string | undefined;
  /** What the orchestrator said before it opened this card. */
  readonly thought: string | undefined;
  readonly since: number;
}

interface Opening {
  readonly number: number;
  readonly parent: number | undefined;
  readonly thought: string;
  readonly at: number;
}

export function newCard(
  event: EventOf<'step.opened'>,
  { number, parent, thought, at: since }: Opening,
): Card {
  const agent = event.agent ?? event.call?.tool;
  const asked = askedBy(event.query ?? argumentText(event.call));
  const query = asked.query || (agent === undefined ? '' : cut(event.title, lengths.query));
  const reasoning = event.reasoning ?? asked.reasoning;
  return { number, parent, agent, query, reasoning, thought: thought || undefined, since };
}

/** A person may have changed what will run, and a new attempt may run something else. */
export function withCall(card: Card, call: Call | undefined): Card {
  return call ? { ...card, query: askedBy(argumentText(call)).query } : card;
}

type Closing = Pick<EventOf<'step.closed'>, 'outcome' | 'result' | 'failure'>;

/** What a card says in the end, whichever way it came to its end. */
export function responseOf({ outcome, result, failure }: Closing, said: string, action?: string): string {
  const reason = failure ? `: ${failure.message}` : '';
  switch (outcome) {
    case 'completed':
      return limited(action === undefined ? said || plainText(result) : `Action executed: ${action}`);
    case 'reused':
      return limited(said || plainText(result) || 'Reused: the same was asked before.');
    case 'failed':
      return limited(failed(failure));
    case 'skipped':
      return limited(`SKIPPED${reason}`);
    case 'stopped':
      return limited(`STOPPED${reason}`);
    case 'abandoned':
      return limited(`ABANDONED${reason}`);
  }
}

export function failed(failure: Closing['failure']): string {
  return failure ? `FAILED: [${failure.code}] ${failure.message}` : 'FAILED';
}

/** A card that nobody will finish any more is an error, and never left waiting. */
export function isError(outcome: Outcome): boolean {
  return outcome === 'failed' || outcome === 'stopped' || outcome === 'abandoned';
}

export function plainText(value: BlobRef | Json | undefined): string {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string') return value;
  return isBlobRef(value) ? `${value.preview ?? ''}…` : JSON.stringify(value);
}

export function visualizationOf(item: Exclude<Item, { kind: 'action' }>, agent: string): Visualization {
  switch (item.kind) {
    case 'visualization':
      return { type: item.shape, data: item.data };
    case 'citation': {
      const citations = item.url === undefined ? item.title : `${item.title} ${item.url}`;
      return { type: 'documents', data: { content: item.quote ?? '', agent, citations } };
    }
    case 'attachment': {
      const { type, title, data, url } = item.attachment;
      const text = type.startsWith('text/') ? data : undefined;
      return { type: 'documents', data: { content: text ?? url ?? title ?? type, agent } };
    }
  }
}

function limited(text: string): string {
  return cutWith(text, lengths.response, '…');
}

/** The orchestrator writes its thoughts into the arguments of a call; they are not part of the question. */
function askedBy(text: string): { readonly query: string; readonly reasoning: string | undefined } {
  const { shown, thought } = partAll(text);
  return { query: cut(shown.trim(), lengths.query), reasoning: thought.trim() || undefined };
}

/** Arguments that are nothing but a question are shown as the question. */
function argumentText(call: Call | undefined): string {
  const value = call?.arguments;
  if (typeof value !== 'object' || value === null || isBlobRef(value)) return plainText(value);
  const [only, ...others] = Object.entries(value);
  if (!only || others.length > 0 || Array.isArray(value)) return JSON.stringify(value);
  const [name, question] = only;
  const isQuestion = (name === 'query' || name === 'input') && typeof question === 'string';
  return isQuestion ? question : JSON.stringify(value);
}
