import type { EventOf, RunEvent, StepId } from '../../run/events.ts';
import { questionId } from '../../run/question-id.ts';
import { visible } from '../../run/visible.ts';
import { listed } from '../chain.ts';
import { act } from './acts.ts';
import { plainText, visualizationOf, withCall } from './card.ts';
import {
  agentAt,
  bring,
  changePart,
  noMemory,
  numberAt,
  remember,
  think,
  thinkAt,
  type Draft,
  type Memory,
} from './draft.ts';
import { lengths } from './lengths.ts';
import { nothing, runPart, type Part } from './part.ts';
import { readable, withText } from './said.ts';
import { endSpeech, restartSpeech, speak } from './speech.ts';
import { closeBelow, closePart, openPart } from './steps.ts';
import { changeBy, type Happening } from './story.ts';
import { beginWait, endWait } from './waits.ts';
import { gathered } from '../preferences/cut.ts';
import { openStep, openStepOrRun, withNothingOpened, type OpenStep } from '../preferences/open-steps.ts';
import type { Projection } from '../projection.ts';
import { shownQuestion } from '../shown-question.ts';
import { partAll } from './thinking-tags.ts';

export interface ConsoleOptions {
  readonly run: string;
  /** The number of the last card of the conversation's earlier runs: numbers never begin again. */
  readonly cardsBefore?: number;
}

/** A run as a console sees it, told in the names of one generation. */
export function consoleRun<Frame>(
  { run, cardsBefore = 0 }: ConsoleOptions,
  named: (happening: Happening, run: string) => readonly Frame[],
): Projection<Memory, Frame> {
  return {
    initial: noMemory,
    project(memory, { at, event }) {
      const draft: Draft = { memory, told: [], at, run, before: cardsBefore };
      take(draft, event);
      return [draft.memory, draft.told.flatMap((happening) => named(happening, run))];
    },
  };
}

function take(draft: Draft, event: RunEvent): void {
  switch (event.type) {
    case 'run.started':
      return begin(draft, event);
    case 'run.ended':
      return end(draft, event);
    case 'run.paused':
    case 'run.resumed':
    case 'stop.requested':
    case 'worker.took':
    case 'approval.decided':
    case 'approval.lapsed': {
      const change = changeBy(event);
      if (change) draft.told.push(change);
      return;
    }
    case 'approval.requested':
      return ask(draft, event);
    case 'step.opened':
      if (event.step !== 0 && !openStep(draft.memory.steps, event.step)) openPart(draft, event);
      return;
    case 'step.started':
    case 'title.appended':
    case 'text.appended':
    case 'item.attached':
    case 'step.closed':
    case 'step.retried':
      return inStep(draft, event);
    case 'notice.posted':
      return thinkAt(draft, event.step, event.message);
    case 'unknown':
      return thinkAt(draft, 0, `This version does not know the event «${event.kind}».`);
    // Clients take a message of the user for the beginning of a turn, and drop what follows.
    case 'message.queued':
      return think(draft, 'User', event.text);
    // Pending steps become cards when they open; phases and states are not for people at a console.
    case 'step.planned':
    case 'phase.entered':
    case 'prompt.recorded':
    case 'state.saved':
    case 'message.taken':
  }
}

function begin(draft: Draft, { input, conversation, earlier = [] }: EventOf<'run.started'>): void {
  if (draft.memory.startedAt !== undefined) return;
  remember(draft, { startedAt: draft.at });
  const isFollowUp = earlier.length > 0;
  const text = plainText(input.text);
  draft.told.push({ type: 'began', text, thread: conversation, isFollowUp, at: draft.at });
}

