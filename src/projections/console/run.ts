import type { EventOf } from '../../run/events.ts';
import { questionId } from '../../run/question-id.ts';
import { visible } from '../../run/visible.ts';
import { gathered } from '../preferences/cut.ts';
import type { Projection } from '../projection.ts';
import { overStory, type Place, type Tell } from '../story-projection.ts';
import { shownQuestion } from '../../run/shown-question.ts';
import { toldByCards } from './activity.ts';
import { plainText, visualizationOf, withCall } from './card.ts';
import { lengths, readable, withText } from './said.ts';
import { act, beginWait, closePart, endWait, openPart } from './cards.ts';
import {
  agentAt,
  isTold,
  noMemory,
  ownerOf,
  tellFailure,
  think,
  thinkAt,
  type Draft,
  type Memory,
  type Step,
} from './draft.ts';
import { changeBy, type Changing, type Names } from './happening.ts';
import { newPart, nothing, type Part } from './part.ts';
import { endSpeech, restartSpeech, speak } from './speech.ts';
import { partAll } from './thinking-tags.ts';

export interface ConsoleOptions {
  readonly run: string;
  /** The number of the last card of the conversation's earlier runs: numbers never begin again. */
  readonly cardsBefore?: number | undefined;
}

/**
 * A run as a console sees it, told in the names of one generation. Pending steps become cards when they open; phases and
 * states are not for people at a console.
 */
export function consoleRun<Frame>(
  { run, cardsBefore: before = 0 }: ConsoleOptions,
  names: Names<Frame>,
): Projection<Place<Memory, Part>, Frame> {
  /** A scene as the parts of this console take it. */
  const drafted =
    <Event>(take: (draft: Draft, event: Event, step: Step) => void): Tell<Memory, Part, Frame, Event> =>
    ({ story, memory, at, frames }, event, step) => {
      const say: Draft['say'] = (happening) => {
        const named: ((given: never, place: Pick<Draft, 'run' | 'at'>) => readonly Frame[]) | undefined =
          names[happening.type];
        frames.push(...(named?.(happening as never, { run, at }) ?? []));
      };
      take({ story, memory, at, run, before, say }, event, step);
    };
  const changed = drafted(change);
  return overStory<Memory, Part, Frame>({
    memory: () => ({ ...noMemory }),
    own: newPart,
    tell: {
      'run.started': drafted(begin),
      'run.ended': drafted(end),
      'run.paused': changed,
      'run.resumed': changed,
      'stop.requested': changed,
      'worker.took': changed,
      'approval.decided': changed,
      'approval.lapsed': changed,
      'approval.returned': changed,
      'approval.requested': drafted(ask),
      'step.opened': drafted(openPart),
      'step.started': drafted(start),
      'text.appended': drafted(hear),
      'item.attached': drafted(attach),
      'step.closed': drafted(closePart),
      'step.retried': drafted(retry),
      'notice.posted': drafted(note),
      unknown: drafted((draft, { kind }, step) =>
        thinkAt(draft, step, `This version does not know the event «${kind}».`),
      ),
      // Clients take a message of the user for the beginning of a turn, and drop what follows.
      'message.queued': drafted((draft, { text }) => think(draft, 'User', text)),
    },
  });
}

function begin(draft: Draft, { input, conversation, earlier = [] }: EventOf<'run.started'>): void {
  draft.memory.startedAt = draft.at;
  const text = plainText(input.text);
  draft.say({ type: 'began', text, thread: conversation, isFollowUp: earlier.length > 0 });
}

function end(draft: Draft, { outcome, answer, failure, usage }: EventOf<'run.ended'>): void {
  const isStopped = outcome === 'stopped';
  const { story, memory } = draft;
  endSpeech(draft, story.run, isStopped ? 'stopped' : 'whole');
  const answered = readable(partAll(plainText(answer)).shown);
  // What a failed run says for want of an answer is its failure.
  const whole = failure && isTold(failure, answered) ? '' : answered;
  tellFailure(draft, story.run, failure?.message);
  const isPartial = isStopped && whole === '' && memory.partial !== '';
  const text = isPartial ? memory.partial : whole;
  draft.say({
    type: 'ended',
    outcome,
    answer: text,
    isPartial,
    isSaid: text === memory.message,
    failure: failure?.message ?? 'The run failed.',
    shown: story.run.own.brought.shown,
    cards: memory.cards,
    tokens: usage.input + usage.output,
    milliseconds: story.hasStarted ? Math.max(0, draft.at - memory.startedAt) : 0,
  });
}

function change(draft: Draft, event: Changing): void {
  const told = changeBy(event);
  if (told) draft.say({ type: 'changed', change: told });
}

function ask(draft: Draft, event: EventOf<'approval.requested'>, step: Step): void {
  const { title, message } = event;
  beginWait(draft, step);
  const change = {
    status: 'waiting',
    message: visible(message === undefined ? title : `${title}: ${message}`),
    approval: questionId(event),
    ...shownQuestion(event),
    step: ownerOf(draft, step).own.card?.number,
  };
  draft.say({ type: 'changed', change });
}

function attach(draft: Draft, { item }: EventOf<'item.attached'>, step: Step): void {
  if (item.kind === 'action') return act(draft, step, item);
  step.own.brought.shown.push(visualizationOf(item, agentAt(draft, step)));
}

/** A step that waited is timed from when it went ahead. */
function start(draft: Draft, { call }: EventOf<'step.started'>, step: Step): void {
  endWait(draft, step);
  const { own } = step;
  if (!own.card) return;
  own.card = { ...withCall(own.card, call), since: draft.at };
  own.waits = { now: 0, since: 0, before: 0 };
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
      return thinkAt(draft, step, text);
    // The arguments of a call are the query of its own card.
    case 'arguments':
  }
}

function note(draft: Draft, { code, message }: EventOf<'notice.posted'>, step: Step): void {
  if (!step.own.card || !toldByCards.has(code)) thinkAt(draft, step, message);
}

function retry(draft: Draft, { attempt, reason, call }: EventOf<'step.retried'>, step: Step): void {
  const { own, title } = step;
  endWait(draft, step);
  thinkAt(draft, step, `Retrying ${title || 'a step'} (attempt ${attempt}): ${reason}`);
  own.brought = nothing();
  own.card = own.card && withCall(own.card, call);
  restartSpeech(draft, step);
}
