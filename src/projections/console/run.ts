import { visible } from '../../run/visible.ts';
import type { EventOf } from '../../run/events.ts';
import { unknownNotice } from '../../run/notices.ts';
import { questionId } from '../../run/question-id.ts';
import { decidedQuestion, shownEdit, shownQuestion } from '../../run/shown-question.ts';
import { gathered } from '../preferences/cut.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { overStory, type Place, type StoryProjection } from '../story-projection.ts';
import { because, controlText } from '../text-of.ts';
import { worked } from '../working-time.ts';
import { decided, plainText, visualizationOf, withCall } from './card.ts';
import { act, closePart, openPart } from './cards.ts';
import type { Change, Happening, Moment, Names } from './happening.ts';
import { newPart, nothing, type Part } from './part.ts';
import { lengths, readable, withText } from './said.ts';
import { endSpeech, restartSpeech, speak } from './speech.ts';
import { partAll } from './thinking-tags.ts';
import * as thinking from './thinking.ts';
import type { Draft, Memory, Step } from './thinking.ts';

export type ConsoleOptions = Pick<ViewOptions, 'run' | 'cardsBefore'>;

/**
 * A run as a console sees it, told in the names of one generation. Pending steps become cards when they open; phases and
 * states are not for people at a console.
 */
export function consoleRun<Frame>(
  { run, cardsBefore: before = 0 }: ConsoleOptions,
  names: Names<Frame>,
): Projection<Place<Memory, Part>, Frame> {
  const { begin, weight, project } = overStory({
    memory: () => ({ run, before, cards: 0, thought: '', message: '', partial: '', line: '' }),
    own: newPart,
    tell,
  });
  return {
    begin,
    weight,
    project: (place, entry) =>
      project(place, entry).flatMap((happening) => {
        const named: ((given: never, moment: Moment) => readonly Frame[]) | undefined = names[happening.type];
        return named?.(happening as never, { run, at: entry.at }) ?? [];
      }),
  };
}

const tell: StoryProjection<Memory, Part, Happening>['tell'] = {
  'run.started': begin,
  'run.ended': end,
  'run.paused': (draft, event) => change(draft, { status: 'paused', message: controlText(event) }),
  'run.resumed': (draft, event) => change(draft, { status: 'in_progress', message: controlText(event) }),
  'stop.requested': (draft, event) => change(draft, { status: 'cancelling', message: controlText(event) }),
  'worker.took'(draft) {
    const message = 'Another worker took over where the last one ended.';
    change(draft, { status: 'in_progress', message });
  },
  'approval.requested': ask,
  'approval.decided'(draft, event) {
    const status = event.decision === 'defer' ? 'waiting' : 'in_progress';
    const approval = decidedQuestion(event);
    change(draft, { status, message: decided(event), approval, ...shownEdit(event) });
  },
  'approval.returned'(draft, { approval }) {
    change(draft, { status: 'waiting', message: 'A question that was put off is asked again.', approval });
  },
  'approval.lapsed'(draft, event) {
    const message = `A question lapsed: ${event.reason}`;
    change(draft, { status: 'in_progress', message, approval: questionId(event) });
  },
  'step.opened': openPart,
  'step.started'(_, { call }, { own }) {
    own.card = withCall(own.card, call);
  },
  'text.appended': hear,
  'item.attached': attach,
  'step.closed': closePart,
  'step.retried': retry,
  'notice.posted': note,
  unknown: (draft, event, step) => thinking.thinkAt(draft, step, unknownNotice(event).message),
  // Clients take a message of the user for the beginning of a turn, and drop what follows.
  'message.queued': (draft, { text }) => thinking.think(draft, 'User', text),
};

function begin(draft: Draft, { input, conversation, earlier = [] }: EventOf<'run.started'>): void {
  const text = plainText(input.text);
  draft.frames.push({ type: 'began', text, thread: conversation, isFollowUp: earlier.length > 0 });
}

function end(draft: Draft, { outcome, answer, failure, usage }: EventOf<'run.ended'>): void {
  const isStopped = outcome === 'stopped';
  const { story, memory } = draft;
  endSpeech(draft, story.run, isStopped ? 'stopped' : 'whole');
  const answered = readable(partAll(plainText(answer)).shown);
  // What a failed run says for want of an answer is its failure.
  const whole = failure && thinking.isTold(failure, answered) ? '' : answered;
  thinking.tellFailure(draft, story.run, failure?.message);
  const isPartial = isStopped && whole === '' && memory.partial !== '';
  const text = isPartial ? memory.partial : whole;
  draft.frames.push({
    type: 'ended',
    outcome,
    answer: text,
    isPartial,
    isSaid: text === memory.message,
    failure: failure?.message ?? 'The run failed.',
    shown: story.run.own.brought.shown,
    cards: memory.cards,
    tokens: usage.input + usage.output,
    milliseconds: story.hasStarted ? worked(story.run, draft.at) : 0,
  });
}

function change({ frames }: Draft, told: Change): void {
  frames.push({ type: 'changed', change: told });
}

function ask(draft: Draft, event: EventOf<'approval.requested'>, step: Step): void {
  const message = visible(because(event.title, event.message, ''));
  const { card } = thinking.ownerOf(draft, step).own;
  const about = { approval: questionId(event), ...shownQuestion(event), step: card?.number };
  change(draft, { status: 'waiting', message, ...about });
}

function attach(draft: Draft, { item }: EventOf<'item.attached'>, step: Step): void {
  if (item.kind === 'action') return act(draft, step, item);
  step.own.brought.shown.push(visualizationOf(item, thinking.agentAt(draft, step)));
}

function hear(draft: Draft, { channel, text }: EventOf<'text.appended'>, step: Step): void {
  const { role, brought } = step.own;
  switch (channel) {
    case 'content':
      brought.said = withText(brought.said, text);
      if (role === 'message') speak(draft, step, text);
      return;
    case 'reasoning':
      brought.mused = gathered(brought.mused, text, lengths.reasoning);
      return;
    case 'log':
      return thinking.thinkAt(draft, step, text);
    // The arguments of a call are the query of its own card.
    case 'arguments':
  }
}

function note(draft: Draft, { code, message }: EventOf<'notice.posted'>, step: Step): void {
  if (!step.own.card || !thinking.toldByCards.has(code)) thinking.thinkAt(draft, step, message);
}

function retry(draft: Draft, { attempt, reason, call }: EventOf<'step.retried'>, step: Step): void {
  const { own, title } = step;
  thinking.thinkAt(draft, step, `Retrying ${title || 'a step'} (attempt ${attempt}): ${reason}`);
  own.brought = nothing();
  own.card = withCall(own.card, call);
  restartSpeech(draft, step);
}
