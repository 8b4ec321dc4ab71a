import type { z } from 'zod';
import { parsed } from '../../run/values.ts';
import { TraceFilter, type TraceEvent } from '../../wire/trace.ts';

/** The newest events that fit, oldest first, and how many there are in all; `offset` goes back from the newest. */
export function queryTrace(events: readonly TraceEvent[], filter: TraceFilter) {
  const { limit, offset } = readFilter(filter);
  const fitting = fittingEvents(events, filter);
  const end = Math.max(0, fitting.length - offset);
  return { events: fitting.slice(Math.max(0, end - limit), end), total: fitting.length };
}

/** All events that fit, whatever page is wanted. */
export function fittingEvents(events: readonly TraceEvent[], filter: TraceFilter): readonly TraceEvent[] {
  const { text, since, until, ...wanted } = readFilter(filter);
  return events.filter((event) => {
    const { summary, toolName = '', details } = event;
    const at = Date.parse(event.timestamp);
    const said = (): string => `${summary} ${toolName} ${JSON.stringify(details)}`.toLowerCase();
    return (
      exact.every((field) => wanted[field] === undefined || event[field] === wanted[field]) &&
      (since === undefined || at >= Date.parse(since)) &&
      (until === undefined || at < Date.parse(until)) &&
      (text === undefined || said().includes(text.toLowerCase()))
    );
  });
}

const exact = ['projectId', 'type', 'source', 'requestId'] as const;

function readFilter(filter: TraceFilter): z.output<typeof TraceFilter> {
  return parsed(TraceFilter, filter, 'The filter of a trace');
}