function end(draft: Draft, { outcome, answer, failure, usage }: EventOf<'run.ended'>): void {
  const isStopped = outcome === 'stopped';
  closeBelow(draft, 0, isStopped ? 'stopped' : 'abandoned');
  endSpeech(draft, 0, { isStopped });
  const { cards, startedAt = draft.at, message, steps, partial } = draft.memory;
  const whole = readable(partAll(plainText(answer)).shown);
  const isPartial = isStopped && whole === '' && partial !== '';
  const text = isPartial ? partial : whole;
  draft.told.push({
    type: 'ended',
    outcome,
    answer: text,
    isPartial,
    isSaid: text === message,
    failure: failure?.message ?? 'The run failed.',
    visualizations: listed(openStepOrRun(steps, 0).value.brought.shown),
    cards,
    tokens: usage.input + usage.output,
    milliseconds: Math.max(0, draft.at - startedAt),
  });
}

function ask(draft: Draft, event: EventOf<'approval.requested'>): void {
  const { title, message, step } = event;
  const number = numberAt(draft, step);
  beginWait(draft, step);
  const question = visible(message === undefined ? title : `${title}: ${message}`);
  draft.told.push({
    type: 'changed',
    status: 'waiting',
    message: question,
    approval: questionId(event),
    ...shownQuestion(event),
    ...(number === 0 ? {} : { number }),
  });
}

type StepEvent = EventOf<
  'step.started' | 'title.appended' | 'text.appended' | 'item.attached' | 'step.closed' | 'step.retried'
>;

function inStep(draft: Draft, event: StepEvent): void {
  const step = openStep(draft.memory.steps, event.step);
  if (!step) return;
  switch (event.type) {
    case 'step.started':
      return start(draft, step, event);
    case 'title.appended':
      return changePart(draft, step, { title: gathered(step.value.title, event.text, lengths.summary) });
    case 'text.appended':
      return say(draft, step, event);
    case 'item.attached':
      return attach(draft, step, event);
    case 'step.closed':
      if (step.id !== 0) closePart(draft, step, event);
      return;
    case 'step.retried':
      if (step.id !== 0) retry(draft, step.id, event);
      return;
  }
}

/** A step that waited is timed from when it went ahead. */
function start(draft: Draft, { id }: OpenStep<Part>, { call }: EventOf<'step.started'>): void {
  endWait(draft, id);
  const step = openStepOrRun(draft.memory.steps, id);
  const { card } = step.value;
  if (!card) return;
  const { waits } = runPart;
  changePart(draft, step, { card: { ...withCall(card, call), since: draft.at }, waits });
}

function say(draft: Draft, step: OpenStep<Part>, { channel, text }: EventOf<'text.appended'>): void {
  const { role, brought } = step.value;
  switch (channel) {
    case 'content': {
      bring(draft, step, { said: withText(brought.said, text) });
      if (role === 'message') speak(draft, openStepOrRun(draft.memory.steps, step.id), text);
      return;
    }
    case 'reasoning': {
      const mused = gathered(brought.mused, text, lengths.reasoning);
      if (mused !== brought.mused) bring(draft, step, { mused });
      return;
    }
    case 'log':
      thinkAt(draft, step.id, text);
      return;
    // The arguments of a call are the query of its own card.
    case 'arguments':
  }
}

function attach(draft: Draft, step: OpenStep<Part>, { item }: EventOf<'item.attached'>): void {
  if (item.kind !== 'action') {
    const value = visualizationOf(item, agentAt(draft, step.id));
    return bring(draft, step, { shown: { value, before: step.value.brought.shown } });
  }
  act(draft, step, item);
}

function retry(draft: Draft, id: StepId, { attempt, reason, call }: EventOf<'step.retried'>): void {
  closeBelow(draft, id, 'abandoned');
  endWait(draft, id);
  const step = openStepOrRun(draft.memory.steps, id);
  const { card, speech, title } = step.value;
  thinkAt(draft, id, `Retrying ${title || 'a step'} (attempt ${attempt}): ${reason}`);
  changePart(draft, step, {
    brought: nothing,
    card: card && withCall(card, call),
    speech: speech && restartSpeech(draft, speech),
  });
  remember(draft, { steps: withNothingOpened(draft.memory.steps, id) });
}
