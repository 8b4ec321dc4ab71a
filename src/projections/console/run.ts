import { visible } from '../../run/visible.ts';
import type { EventOf } from '../../run/events.ts';
import { unknownNotice } from '../../run/notices.ts';
import { questionId } from '../../run/question-id.ts';
import { decidedQuestion, shownEdit, shownQuestion } from '../../run/shown-question.ts';
import { saidWhole } from '../../run/answer-text.ts';
import type { Item } from '../../run/values.ts';
import { around, parentOf } from '../nested.ts';
import { cutWith, gathered } from '../preferences/cut.ts';
import type { Projection, ViewOptions } from '../projection.ts';
import { overStory, type Place, type StoryProjection } from '../story-projection.ts';
import type { Closing } from '../story.ts';
import { because, controlText } from '../text-of.ts';
import { seconds } from '../time-text.ts';
import { worked } from '../working-time.ts';
import * as cards from './card.ts';
import { consoleNames, dottedNames, type Change, type Happening, type NameOf, type Names } from './names.ts';
import * as parts from './part.ts';
import type { Part } from './part.ts';
import { partAll } from './thinking-tags.ts';
import * as thinking from './thinking.ts';
import type { Draft, Memory, Step } from './thinking.ts';
import { filled } from '../../run/tree.ts';

type ConsoleOptions = Pick<ViewOptions, 'run' | 'cardsBefore'>;

/** The network-operations console, first generation: step cards that unfold. */
export const consoleProjection = (options: ConsoleOptions) => consoleRun(options, consoleNames);

/** The second generation: calls with ids, and messages in pieces. */
export const dottedConsoleProjection = (options: ConsoleOptions) => consoleRun(options, dottedNames);

/**
 * A run as a console sees it, told in the names of one generation. Pending steps become cards when they open; phases and
 * states are not for people at a console.
 */
function consoleRun<Frame>(
  { run, cardsBefore: before = 0 }: ConsoleOptions,
  names: Names<Frame>,
): Projection<Place<Memory, Part>, Frame> {
  const { begin, weight, project } = overStory({
    memory: () => ({ run, before, cards: 0, thought: '', message: '', partial: '', line: '' }),
    own: parts.newPart,
    tell,
  });
  return {
    begin,
    weight,
    project: (place, entry) =>
      project(place, entry).flatMap((happening) => {
        const named: NameOf<Frame, never> | undefined = names[happening.type];
        return named?.(happening as never, { run, at: entry.at }) ?? [];
      }),
  };
}

const tell: StoryProjection<Memory, Part, Happening>['tell'] = {
  'run.started'({ frames }, { input, conversation, earlier = [] }) {
    const text = cards.plainText(input.text);
    // On re-opening, clients drop what stands between a message of the user and the next start.
    if (earlier.length > 0) frames.push({ type: 'heard', text });
    frames.push({ type: 'began', text, thread: conversation });
  },
  'run.ended'(draft, { outcome, answer, failure, usage }) {
    const isStopped = outcome === 'stopped';
    const { story, memory, frames, at } = draft;
    thinking.endSpeech(draft, story.run, isStopped ? 'stopped' : 'whole');
    const given = saidWhole(memory.message, answer) ?? cards.plainText(answer);
    const answered = parts.readable(partAll(given).shown);
    // What a failed run says for want of an answer is its failure.
    const whole = failure && thinking.isTold(failure, answered) ? '' : answered;
    thinking.tellFailure(draft, story.run, failure?.message);
    const isPartial = isStopped && whole === '' && memory.partial !== '';
    const text = isPartial ? memory.partial : whole;
    const visualizations = filled(story.run.own.brought.shown);
    const message = { text, visualizations, partial: isPartial || undefined };
    frames.push({ type: 'answered', message, isSaid: text === memory.message });
    const time = seconds(story.hasStarted ? worked(story.run, at) : 0);
    const figures = { steps: memory.cards, tokens: usage.input + usage.output, time };
    // A run that failed is not complete.
    if (outcome === 'failed') frames.push({ type: 'failed', message: failure?.message ?? 'The run failed.' });
    else frames.push({ type: 'completed', figures, isStopped });
    frames.push({ type: 'done', status: isStopped ? 'cancelled' : outcome });
  },
  'run.paused': (draft, event) => change(draft, { status: 'paused', message: controlText(event) }),
  'run.resumed': (draft, event) => change(draft, { status: 'in_progress', message: controlText(event) }),
  'stop.requested': (draft, event) => change(draft, { status: 'cancelling', message: controlText(event) }),
  'worker.took'(draft) {
    const message = 'Another worker took over where the last one ended.';
    change(draft, { status: 'in_progress', message });
  },
  'approval.requested'(draft, event, step) {
    const message = visible(because(event.title, event.message, ''));
    const { card } = thinking.ownerOf(draft, step).own;
    const about = { approval: questionId(event), ...shownQuestion(event), step: card?.number };
    change(draft, { status: 'waiting', message, ...about });
  },
  'approval.decided'(draft, event) {
    const status = event.decision === 'defer' ? 'waiting' : 'in_progress';
    const approval = decidedQuestion(event);
    change(draft, { status, message: cards.decided(event), approval, ...shownEdit(event) });
  },
  'approval.returned'(draft, { approval }) {
    change(draft, { status: 'waiting', message: 'A question that was put off is asked again.', approval });
  },
  'approval.lapsed'(draft, event) {
    const message = `A question lapsed: ${event.reason}`;
    change(draft, { status: 'in_progress', message, approval: questionId(event) });
  },
  'step.opened': open,
  'step.started'(_, { call }, { own }) {
    own.card = cards.withCall(own.card, call);
  },
  'text.appended'(draft, { channel, text }, step) {
    const { role, brought } = step.own;
    switch (channel) {
      case 'content':
        brought.said = parts.withText(brought.said, text);
        if (role === 'message') thinking.speak(draft, step, text);
        return;
      case 'reasoning':
        brought.mused = gathered(brought.mused, text, parts.lengths.reasoning);
        return;
      case 'log':
        return thinking.thinkAt(draft, step, text);
      // The arguments of a call are the query of its own card.
      case 'arguments':
    }
  },
  'item.attached'(draft, { item }, step) {
    if (item.kind === 'action') return act(draft, step, item);
    step.own.brought.shown.push(cards.visualizationOf(item, thinking.agentAt(draft, step)));
  },
  'step.closed': close,
  'step.retried'(draft, { attempt, reason, call }, step) {
    const { own, title } = step;
    thinking.thinkAt(draft, step, `Retrying ${title || 'a step'} (attempt ${attempt}): ${reason}`);
    own.brought = parts.nothing();
    own.card = cards.withCall(own.card, call);
    thinking.restartSpeech(draft, step);
  },
  'notice.posted'(draft, { code, message }, step) {
    if (!step.own.card || !thinking.toldByCards.has(code)) thinking.thinkAt(draft, step, message);
  },
  unknown: (draft, event, step) => thinking.thinkAt(draft, step, unknownNotice(event).message),
  // Clients take a message of the user for the beginning of a turn, and drop what follows.
  'message.queued': (draft, { text }) => thinking.think(draft, 'User', text),
};

