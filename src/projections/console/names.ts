import type { ConsoleFrame, DottedFrame } from '../../wire/console.ts';
import { isoTime } from '../time-text.ts';
import type { endedCard } from './card.ts';
import type { Card } from './part.ts';
import { orchestrator } from './thinking.ts';

type DataOf<Event> = Extract<ConsoleFrame, { event: Event }>['data'];
export type Change = DataOf<'status_change'>;

/** What happens on a console, whichever generation of names it is told in. */
interface Happenings {
  heard: { text: string };
  began: { text: string; thread: string };
  thought: { agent: string; status: string };
  'card.opened': { card: Card; agent: string };
  'card.closed': { card: Card; agent: string; body: ReturnType<typeof endedCard>['body'] };
  acted: { number: number; name: string; data: unknown };
  'speech.begun': { id: string };
  'speech.grew': { id: string; text: string };
  /** An aside was said by the run itself between its steps, so it is surely not the answer; empty if it is no news. */
  'speech.ended': { id: string; text: string; aside: string };
  changed: { change: Change };
  /** The answer need not be said again where it was the last message. */
  answered: { message: DataOf<'message'>; isSaid: boolean };
  completed: { figures: DataOf<'run_complete'>; isStopped: boolean };
  failed: { message: string };
  done: DataOf<'done'>;
}

export type Happening = {
  [Type in keyof Happenings]: { readonly type: Type } & Readonly<Happenings[Type]>;
}[keyof Happenings];

interface Moment {
  readonly run: string;
  readonly at: number;
}

export type NameOf<Frame, Given> = (happening: Given, moment: Moment) => readonly Frame[];

/** How a generation of the console names what happens. */
export type Names<Frame> = {
  readonly [Type in keyof Happenings]?: NameOf<Frame, Readonly<Happenings[Type]>>;
};

/** What both generations name alike. */
const common: Names<Extract<ConsoleFrame, DottedFrame>> = {
  heard: ({ text }) => [{ event: 'user_message', data: { text } }],
  failed: ({ message }) => [{ event: 'error', data: { message } }],
  done: ({ status }) => [{ event: 'done', data: { status } }],
};

/** Words before a card are the reasoning of that card here, and the answer comes whole. */
export const consoleNames: Names<ConsoleFrame> = {
  ...common,
  began: ({ text, thread }, { run, at }) => [
    { event: 'run_start', data: { run_id: run, alert: text, timestamp: isoTime(at) } },
    { event: 'thread_created', data: { thread_id: thread } },
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
  changed: ({ change: data }) => [{ event: 'status_change', data }],
  'speech.ended': ({ aside: status }) =>
    status === '' ? [] : [{ event: 'step_thinking', data: { agent: orchestrator, status } }],
  answered: ({ message: data }) =>
    data.text === '' && !data.visualizations ? [] : [{ event: 'message', data }],
  completed: ({ figures: data }) => [{ event: 'run_complete', data }],
};

/** Calls have ids here, messages come in pieces, and an action is told with the call it belongs to. */
export const dottedNames: Names<DottedFrame> = {
  ...common,
  began: ({ text, thread }, { run, at }) => [
    { event: 'run.start', data: { run_id: run, alert: text, timestamp: isoTime(at) } },
    { event: 'session.created', data: { session_id: thread, thread_id: thread } },
  ],
  thought: ({ agent, status }) => [{ event: 'status', data: { message: `${agent}: ${status}` } }],
  'card.opened'({ card, agent }, { run, at }) {
    const data = { ...calling(card, agent, run), timestamp: isoTime(at), reasoning: card.reasoning };
    return [{ event: 'tool_call.start', data }];
  },
  'card.closed': ({ card, agent, body }, { run }) => [
    { event: 'tool_call.complete', data: { ...calling(card, agent, run), ...body } },
  ],
  'speech.begun': ({ id }) => [{ event: 'message.start', data: { id } }],
  'speech.grew': ({ id, text }) => [{ event: 'message.delta', data: { id, text } }],
  'speech.ended': ({ id, text }) => [{ event: 'message.complete', data: { id, text } }],
  changed: ({ change: data }) => [{ event: 'status', data }],
  answered({ message: { text, visualizations }, isSaid }, { run }) {
    if ((text === '' || isSaid) && !visualizations) return [];
    const id = `${run}-answer`;
    return [
      { event: 'message.start', data: { id } },
      { event: 'message.complete', data: { id, text, visualizations } },
    ];
  },
  completed({ figures: { steps, time }, isStopped }) {
    const status = isStopped ? 'cancelled' : undefined;
    return [{ event: 'run.complete', data: { steps, time, status } }];
  },
};

function about({ number: step, query, parent }: Card, agent: string) {
  return { step, agent, query, parent: parent?.number };
}

function calling(card: Card, agent: string, run: string) {
  const parent = card.parent && `${run}-s${card.parent.step}`;
  return { id: `${run}-s${card.step}`, ...about(card, agent), parent };
}
