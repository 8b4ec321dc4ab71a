import type { StepId } from '../run/events.ts';
import { runPart, type Brought, type Part } from './console-part.ts';
import type { Happening } from './console-story.ts';
import { onlyRun, openStepOrRun, withChanged, type OpenStep, type OpenSteps } from './open-steps.ts';

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
}

export const noMemory: Memory = {
  steps: onlyRun(runPart),
  cards: 0,
  startedAt: undefined,
  thought: '',
  message: '',
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

export function think(draft: Draft, id: StepId, status: string): void {
  draft.told.push({ type: 'thought', agent: agentAt(draft, id), status });
}

/** Who is at work there: the agent of the card, or the orchestrator. */
export function agentAt({ memory }: Draft, id: StepId): string {
  const { owner } = openStepOrRun(memory.steps, id).value;
  return owner === 0 ? orchestrator : nameOf(openStepOrRun(memory.steps, owner).value);
}

export function numberAt({ memory }: Draft, id: StepId): number {
  const { owner } = openStepOrRun(memory.steps, id).value;
  return openStepOrRun(memory.steps, owner).value.card?.number ?? 0;
}

/** Without an agent, a card goes by its title. */
export function nameOf({ card, title }: Part): string {
  return card?.agent ?? (title.trim() === '' ? 'Step' : title);
}
