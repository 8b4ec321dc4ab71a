import type { DottedFrame } from '../../wire/console.ts';
import type { Projection } from '../projection.ts';
import type { Place } from '../story-projection.ts';
import { isoTime, seconds } from '../time-text.ts';
import type { Memory } from './draft.ts';
import { closedCard, doneStatus, some } from './generations.ts';
import type { Names, ShownCard } from './happening.ts';
import type { Part } from './part.ts';
import { consoleRun, type ConsoleOptions } from './run.ts';

/** The network-operations console, second generation: calls with ids, and messages in pieces. */
export function dottedConsoleProjection(
  options: ConsoleOptions,
): Projection<Place<Memory, Part>, DottedFrame> {
  return consoleRun(options, names);
}

/** An action is told with the call it belongs to. */
const names: Names<DottedFrame> = {
  began({ text, thread, isFollowUp }, { run, at }) {
    const heard: DottedFrame[] = isFollowUp ? [{ event: 'user_message', data: { text } }] : [];
    return [
      ...heard,
      { event: 'run.start', data: { run_id: run, alert: text, timestamp: isoTime(at) } },
      { event: 'session.created', data: { session_id: thread, thread_id: thread } },
    ];
  },
  thought: ({ agent, status }) => [{ event: 'status', data: { message: `${agent}: ${status}` } }],
  'card.opened'({ card }, { run, at }) {
    const data = { ...about(card, run), timestamp: isoTime(at), reasoning: card.reasoning };
    return [{ event: 'tool_call.start', data }];
  },
  'card.closed'(happening, { run, at }) {
    const { card, brought } = happening;
    const more = { reasoning: card.reasoning, sub_steps: some(brought.below) };
    const data = { ...about(card, run), ...closedCard(happening, at, more) };
    return [{ event: 'tool_call.complete', data }];
  },
  'speech.begun': ({ id }) => [{ event: 'message.start', data: { id } }],
  'speech.grew': ({ id, text }) => [{ event: 'message.delta', data: { id, text } }],
  'speech.ended': ({ id, text }) => [{ event: 'message.complete', data: { id, text } }],
  changed: ({ change }) => [{ event: 'status', data: change }],
  ended({ outcome, answer, isSaid, shown, failure, cards, milliseconds }, { run }) {
    const id = `${run}-answer`;
    const message: DottedFrame[] = [
      { event: 'message.start', data: { id } },
      { event: 'message.complete', data: { id, text: answer, visualizations: some(shown) } },
    ];
    const status = outcome === 'stopped' ? 'cancelled' : undefined;
    const end: DottedFrame =
      outcome === 'failed'
        ? { event: 'error', data: { message: failure } }
        : { event: 'run.complete', data: { steps: cards, time: seconds(milliseconds), status } };
    const isNews = (answer !== '' && !isSaid) || shown.length > 0;
    return [...(isNews ? message : []), end, { event: 'done', data: { status: doneStatus(outcome) } }];
  },
};

function about({ step, number, agent, query, parent, parentStep }: ShownCard, run: string) {
  const above = parent === undefined ? undefined : `${run}-s${parentStep}`;
  return { id: `${run}-s${step}`, step: number, agent, query, parent: above };
}
