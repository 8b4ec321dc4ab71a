import { filled } from '../../run/present.ts';
import type { ConsoleFrame } from '../../wire/console.ts';
import { isoTime, seconds } from '../time-text.ts';
import { done, heard, type Names } from './happening.ts';
import { consoleRun, type ConsoleOptions } from './run.ts';
import { orchestrator } from './thinking.ts';

/** The network-operations console, first generation: step cards that unfold. */
export const consoleProjection = (options: ConsoleOptions) => consoleRun(options, names);

/** Words before a card are the reasoning of that card here, and the answer comes whole. */
const names: Names<ConsoleFrame> = {
  began: (began, { run, at }) => [
    ...heard(began),
    { event: 'run_start', data: { run_id: run, alert: began.text, timestamp: isoTime(at) } },
    { event: 'thread_created', data: { thread_id: began.thread } },
  ],
  thought: ({ agent, status }) => [{ event: 'step_thinking', data: { agent, status } }],
  'card.opened'({ card, agent }, { at }) {
    const { number: step, query, parent, reasoning = card.thought } = card;
    const data = { step, agent, query, parent: parent?.number, timestamp: isoTime(at), reasoning };
    return [
      { event: 'step_start', data: { step, agent } },
      { event: 'step_started', data },
    ];
  },
  'card.closed'({ card, agent, body }) {
    const { number: step, query, parent, thought } = card;
    const { reasoning = thought } = body;
    const face = { step, agent, query, parent: parent?.number };
    const data = { ...face, ...body, reasoning, sub_steps: undefined };
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
  ended(end) {
    const { outcome, answer, isPartial, shown, failure, cards, tokens, milliseconds } = end;
    const data = { text: answer, visualizations: filled(shown), partial: isPartial || undefined };
    const message: ConsoleFrame[] = answer !== '' || shown.length > 0 ? [{ event: 'message', data }] : [];
    const last: ConsoleFrame =
      outcome === 'failed'
        ? { event: 'error', data: { message: failure } }
        : { event: 'run_complete', data: { steps: cards, tokens, time: seconds(milliseconds) } };
    return [...message, last, done(end)];
  },
};
