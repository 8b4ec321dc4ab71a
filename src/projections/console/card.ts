import type { Call, EventOf, Outcome } from '../../run/events.ts';
import { isBlobRef, type BlobRef, type Item, type Json } from '../../run/values.ts';
import type { Visualization } from '../../wire/console.ts';
import { parseJson } from '../../wire/parse-json.ts';
import { decisionText } from './decision.ts';
import { graphRows } from './graph.ts';
import { lengths, readable } from './said.ts';
import { cut, cutWith } from '../preferences/cut.ts';
import { partAll } from './thinking-tags.ts';

/** The face of a step card: one piece of delegated work. */
export interface Card {
  readonly number: number;
  /** The card it was opened in. */
  readonly parent: number | undefined;
  readonly kind: string;
  /** Of another agent, mirrored here. */
  readonly isStage: boolean;
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
  /** The card it is opened in. */
  readonly above: Card | undefined;
  readonly thought: string;
  readonly at: number;
}

export function newCard(event: EventOf<'step.opened'>, { number, above, thought, at: since }: Opening): Card {
  const { kind, origin, title } = event;
  const agent = event.agent ?? event.call?.tool;
  const asked = askedBy(event.query ?? argumentText(event.call));
  // Who names no question of their own works on what the agent around them was asked.
  const query = asked.query || (agent === undefined && above ? above.query : cut(title, lengths.query));
  const reasoning = event.reasoning ?? asked.reasoning;
  const face = { kind, isStage: origin !== undefined, agent, query, reasoning };
  return { number, parent: above?.number, ...face, thought: thought || undefined, since };
}

/** A person may have changed what will run, and a new attempt may run something else. */
export function withCall(card: Card, call: Call | undefined): Card {
  return call ? { ...card, query: askedBy(argumentText(call)).query } : card;
}

export type Closing = Pick<EventOf<'step.closed'>, 'outcome' | 'result' | 'failure' | 'reusedFrom'>;

export interface Ended {
  readonly query: string;
  readonly response: string;
  readonly isError: boolean;
  /** It was asked before, and not done again. */
  readonly isBlocked: boolean;
}

/** What came of the work of a card: what was said, undefined where that is nothing for people, and the action taken. */
interface Work {
  readonly said: string | undefined;
  readonly action: string | undefined;
}

/** How a card ends. Without a text of its own it says what came of it. */
export function endedCard(card: Card, closing: Closing, { said, action }: Work): Ended {
  const { outcome, failure, reusedFrom } = closing;
  const stage = card.isStage && said !== undefined ? argumentsIn(said) : { rest: said, given: '' };
  const query = card.isStage && action !== undefined ? `${action} ${stage.given}`.trim() : stage.given;
  const response = responseOf(card, closing, { said: stage.rest, action });
  return {
    query: cut(query, lengths.query) || card.query,
    response: cutWith(response, lengths.response, '…'),
    isError: isError(outcome) || (outcome === 'reused' && failure !== undefined),
    isBlocked: reusedFrom !== undefined,
  };
}

function responseOf({ kind }: Card, { outcome, result, failure }: Closing, { said, action }: Work): string {
  const reason = failure ? `: ${failure.message}` : '';
  switch (outcome) {
    case 'completed':
      if (action !== undefined) return `Action executed: ${action}`;
      if (kind === 'ask') return decisionText(result) ?? plainText(result);
      if (said === undefined) return 'It gave data, and no analysis.';
      return said || readable(plainText(result));
    case 'reused':
      if (failure) return `${failed(failure)} (It failed like this before, and was not tried again.)`;
      return said || plainText(result) || 'Reused: the same was asked before.';
    case 'failed':
      return failed(failure);
    case 'skipped':
      return `SKIPPED${reason}`;
    case 'stopped':
      return `STOPPED${reason}`;
    case 'abandoned':
      return `ABANDONED${reason}`;
  }
}

export function failed(failure: Closing['failure']): string {
  return failure ? `FAILED: [${failure.code}] ${failure.message}` : 'FAILED';
}

/** A card that nobody will finish any more is an error, and never left waiting. */
function isError(outcome: Outcome): boolean {
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
      return { type: item.shape, data: item.shape === 'graph' ? graphRows(item.data) : item.data };
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

/** Agents begin the stage of a tool with what they give it, in a line. */
function argumentsIn(text: string): { readonly rest: string; readonly given: string } {
  const end = text.indexOf('\n');
  const line = text.slice(0, end).trim();
  const isGiven = end > 0 && line.startsWith('{') && parseJson(line) !== undefined;
  const rest = text.slice(end + 1);
  return isGiven && rest.trim() !== '' ? { rest, given: line } : { rest: text, given: '' };
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