function change({ frames }: Draft, told: Change): void {
  frames.push({ type: 'changed', change: told });
}

function open(draft: Draft, opening: EventOf<'step.opened'>, step: Step): void {
  const { story, memory, frames } = draft;
  const { own } = step;
  const outer = parentOf(story, step);
  thinking.endSpeech(draft, story.run, 'aside');
  if (own.role !== 'card') {
    // Whoever takes up a failure may open a step for it.
    [own.failed, outer.own.failed] = [outer.own.failed, undefined];
    return thinking.thinkAt(draft, step, thinking.activityOf(opening, own.role));
  }
  thinking.tellFailure(draft, outer);
  memory.cards += 1;
  const { card: above } = thinking.ownerOf(draft, outer).own;
  const thought = memory.thought || undefined;
  own.card = cards.newCard(opening, { number: memory.before + memory.cards, above, thought });
  memory.thought = '';
  thinking.quieten(draft);
  frames.push({ type: 'card.opened', card: own.card, agent: thinking.nameOf(step) });
}

function close(draft: Draft, closing: Closing, step: Step): void {
  const { role, brought, card } = step.own;
  const { failure, outcome } = closing;
  const outer = parentOf(draft.story, step);
  thinking.tellFailure(draft, step, failure?.message);
  // A person's no ends all that was to come of it, and none of that has failed.
  const isNo = outcome === 'skipped' && failure?.code === 'refused';
  if (isNo || cards.isDeclined(step, failure)) outer.own.declined = failure?.message;
  if (card) return closeCard(draft, closing, { step, card });
  if (role === 'message') thinking.endSpeech(draft, step, outcome === 'stopped' ? 'stopped' : 'whole');
  const said = parts.shownText(brought.said) ?? '';
  const thought = said || brought.mused;
  if (role === 'message' && thought !== '')
    draft.memory.thought = cutWith(thought, parts.lengths.reasoning, '…');
  if (role === 'thinking' && !thinking.isForMachines(said)) thinking.thinkAt(draft, step, said);
  // What was the last thing to be said need not be said again.
  if (failure && !thinking.isTold(failure, draft.memory.line)) {
    thinking.tellFailure(draft, outer, failure.message);
    outer.own.failed = failure;
  }
  const kept = role === 'part' ? brought : { ...brought, said: parts.unsaid, mused: '' };
  parts.handUp(thinking.ownerOf(draft, step).own.brought, kept);
}

function closeCard(draft: Draft, closing: Closing, { step, card }: cards.Carded): void {
  const { query, body } = cards.endedCard({ step, card }, closing, draft.at);
  const agent = thinking.nameOf(step);
  draft.frames.push({ type: 'card.closed', card: { ...card, query }, agent, body });
  thinking.quieten(draft);
  const home = thinking.ownerOf(draft, parentOf(draft.story, step));
  if (home.id === 0) return;
  const { below } = home.own.brought;
  const result_summary = cutWith(body.response, parts.lengths.summary, '…');
  below.push({ index: below.length + 1, query, result_summary, agent });
}

/**
 * An action is told once, on the card that took it: agents attach what they did to the stage in which they did it, and
 * to their answer again.
 */
function act(draft: Draft, step: Step, { name, data }: Extract<Item, { kind: 'action' }>): void {
  const action = JSON.stringify([name, data]);
  const within = around(draft.story, step).filter((each) => each.own.card);
  const [{ own }, ...outer] = [...within, draft.story.run];
  if (own.acts.get(action) === 'below' || outer.some((each) => each.own.acts.get(action) === 'own')) return;
  if (!own.acts.has(action)) {
    draft.frames.push({ type: 'acted', number: own.card?.number ?? 0, name, data });
    own.acts.set(action, 'own');
    for (const each of outer) each.own.acts.set(action, 'below');
  }
  step.own.brought.action = { name, data };
}
