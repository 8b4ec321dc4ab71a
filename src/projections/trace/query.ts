import { RunError } from '../../run/failure.ts';
import { TraceFilter, type TraceEvent } from '../../wire/trace.ts';

export interface TracePage {
  /** Oldest first. */
  readonly events: readonly TraceEvent[];
  /** How many there are in all. */
  readonly total: number;
}

/** The newest events that fit; `offset` goes back from the newest. */
export function queryTrace(events: readonly TraceEvent[], filter: TraceFilter): TracePage {
  const checked = TraceFilter.safeParse(filter);
  if (!checked.success) {
    const [issue] = checked.error.issues;
    const field = issue?.path.join('.') || 'filter';
    throw new RunError(
      'malformed',
      `The trace cannot be searched: ${field}: ${issue?.message ?? 'it is wrong'}.`,
    );
  }
  const { projectId, type, source, limit, offset } = checked.data;
  const fitting = events.filter(
    (event) =>
      event.projectId === projectId &&
      (type === undefined || event.type === type) &&
      (source === undefined || event.source === source),
  );
  const end = Math.max(0, fitting.length - offset);
  return { events: fitting.slice(Math.max(0, end - limit), end), total: fitting.length };
}
