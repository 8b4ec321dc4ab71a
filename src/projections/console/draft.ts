import type { Failure } from '../../run/failure.ts';
import { stepOrRun } from '../nested.ts';
import { cutWith } from '../preferences/cut.ts';
import type { Scene } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';
import { failed as failedText } from './card.ts';
import { lengths } from './said.ts';
import type { Happening } from './happening.ts';
import type { Part } from './part.ts';

export type Step = OpenStep<Part>;

/** What a console must remember of a run beside its open steps. */
export interface Memory {
  /** How many cards were opened; the next one gets the next number, also in a new attempt. */
  cards: number;
  startedAt: number;
  /** What the orchestrator said last, for the card it opens next. */
  thought: string;
  /** The last message, whole. */
  message: string;
  /** What was being said to the person when it was stopped. */
  partial: string;
  /** The last line of thinking: nothing is said twice in a row. */
  line: string;
}

export const noMemory: Memory = { cards: 0, startedAt: 0, thought: '', message: '', partial: '', line: '' };

/** A run while one entry is told. */
export interface Draft extends Pick<Scene<Memory, Part, never>, 'story' | 'memory' | 'at'> {
  readonly run: string;
  /** The number of the last card of the conversation's earlier runs. */
  readonly before: number;
  say(happening: Happening): void;
}

export const orchestrator = 'Orchestrator';

/** A line of thinking for people to read; nothing where it was just said, be it in other clothes. */
export function freshLine({ memory }: Draft, status: string): string {
  const line = cutWith(status.replace(/^\s*\*\*System notice\*\*: /, '').trim(), lengths.reasoning, '…');
  if (line === memory.line) return '';
  if (line !== '') memory.line = line;
  return line;
}

export function think(draft: Draft, agent: string, status: string): void {
  const line = freshLine(draft, status);
  if (line !== '') draft.say({ type: 'thought', agent, status: line });
}

export function thinkAt(draft: Draft, step: Step, status: string): void {
  if (status.trim() === '') return;
  tellFailure(draft, step, status);
  think(draft, agentAt(draft, step), status);
}

/** What failed in a step is told by what the step makes of it, if it says so, and by itself if it does not. */
export function tellFailure(draft: Draft, step: Step, instead = ''): void {
  const { own } = step;
  const { failed } = own;
  own.failed = undefined;
  if (failed && !isTold(failed, instead)) think(draft, agentAt(draft, step), failedText(failed));
}

/** Whoever tells of a failure may take it up in a longer sentence. */
export function isTold({ message }: Failure, text: string): boolean {
  return text.includes(message.trim().replace(/\.$/, ''));
}

/** Who is at work there: the agent of the card, or the orchestrator. */
export function agentAt(draft: Draft, step: Step): string {
  return step.own.owner === 0 ? orchestrator : nameOf(ownerOf(draft, step));
}

/** As people call it. */
export function nameOf({ own, title }: Step): string {
  return own.card?.name ?? (title.trim() === '' ? 'Step' : title);
}

/** The card a step belongs to, or the run. */
export function ownerOf({ story }: Draft, { own }: Step): Step {
  return stepOrRun(story, own.owner);
}

/** The card it belongs to, and those around that one. */
export function cardsAround(draft: Draft, step: Step): readonly Step[] {
  const cards: Step[] = [];
  for (let card = ownerOf(draft, step); card.id !== 0; card = ownerOf(draft, parentOf(draft, card)))
    cards.push(card);
  return cards;
}

export function parentOf({ story }: Draft, { parent }: Step): Step {
  return stepOrRun(story, parent);
}
