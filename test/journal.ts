import type { Entry, EventOf, RunEvent } from '../src/run/events.ts';
import type { Json } from '../src/run/values.ts';

/** Entries of a journal that a test writes by hand, a second apart. */
export function journal(...events: readonly RunEvent[]): Entry[] {
  return events.map((event, i) => ({ seq: i + 1, at: Date.UTC(2026, 10, 15) + i * 1_000, event }));
}

export function started(
  text = 'Why is the link down?',
  more: Partial<EventOf<'run.started'>> = {},
): RunEvent {
  const place = { tenant: 't', who: 'ada', app: 'netops', conversation: 'c-1' };
  const flow = { name: 'coordinate', version: '1' };
  return { type: 'run.started', ...place, input: { text }, flow, limits: {}, labels: {}, ...more };
}

export function opened(step: number, parent: number, more: Partial<EventOf<'step.opened'>> = {}): RunEvent {
  return { type: 'step.opened', step, parent, key: `k${step}`, kind: 'step', title: `Step ${step}`, ...more };
}

export function said(
  step: number,
  text: string,
  channel: EventOf<'text.appended'>['channel'] = 'content',
): RunEvent {
  return { type: 'text.appended', step, channel, text };
}

export function closed(step: number, more: Partial<EventOf<'step.closed'>> = {}): RunEvent {
  return { type: 'step.closed', step, outcome: 'completed', ...more };
}

export function retried(step: number, attempt = 2): RunEvent {
  return { type: 'step.retried', step, attempt, reason: 'The worker died.' };
}

export function ended(answer?: string, more: Partial<EventOf<'run.ended'>> = {}): RunEvent {
  const answered = answer === undefined ? {} : { answer };
  return { type: 'run.ended', outcome: 'completed', usage: { input: 7, output: 5 }, ...answered, ...more };
}

export function callTo(tool: string, input: Json): Partial<EventOf<'step.opened'>> {
  return {
    kind: 'call',
    title: tool,
    call: { id: 'c', tool, arguments: input, signature: 's', effect: 'pure' },
  };
}

/** Entries up to their end, which is added where there is none: what follows an end is told to nobody. */
export function upToEnd(entries: readonly Entry[]): Entry[] {
  const end = entries.findIndex(({ event }) => event.type === 'run.ended');
  if (end >= 0) return entries.slice(0, end + 1);
  return [...entries, { seq: entries.length + 1, at: 2_000_000, event: ended('Done.') }];
}
