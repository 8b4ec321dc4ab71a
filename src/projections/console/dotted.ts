import type { StepId } from '../../run/events.ts';
import type { DottedFrame } from '../../wire/console.ts';
import { lengths } from './lengths.ts';
import type { Memory } from './draft.ts';
import { consoleRun, type ConsoleOptions } from './run.ts';
import type { Happening, ShownCard } from './story.ts';
import { cutWith } from '../preferences/cut.ts';
import type { Projection } from '../projection.ts';
import { isoTime, seconds } from '../time-text.ts';

/** The network-operations console, second generation: calls with ids, and messages in pieces. */
export function dottedConsoleProjection(options: ConsoleOptions): Projection<Memory, DottedFrame> {
  return consoleRun(options, named);
}

function named(happening: Happening, run: string): DottedFrame[] {
  switch (happening.type) {
    case 'began':
      return began(happening, run);
    case 'thought':
      return [{ event: 'status', data: { message: `${happening.agent}: ${happening.status}` } }];
    case 'card.opened': {
      const { card, step, at } = happening;
      const reasoning = card.reasoning === undefined ? {} : { reasoning: card.reasoning };
      const data = { ...about(card, step, run), timestamp: isoTime(at), ...reasoning };
      return [{ event: 'tool_call.start', data }];
    }
    case 'card.closed':
      return closed(happening, run);
    case 'speech.begun':
      return [{ event: 'message.start', data: { id: happening.id } }];
    case 'speech.grew':
      return [{ event: 'message.delta', data: { id: happening.id, text: happening.text } }];
    case 'speech.ended':
      return [{ event: 'message.complete', data: { id: happening.id, text: happening.text } }];
    case 'changed': {
      const { type: _, number, ...change } = happening;
      return [{ event: 'status', data: number === undefined ? change : { ...change, step: number } }];
    }
    case 'ended':
      return ended(happening, run);
    // An action is told with the call it belongs to.
    case 'acted':
      return [];
  }
}

function began(
  { text, thread, at, isFollowUp }: Extract<Happening, { type: 'began' }>,
  run: string,
): DottedFrame[] {
  const heard: DottedFrame[] = isFollowUp ? [{ event: 'user_message', data: { text } }] : [];
  return [
    ...heard,
    { event: 'run.start', data: { run_id: run, alert: text, timestamp: isoTime(at) } },
    { event: 'session.created', data: { session_id: thread, thread_id: thread } },
  ];
}

function closed(
  {
    card,
    step,
    ended: { response, isError, isBlocked },
    visualizations,
    action,
    below,
    at,
  }: Extract<Happening, { type: 'card.closed' }>,
  run: string,
): DottedFrame[] {
  const { reasoning } = card;
  const subSteps = below.map((each, i) => ({ index: i + 1, ...each }));
  const data = {
    ...about(card, step, run),
    duration: seconds(card.milliseconds),
    response,
    timestamp: isoTime(at),
    ...(visualizations.length > 0 ? { visualizations: [...visualizations] } : {}),
    ...(reasoning === undefined ? {} : { reasoning: cutWith(reasoning, lengths.reasoning, '…') }),
    ...(subSteps.length > 0 ? { sub_steps: subSteps } : {}),
    ...(isError ? { error: true as const } : {}),
    ...(isBlocked ? { blocked: true as const } : {}),
    ...(action ? { is_action: true as const, action: action.data } : {}),
  };
  return [{ event: 'tool_call.complete', data }];
}

function ended(happening: Extract<Happening, { type: 'ended' }>, run: string): DottedFrame[] {
  const { outcome, answer, isSaid, visualizations, failure, cards, milliseconds } = happening;
  const frames: DottedFrame[] = [];
  const shown = visualizations.length > 0 ? { visualizations: [...visualizations] } : {};
  if ((answer !== '' && !isSaid) || visualizations.length > 0) {
    const id = `${run}-answer`;
    frames.push({ event: 'message.start', data: { id } });
    frames.push({ event: 'message.complete', data: { id, text: answer, ...shown } });
  }
  if (outcome === 'failed') {
    frames.push({ event: 'error', data: { message: failure } });
    return [...frames, { event: 'done', data: { status: 'failed' } }];
  }
  const status = outcome === 'stopped' ? 'cancelled' : 'completed';
  const stopped = outcome === 'stopped' ? { status: 'cancelled' as const } : {};
  frames.push({ event: 'run.complete', data: { steps: cards, time: seconds(milliseconds), ...stopped } });
  return [...frames, { event: 'done', data: { status } }];
}

function about({ number, agent, query, parentStep }: ShownCard, step: StepId, run: string) {
  const parent = parentStep === undefined ? {} : { parent: callId(run, parentStep) };
  return { id: callId(run, step), step: number, agent, query, ...parent };
}

function callId(run: string, step: StepId): string {
  return `${run}-s${step}`;
}
