import type { ConsoleFrame } from '../../wire/console.ts';
import type { Projection } from '../projection.ts';
import type { Place } from '../story-projection.ts';
import { isoTime, seconds } from '../time-text.ts';
import { orchestrator, type Memory } from './draft.ts';
import { closedCard, doneStatus, some } from './generations.ts';
import type { Names } from './happening.ts';
import type { Part } from './part.ts';
import { consoleRun, type ConsoleOptions } from './run.ts';

/** The network-operations console, first generation: step cards that unfold. */
export function consoleProjection(options: ConsoleOptions): Projection<Place<Memory, Part>, ConsoleFrame> {
  return consoleRun(options, names);
}

/** Words before a card are the reasoning of that card here, and the answer comes whole. */
const names: Names<ConsoleFrame> = {
  began({ text, thread, isFollowUp }, { run, at }) {
    // On re-opening, clients drop what stands between a message of the user and the next start.
    const heard: ConsoleFrame[] = isFollowUp ? [{ event: 'user_message', data: { text } }] : [];
    const start = { run_id: run, alert: text, timestamp: isoTime(at) };
    const begun: ConsoleFrame = { event: 'run_start', data: start };
    return [...heard, begun, { event: 'thread_created', data: { thread_id: thread } }];
  },
  thought: ({ agent, status }) => [{ event: 'step_thinking', data: { agent, status } }],
  'card.opened'({ card }, { at }) {
    const { number: step, agent, query, parent, reasoning = card.thought } = card;
    const data = { step, agent, query, parent, timestamp: isoTime(at), reasoning };
    return [
      { event: 'step_start', data: { step, agent } },
      { event: 'step_started', data },
    ];
  },
  'card.closed'(happening, { at }) {
    const { number: step, agent, query, parent, reasoning = happening.card.thought } = happening.card;
    const data = { step, agent, query, parent, ...closedCard(happening, at, { reasoning }) };
    return [
      { event: 'step_response', data },
      { event: 'step_complete', data },
    ];
  },
  acted({ number: step, name, data }, { at }) {
    const acted = { step, action_name: name, action_data: data, timestamp: isoTime(at) };
    return [{ event: 'action_executed', data: acted }];
  },
  changed: ({ change }) => [{ event: 'status_change', data: change }],
  'speech.ended': ({ aside: status }) =>
    status === '' ? [] : [{ event: 'step_thinking', data: { agent: orchestrator, status } }],
  ended({ outcome, answer, isPartial, shown, failure, cards, tokens, milliseconds }) {
    const data = { text: answer, visualizations: some(shown), partial: isPartial || undefined };
    const message: ConsoleFrame[] = answer !== '' || shown.length > 0 ? [{ event: 'message', data }] : [];
    const complete = { steps: cards, tokens, time: seconds(milliseconds) };
    const end: ConsoleFrame =
      outcome === 'failed'
        ? { event: 'error', data: { message: failure } }
        : { event: 'run_complete', data: complete };
    return [...message, end, { event: 'done', data: { status: doneStatus(outcome) } }];
  },
};
