import { z } from 'zod';
import { Decision, type Call, type EventOf } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import type { BlobRef, Item, Json } from '../../run/values.ts';
import type { Visualization } from '../../wire/console.ts';
import { graphRows } from './graph.ts';
import { lengths, readable, shownText, type Card } from './part.ts';
import { cut, cutWith } from '../preferences/cut.ts';
import type { Closing } from '../story.ts';
import { because, textOf } from '../text-of.ts';
import { isoTime, seconds } from '../time-text.ts';
import { worked } from '../working-time.ts';
import { partAll } from './thinking-tags.ts';
import { failedText, type Step } from './thinking.ts';
import { parseJson } from '../../wire/sse.ts';
import { filled } from '../../run/tree.ts';

type Opening = Pick<Card, 'number' | 'thought'> & { readonly above: Card | undefined };

export function newCard(event: EventOf<'step.opened'>, { above, number, thought }: Opening): Card {
  const { step, title } = event;
  const agent = event.agent ?? event.call?.tool;
  const asked = askedBy(event.query ?? argumentText(event.call));
  // Who names no question of their own works on what the agent around them was asked.
  const query = asked.query || (agent === undefined && above ? above.query : cut(title, lengths.query));
  const reasoning = event.reasoning ?? asked.reasoning;
  const parent = above && { step: above.step, number: above.number };
  return { step, number, parent, query, reasoning, thought };
}

/** A person may have changed what will run, and a new attempt may run something else. */
export function withCall(card: Card | undefined, call: Call | undefined): Card | undefined {
  return card && call ? { ...card, query: askedBy(argumentText(call)).query } : card;
}

/** A step that is a card. */
export interface Carded {
  readonly step: Step;
  readonly card: Card;
}

/** How a card ends, as both generations tell it. Without a text of its own it says what came of it. */
export function endedCard({ step, card }: Carded, closing: Closing, at: number) {
  const { action, said: all, mused, shown, below } = step.own.brought;
  const said = shownText(all);
  const isStage = isStageOf(step);
  const { rest, given } =
    isStage && said !== undefined ? argumentsIn(said, action?.name) : { rest: said, given: '' };
  const query = isStage && action ? `${action.name} ${given}`.trim() : given;
  const [response, isError] = cameOf(step, closing, rest);
  const reasoning = card.reasoning ?? (mused.trim() === '' ? undefined : mused);
  const body = {
    duration: seconds(worked(step, at)),
    response: cutWith(response, lengths.response, '…'),
    timestamp: isoTime(at),
    visualizations: filled(shown),
    reasoning: reasoning && cutWith(reasoning, lengths.reasoning, '…'),
    sub_steps: filled(below),
    error: isError || undefined,
    /** It was asked before, and not done again. */
    blocked: closing.reusedFrom !== undefined || undefined,
    is_action: action && (true as const),
    action: action?.data,
  };
  return { query: cut(query, lengths.query) || card.query, body };
}

/** Of another agent, mirrored here. */
function isStageOf({ opening }: Step): boolean {
  return opening.origin !== undefined;
}

/** What is said of it, and whether that is an error: what nobody will finish any more is, and never left waiting. */
function cameOf(step: Step, closing: Closing, said: string | undefined): [text: string, isError: boolean] {
  const { outcome, result, failure, reusedFrom, isImplied = false } = closing;
  const why = failure?.message;
  switch (outcome) {
    case 'completed':
      return [completed(step, closing, said), false];
    case 'reused':
      if (failure) return [failedBefore(failure), true];
      return [said || plainText(result) || 'Reused: the same was asked before.', false];
    case 'failed':
      if (isDeclined(step, failure)) return [unfinished('SKIPPED', why, said), false];
      if (failure && reusedFrom !== undefined) return [failedBefore(failure), true];
      return [unfinished('FAILED', failure && `[${failure.code}] ${why}`, said), true];
    case 'skipped':
    case 'stopped':
    case 'abandoned': {
      // Agents may end a whole answer and leave a stage open: only then is its end recorded as this.
      const isLeftOpen = outcome === 'abandoned' && isStageOf(step) && !isImplied;
      if (isLeftOpen) return [said || 'Its agent left it open.', false];
      return [unfinished(outcome.toUpperCase(), why, said), outcome !== 'skipped'];
    }
  }
}

/** Whether a person said no to what it was to do. */
export function isDeclined({ own: { declined } }: Step, failure: Closing['failure']): boolean {
  return declined !== undefined && declined === failure?.message;
}

function failedBefore(failure: Failure): string {
  return `${failedText(failure)} (It failed like this before, and was not tried again.)`;
}

/** What was said is undefined where that is nothing for people. */
function completed({ opening, own }: Step, { result }: Closing, said: string | undefined): string {
  if (own.brought.action !== undefined) return `Action executed: ${own.brought.action.name}`;
  if (opening.kind === 'ask') return decisionText(result) ?? plainText(result);
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

const Answer = z.object({
  decision: Decision,
  by: z.string(),
  rationale: z.string().optional(),
  answer: z.unknown().optional(),
  arguments: z.unknown().optional(),
});

/** What somebody decided, as a sentence. */
export function decided(answer: Pick<z.infer<typeof Answer>, 'decision' | 'by' | 'rationale'>): string {
  return because(`${decisions[answer.decision]} ${answer.by}`, answer.rationale);
}

/** The outcome of a question to a person; undefined for what is none. */
function decisionText(result: unknown): string | undefined {
  const { data } = Answer.safeParse(result);
  const given = data?.answer ?? data?.arguments ?? undefined;
  if (!data || given === undefined) return data && decided(data);
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
function argumentsIn(text: string, action: string | undefined) {
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
  const [[name, only] = [], ...others] = value && typeof value === 'object' ? Object.entries(value) : [];
  const isQuestion = (name === 'query' || name === 'input') && others.length === 0;
  return isQuestion && typeof only === 'string' ? only : plainText(value);
}
