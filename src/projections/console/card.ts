import type { Call, EventOf } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { isBlobRef, type BlobRef, type Item, type Json } from '../../run/values.ts';
import type { Visualization } from '../../wire/console.ts';
import { parseJson } from '../../wire/parse-json.ts';
import { decisionText } from './decision.ts';
import { calledBy } from '../called.ts';
import { graphRows } from './graph.ts';
import { lengths, readable } from './said.ts';
import { cut, cutWith } from '../preferences/cut.ts';
import type { Closing as StoryClosing } from '../story.ts';
import { partAll } from './thinking-tags.ts';

/** The face of a step card: one piece of delegated work. */
export interface Card {
  readonly number: number;
  /** The card it was opened in. */
  readonly parent: number | undefined;
  readonly kind: string;
  /** Of another agent, mirrored here. */
  readonly isStage: boolean;
  readonly agent: string | undefined;
  /** What it goes by; undefined for one that goes by its title, which may still be arriving. */
  readonly name: string | undefined;
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
  const isStage = origin !== undefined;
  const name = calledBy(event) ?? agent;
  const face = { kind, isStage, agent, name, query, reasoning };
  return { number, parent: above?.number, ...face, thought: thought || undefined, since };
}

/** A person may have changed what will run, and a new attempt may run something else. */
export function withCall(card: Card, call: Call | undefined): Card {
  return call ? { ...card, query: askedBy(argumentText(call)).query } : card;
}

export type Closing = Pick<StoryClosing, 'outcome' | 'result' | 'failure' | 'reusedFrom' | 'isImplied'>;

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
  /** A person said no to what it was to do. */
  readonly isDeclined: boolean;
}

/** How a card ends. Without a text of its own it says what came of it. */
export function endedCard(card: Card, closing: Closing, work: Work): Ended {
  const { said, action } = work;
  const stage = card.isStage && said !== undefined ? argumentsIn(said, action) : { rest: said, given: '' };
  const query = card.isStage && action !== undefined ? `${action} ${stage.given}`.trim() : stage.given;
  const response = responseOf(card, closing, { ...work, said: stage.rest });
  return {
    query: cut(query, lengths.query) || card.query,
    response: cutWith(response, lengths.response, '…'),
    isError: isError(card, closing, work),
    isBlocked: closing.reusedFrom !== undefined,
  };
}

function responseOf(card: Card, closing: Closing, { said, action, isDeclined }: Work): string {
  const { outcome, result, failure, reusedFrom } = closing;
  switch (outcome) {
    case 'completed':
      if (action !== undefined) return `Action executed: ${action}`;
      if (card.kind === 'ask') return decisionText(result) ?? plainText(result);
      if (said === undefined) return 'It gave data, and no analysis.';
      return said || readable(plainText(result));
    case 'reused':
      if (failure) return `${failed(failure)} ${before}`;
      return said || plainText(result) || 'Reused: the same was asked before.';
    case 'failed':
      if (isDeclined) return unfinished('SKIPPED', failure?.message, said);
      if (failure && reusedFrom !== undefined) return `${failed(failure)} ${before}`;
      return unfinished('FAILED', failure && coded(failure), said);
    case 'skipped':
      return unfinished('SKIPPED', failure?.message, said);
    case 'stopped':
      return unfinished('STOPPED', failure?.message, said);
    case 'abandoned':
      if (isLeftOpen(card, closing)) return said || 'Its agent left it open.';
      return unfinished('ABANDONED', failure?.message, said);
  }
}

const before = '(It failed like this before, and was not tried again.)';

/** How a card ended that did not complete, and what it had said by then. */
function unfinished(how: string, why: string | undefined, said = ''): string {
  const words = said.trim();
  if (why === undefined) return words === '' ? how : `${how}: ${words}`;
  return words === '' ? `${how}: ${why}` : `${how}: ${why}\n\n${words}`;
}

export function failed(failure: Failure): string {
  return `FAILED: ${coded(failure)}`;
}

function coded({ code, message }: Failure): string {
  return `[${code}] ${message}`;
}

/** A card that nobody will finish any more is an error, and never left waiting. */
function isError(card: Card, closing: Closing, { isDeclined }: Work): boolean {
  switch (closing.outcome) {
    case 'completed':
    case 'skipped':
      return false;
    case 'reused':
      return closing.failure !== undefined;
    case 'failed':
      return !isDeclined;
    case 'stopped':
      return true;
    case 'abandoned':
      return !isLeftOpen(card, closing);
  }
}

/** Agents may end a whole answer and leave a stage open: only then is its end recorded as this. */
function isLeftOpen({ isStage }: Card, { outcome, isImplied = false }: Closing): boolean {
  return isStage && outcome === 'abandoned' && !isImplied;
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
      const content = (type.startsWith('text/') ? data : undefined) ?? url ?? title ?? type;
      const named = title === undefined || title === content ? {} : { citations: title };
      return { type: 'documents', data: { content, agent, ...named } };
    }
  }
}

/** Agents begin the stage of a tool with what they give it, in a line; one that acts need not say more. */
function argumentsIn(
  text: string,
  action: string | undefined,
): { readonly rest: string; readonly given: string } {
  const [line = '', ...others] = text.split('\n');
  const rest = others.join('\n');
  const isGiven = line.trim().startsWith('{') && parseJson(line) !== undefined;
  const isFirst = action !== undefined || rest.trim() !== '';
  return isGiven && isFirst ? { rest, given: line.trim() } : { rest: text, given: '' };
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
