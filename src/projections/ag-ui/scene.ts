import type { AgUiEvent } from '../../wire/ag-ui.ts';
import { parentOf, stepName } from '../nested.ts';
import type { Questions } from '../questions.ts';
import type { Place, Scene } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';
import type { Spoken } from '../speaker.ts';
import { activityDelta, change, newActivity, patch, type Activity, type ActivityStep } from './activity.ts';
import type { Own, Shown } from './part.ts';

export interface Memory {
  readonly run: string;
  thread: string;
  app: string;
  status: string;
  /** What the run itself said last to people, and in which message. */
  readonly spoken: Spoken;
  readonly activity: Activity;
  readonly questions: Questions;
  hasBegun: boolean;
}

export function newMemory(run: string): Memory {
  const nothing = { spoken: { in: '', text: '' }, activity: newActivity(), questions: new Map() };
  return { run, thread: run, app: '', status: 'running', ...nothing, hasBegun: false };
}

/** What has changed in the tree that is drawn, as far as it may be told now. */
export function patched({ run, activity }: Memory, at: number, isLast: boolean): AgUiEvent[] {
  const operations = patch(activity, at, isLast);
  return operations.length === 0 ? [] : [activityDelta(run, operations)];
}

export type AgUiScene = Scene<Memory, Own, AgUiEvent>;
export type AgUiPlace = Place<Memory, Own>;
export type AgUiStep = OpenStep<Own>;

/** All that is open but the run, those above first. */
export function openSteps({ story }: AgUiScene): AgUiStep[] {
  return [...story.steps.values()].filter(({ id }) => id !== 0);
}

export function shownOf({ story }: AgUiScene, step: AgUiStep): Shown {
  return { part: step.own, step, opening: step.opening, above: parentOf(story, step).own };
}

export function activityOf({ parent, opening, title, attempt }: AgUiStep) {
  return {
    parent: stepName(parent),
    kind: opening.kind,
    title,
    status: 'running',
    agent: opening.agent,
    ...(attempt === 1 ? {} : { attempt }),
  };
}

/** The run itself is no step of the tree that is drawn. */
export function changed({ memory }: AgUiScene, { id }: AgUiStep, step: ActivityStep): void {
  if (id !== 0) change(memory.activity, `s${id}`, step);
}

export function custom({ frames }: AgUiScene, name: string, value: unknown): void {
  frames.push({ type: 'CUSTOM', name, value });
}
