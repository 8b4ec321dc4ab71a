import type { ConsoleFrame } from '../../wire/console.ts';
import { isoTime } from '../time-text.ts';
import { ending, heard, type Names } from './happening.ts';
import type { Card } from './part.ts';
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
    const { number: step, reasoning = card.thought } = card;
    return [
      { event: 'step_start', data: { step, agent } },
      { event: 'step_started', data: { ...about(card, agent), timestamp: isoTime(at), reasoning } },
    ];
  },
  'card.closed'({ card, agent, body }) {
    const { reasoning = card.thought } = body;
    const data = { ...about(card, agent), ...body, reasoning, sub_steps: undefined };
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
    const { message: data, figures } = end;
    const message: ConsoleFrame[] =
      data.text !== '' || data.visualizations ? [{ event: 'message', data }] : [];
    return [...message, ...ending<ConsoleFrame>(end, { event: 'run_complete', data: figures })];
  },
};

function about({ number: step, query, parent }: Card, agent: string) {
  return { step, agent, query, parent: parent?.number };
}
