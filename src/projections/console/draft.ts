import type { StepId } from '../../run/events.ts';
import { lengths } from './lengths.ts';
import { runPart, type Brought, type Part } from './part.ts';
import type { Happening } from './story.ts';
import { cutWith } from '../preferences/cut.ts';
import {
  onlyRun,
  openStepOrRun,
  withChanged,
  type OpenStep,
  type OpenSteps,
} from '../preferences/open-steps.ts';

/** What a console must remember of a run. */
export interface Memory {
  readonly steps: OpenSteps<Part>;
  /** How many cards were opened; the next one gets the next number, also in a new attempt. */
  readonly cards: number;
  readonly startedAt: number | undefined;
  /** What the orchestrator said last, for the card it opens next. */
  readonly thought: string;
  /** The last message, whole. */
  readonly message: string;
  /** What was being said to the person when it was stopped. */
  readonly partial: string;
  /** The last line of thinking: nothing is said twice in a row. */
  readonly line: string;
}

export const noMemory: Memory = {
  steps: onlyRun(runPart),
  cards: 0,
  startedAt: undefined,
  thought: '',
  message: '',
  partial: '',
  line: '',
};

/** The memory while one entry is told, and what is told of it. */
export interface Draft {
  memory: Memory;
  readonly told: Happening[];
  readonly at: number;
  readonly run: string;
  /** The number of the last card of the conversation's earlier runs. */
  readonly before: number;
}

export const orchestrator = 'Orchestrator';

export function remember(draft: Draft, change: Partial<Memory>): void {
  draft.memory = { ...draft.memory, ...change };
}

export function changePart(draft: Draft, { id, value }: OpenStep<Part>, change: Partial<Part>): void {
  remember(draft, { steps: withChanged(draft.memory.steps, id, { ...value, ...change }) });
}

export function bring(draft: Draft, step: OpenStep<Part>, change: Partial<Brought>): void {
  changePart(draft, step, { brought: { ...step.value.brought, ...change } });
}

/** A line of thinking for people to read; nothing where it was just said, be it in other clothes. */
export function freshLine(draft: Draft, status: string): string {
  const line = cutWith(status.replace(/^\s*\*\*System notice\*\*: /, '').trim(), lengths.reasoning, '…');
  if (line === draft.memory.line) return '';
  if (line !== '') remember(draft, { line });
  return line;
}

export function think(draft: Draft, agent: string, status: string): void {
  const line = freshLine(draft, status);
  if (line !== '') draft.told.push({ type: 'thought', agent, status: line });
}

export function thinkAt(draft: Draft, id: StepId, status: string): void {
  think(draft, agentAt(draft, id), status);
}

/** Who is at work there: the agent of the card, or the orchestrator. */
export function agentAt({ memory }: Draft, id: StepId): string {
  const { owner } = openStepOrRun(memory.steps, id).value;
  return owner === 0 ? orchestrator : nameOf(openStepOrRun(memory.steps, owner).value);
}

/** The card it belongs to, and those around that one. */
export function cardsAround({ memory }: Draft, id: StepId): readonly OpenStep<Part>[] {
  const cards: OpenStep<Part>[] = [];
  let { owner } = openStepOrRun(memory.steps, id).value;
  while (owner !== 0) {
    const card = openStepOrRun(memory.steps, owner);
    cards.push(card);
    ({ owner } = openStepOrRun(memory.steps, card.parent).value);
  }
  return cards;
}

export function numberAt({ memory }: Draft, id: StepId): number {
  const { owner } = openStepOrRun(memory.steps, id).value;
  return openStepOrRun(memory.steps, owner).value.card?.number ?? 0;
}

/** Without an agent, a card goes by its title. */
export function nameOf({ card, title }: Part): string {
  return card?.agent ?? (title.trim() === '' ? 'Step' : title);
}
