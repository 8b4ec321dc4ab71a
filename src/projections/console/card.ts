import { z } from 'zod';
import { Decision, type Call, type EventOf, type StepId } from '../../run/events.ts';
import { isBlobRef, type BlobRef, type Item, type Json } from '../../run/values.ts';
import type { Visualization } from '../../wire/console.ts';
import { parseJson } from '../../wire/parse-json.ts';
import { calledBy } from '../called.ts';
import { graphRows } from './graph.ts';
import { failed, lengths, readable } from './said.ts';
import { cut, cutWith } from '../preferences/cut.ts';
import type { Closing } from '../story.ts';
import { because, textOf } from '../text-of.ts';
import { partAll } from './thinking-tags.ts';

/** The face of a step card: one piece of delegated work. */
export interface Card {
  readonly step: StepId;
  readonly number: number;
  /** The card it was opened in. */
  readonly parent: Pick<Card, 'step' | 'number'> | undefined;
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

type Opening = Pick<Card, 'number' | 'thought' | 'since'> & { readonly above: Card | undefined };

export function newCard(event: EventOf<'step.opened'>, { above, ...opening }: Opening): Card {
  const { step, kind, origin, title } = event;
  const agent = event.agent ?? event.call?.tool;
  const asked = askedBy(event.query ?? argumentText(event.call));
  // Who names no question of their own works on what the agent around them was asked.
  const query = asked.query || (agent === undefined && above ? above.query : cut(title, lengths.query));
  const reasoning = event.reasoning ?? asked.reasoning;
  const parent = above && { step: above.step, number: above.number };
  const name = calledBy(event) ?? agent;
  return { ...opening, step, parent, kind, isStage: origin !== undefined, agent, name, query, reasoning };
}

/** A person may have changed what will run, and a new attempt may run something else. */
export function withCall(card: Card, call: Call | undefined): Card {
  return call ? { ...card, query: askedBy(argumentText(call)).query } : card;
}

export interface Ended extends Came {
  readonly query: string;
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
  const { response, isError } = cameOf(card, closing, { ...work, said: stage.rest });
  return {
    query: cut(query, lengths.query) || card.query,
    response: cutWith(response, lengths.response, '…'),
    isError,
    isBlocked: closing.reusedFrom !== undefined,
  };
}

interface Came {
  readonly response: string;
  readonly isError: boolean;
}

/** A card that nobody will finish any more is an error, and never left waiting. */
function cameOf(card: Card, closing: Closing, work: Work): Came {
  const { outcome, result, failure, reusedFrom, isImplied = false } = closing;
  const { said, isDeclined } = work;
  const good = (response: string): Came => ({ response, isError: false });
  const left = (why = failure?.message): Came => ({
    response: unfinished(outcome.toUpperCase(), why, said),
    isError: true,
  });
  switch (outcome) {
    case 'completed':
      return good(completed(card, closing, work));
    case 'reused':
      if (failure) return { response: `${failed(failure)} ${before}`, isError: true };
      return good(said || plainText(result) || 'Reused: the same was asked before.');
    case 'failed':
      if (isDeclined) return good(unfinished('SKIPPED', failure?.message, said));
      if (failure && reusedFrom !== undefined)
        return { response: `${failed(failure)} ${before}`, isError: true };
      return left(failure && `[${failure.code}] ${failure.message}`);
    case 'skipped':
      return good(left().response);
    case 'stopped':
      return left();
    case 'abandoned':
      // Agents may end a whole answer and leave a stage open: only then is its end recorded as this.
      if (card.isStage && !isImplied) return good(said || 'Its agent left it open.');
      return left();
  }
}

const before = '(It failed like this before, and was not tried again.)';

function completed(card: Card, { result }: Closing, { said, action }: Work): string {
  if (action !== undefined) return `Action executed: ${action}`;
  if (card.kind === 'ask') return decisionText(result) ?? plainText(result);
  if (said === undefined) return 'It gave data, and no analysis.';
  return said || readable(plainText(result));
}

/** How a card ended that did not complete, and what it had said by then. */
function unfinished(how: string, why: string | undefined, said = ''): string {
  const words = said.trim();
  if (why === undefined) return words === '' ? how : `${how}: ${words}`;
  return words === '' ? `${how}: ${why}` : `${how}: ${why}\n\n${words}`;
}

const decisions: Readonly<Record<Decision, string>> = {
  approve: 'Approved by',
  reject: 'Rejected by',
  edit: 'Changed and approved by',
  defer: 'Put off by',
  expire: 'Not decided in time:',
};

const Decided = z.object({ decision: Decision, by: z.string(), rationale: z.string().optional() });

/** What somebody decided, as a sentence. */
export function decided({ decision, by, rationale }: z.infer<typeof Decided>): string {
  return because(`${decisions[decision]} ${by}`, rationale);
}

const Answer = Decided.extend({ answer: z.unknown().optional(), arguments: z.unknown().optional() });

/** The outcome of a question to a person; undefined for what is none. */
function decisionText(result: unknown): string | undefined {
  const { data } = Answer.safeParse(result);
  if (!data) return undefined;
  const given = data.answer ?? data.arguments ?? undefined;
  if (given === undefined) return decided(data);
  return `${decided(data)}\n${typeof given === 'string' ? given : JSON.stringify(given)}`;
}

/** A value as a card shows it. */
export const plainText = (value: BlobRef | Json | undefined): string => textOf(value, '…');

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
