import type { ConsoleFrame } from '../../wire/console.ts';
import { lengths } from './lengths.ts';
import { orchestrator, type Memory } from './draft.ts';
import { consoleRun, type ConsoleOptions } from './run.ts';
import type { Happening, ShownCard } from './story.ts';
import { cutWith } from '../preferences/cut.ts';
import type { Projection } from '../projection.ts';
import { isoTime, seconds } from '../time-text.ts';

/** The network-operations console, first generation: step cards that unfold. */
export function consoleProjection(options: ConsoleOptions): Projection<Memory, ConsoleFrame> {
  return consoleRun(options, named);
}

function named(happening: Happening, run: string): ConsoleFrame[] {
  switch (happening.type) {
    case 'began': {
      const { text, thread, at, isFollowUp } = happening;
      const start: ConsoleFrame = {
        event: 'run_start',
        data: { run_id: run, alert: text, timestamp: isoTime(at) },
      };
      // On re-opening, clients drop what stands between a message of the user and the next start.
      const heard: ConsoleFrame[] = isFollowUp ? [{ event: 'user_message', data: { text } }] : [];
      return [...heard, start, { event: 'thread_created', data: { thread_id: thread } }];
    }
    case 'thought': {
      const { agent, status } = happening;
      return [{ event: 'step_thinking', data: { agent, status } }];
    }
    case 'card.opened':
      return opened(happening);
    case 'card.closed':
      return closed(happening);
    case 'acted': {
      const { number, name, data, at } = happening;
      const acted = { step: number, action_name: name, action_data: data, timestamp: isoTime(at) };
      return [{ event: 'action_executed', data: acted }];
    }
    case 'changed': {
      const { type: _, number, ...change } = happening;
      return [{ event: 'status_change', data: number === undefined ? change : { ...change, step: number } }];
    }
    case 'ended':
      return ended(happening);
    case 'speech.ended': {
      const { aside: status } = happening;
      return status === '' ? [] : [{ event: 'step_thinking', data: { agent: orchestrator, status } }];
    }
    // Words before a card are the reasoning of that card here, and the answer comes whole.
    case 'speech.begun':
    case 'speech.grew':
      return [];
  }
}

function opened({ card, at }: Extract<Happening, { type: 'card.opened' }>): ConsoleFrame[] {
  const { number: step, agent } = card;
  const started = { ...about(card), timestamp: isoTime(at), ...reasoned(card, (text) => text) };
  return [
    { event: 'step_start', data: { step, agent } },
    { event: 'step_started', data: started },
  ];
}

function closed({
  card,
  ended: { response, isError, isBlocked },
  visualizations,
  action,
  at,
}: Extract<Happening, { type: 'card.closed' }>): ConsoleFrame[] {
  const data = {
    ...about(card),
    duration: seconds(card.milliseconds),
    response,
    timestamp: isoTime(at),
    ...(visualizations.length > 0 ? { visualizations: [...visualizations] } : {}),
    ...reasoned(card, (text) => cutWith(text, lengths.reasoning, '…')),
    ...(isError ? { error: true as const } : {}),
    ...(isBlocked ? { blocked: true as const } : {}),
    ...(action ? { is_action: true as const, action: action.data } : {}),
  };
  return [
    { event: 'step_response', data },
    { event: 'step_complete', data },
  ];
}

function ended(happening: Extract<Happening, { type: 'ended' }>): ConsoleFrame[] {
  const { outcome, answer, isPartial, visualizations, failure, cards, tokens, milliseconds } = happening;
  const frames: ConsoleFrame[] = [];
  const shown = {
    ...(visualizations.length > 0 ? { visualizations: [...visualizations] } : {}),
    ...(isPartial ? { partial: true as const } : {}),
  };
  if (answer !== '' || visualizations.length > 0) {
    frames.push({ event: 'message', data: { text: answer, ...shown } });
  }
  if (outcome === 'failed') {
    frames.push({ event: 'error', data: { message: failure } });
    return [...frames, { event: 'done', data: { status: 'failed' } }];
  }
  frames.push({ event: 'run_complete', data: { steps: cards, tokens, time: seconds(milliseconds) } });
  const status = outcome === 'stopped' ? 'cancelled' : 'completed';
  return [...frames, { event: 'done', data: { status } }];
}

function about({ number: step, agent, query, parent }: ShownCard) {
  return { step, agent, query, ...(parent === undefined ? {} : { parent }) };
}

function reasoned({ reasoning, thought }: ShownCard, shape: (text: string) => string) {
  const text = reasoning ?? thought;
  return text === undefined ? {} : { reasoning: shape(text) };
}
