import type { DottedFrame } from '../../wire/console.ts';
import { isoTime } from '../time-text.ts';
import { ending, heard, type Names } from './happening.ts';
import type { Card } from './part.ts';
import { consoleRun, type ConsoleOptions } from './run.ts';

/** The network-operations console, second generation: calls with ids, and messages in pieces. */
export const dottedConsoleProjection = (options: ConsoleOptions) => consoleRun(options, names);

/** An action is told with the call it belongs to. */
const names: Names<DottedFrame> = {
  began: (began, { run, at }) => [
    ...heard(began),
    { event: 'run.start', data: { run_id: run, alert: began.text, timestamp: isoTime(at) } },
    { event: 'session.created', data: { session_id: began.thread, thread_id: began.thread } },
  ],
  thought: ({ agent, status }) => [{ event: 'status', data: { message: `${agent}: ${status}` } }],
  'card.opened'({ card, agent }, { run, at }) {
    const data = { ...about(card, agent, run), timestamp: isoTime(at), reasoning: card.reasoning };
    return [{ event: 'tool_call.start', data }];
  },
  'card.closed': ({ card, agent, body }, { run }) => [
    { event: 'tool_call.complete', data: { ...about(card, agent, run), ...body } },
  ],
  'speech.begun': ({ id }) => [{ event: 'message.start', data: { id } }],
  'speech.grew': ({ id, text }) => [{ event: 'message.delta', data: { id, text } }],
  'speech.ended': ({ id, text }) => [{ event: 'message.complete', data: { id, text } }],
  changed: ({ change }) => [{ event: 'status', data: change }],
  ended(end, { run }) {
    const { text, visualizations } = end.message;
    const { steps, time } = end.figures;
    const id = `${run}-answer`;
    const message: DottedFrame[] = [
      { event: 'message.start', data: { id } },
      { event: 'message.complete', data: { id, text, visualizations } },
    ];
    const status = end.outcome === 'stopped' ? 'cancelled' : undefined;
    const isNews = (text !== '' && !end.isSaid) || visualizations !== undefined;
    const last = ending<DottedFrame>(end, { event: 'run.complete', data: { steps, time, status } });
    return [...(isNews ? message : []), ...last];
  },
};

function about({ step, number, query, parent }: Card, agent: string, run: string) {
  const above = parent && `${run}-s${parent.step}`;
  return { id: `${run}-s${step}`, step: number, agent, query, parent: above };
}
