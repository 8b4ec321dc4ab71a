import type { z } from 'zod';
import { parsed } from '../../run/parsed.ts';
import { TraceFilter, type TraceEvent } from '../../wire/trace.ts';

export interface TracePage {
  /** Oldest first. */
  readonly events: readonly TraceEvent[];
  /** How many there are in all. */
  readonly total: number;
}

/** The newest events that fit; `offset` goes back from the newest. */
export function queryTrace(events: readonly TraceEvent[], filter: TraceFilter): TracePage {
  const { limit, offset } = readFilter(filter);
  const fitting = fittingEvents(events, filter);
  const end = Math.max(0, fitting.length - offset);
  return { events: fitting.slice(Math.max(0, end - limit), end), total: fitting.length };
}

/** All events that fit, whatever page is wanted. */
export function fittingEvents(events: readonly TraceEvent[], filter: TraceFilter): readonly TraceEvent[] {
  const wanted = readFilter(filter);
  return events.filter((event) => isWanted(event, wanted));
}

type Wanted = Omit<z.output<typeof TraceFilter>, 'limit' | 'offset'>;

function readFilter(filter: TraceFilter): z.output<typeof TraceFilter> {
  return parsed(TraceFilter, filter, 'The filter of a trace');
}

const exact = ['projectId', 'type', 'source', 'requestId'] as const;

function isWanted(event: TraceEvent, wanted: Wanted): boolean {
  const { text, since, until } = wanted;
  const at = Date.parse(event.timestamp);
  return (
    exact.every((field) => wanted[field] === undefined || event[field] === wanted[field]) &&
    (since === undefined || at >= Date.parse(since)) &&
    (until === undefined || at < Date.parse(until)) &&
    (text === undefined || saysIt(event, text.toLowerCase()))
  );
}

function saysIt({ summary, toolName = '', details }: TraceEvent, text: string): boolean {
  return `${summary} ${toolName} ${JSON.stringify(details)}`.toLowerCase().includes(text);
}
