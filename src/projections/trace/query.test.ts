import { describe, expect, test } from 'vitest';
import type { TraceEvent } from '../../wire/trace.ts';
import { queryTrace } from './query.ts';

const events = Array.from({ length: 120 }, (_, i): TraceEvent => {
  const isTool = i % 3 === 0;
  return {
    id: `e${i}`,
    timestamp: new Date(i).toISOString(),
    projectId: i % 2 === 0 ? 'P1' : 'P2',
    requestId: 'r',
    metadata: { requestId: 'r' },
    source: isTool ? 'tool' : 'orion',
    type: isTool ? 'tool_call' : 'llm_call',
    summary: 's',
    details: {},
  };
});

const ids = (page: { events: readonly TraceEvent[] }): string[] => page.events.map(({ id }) => id);

describe('a query over the trace', () => {
  test('[C63] gives the newest fifty of a project, oldest first, and how many there are', () => {
    const page = queryTrace(events, { projectId: 'P1' });
    expect(page.total).toBe(60);
    expect(page.events).toHaveLength(50);
    expect(ids(page).slice(-2)).toEqual(['e116', 'e118']);
  });

  test('[C63] goes back from the newest, to the oldest and no further', () => {
    expect(ids(queryTrace(events, { projectId: 'P1', limit: 2, offset: 2 }))).toEqual(['e112', 'e114']);
    expect(ids(queryTrace(events, { projectId: 'P1', limit: 5, offset: 58 }))).toEqual(['e0', 'e2']);
    expect(queryTrace(events, { projectId: 'P1', offset: 90 })).toEqual({ events: [], total: 60 });
  });

  test('[C63] by type and by source', () => {
    expect(queryTrace(events, { projectId: 'P1', type: 'tool_call' }).total).toBe(20);
    expect(queryTrace(events, { projectId: 'P1', source: 'orion' }).total).toBe(40);
    expect(queryTrace(events, { projectId: 'P1', source: 'orion', type: 'tool_call' }).total).toBe(0);
    expect(queryTrace(events, { projectId: 'P3' })).toEqual({ events: [], total: 0 });
  });

  test.for([
    { filter: { projectId: '' }, says: /projectId/ },
    { filter: { projectId: 'P1', limit: 0 }, says: /limit/ },
    { filter: { projectId: 'P1', offset: -1 }, says: /offset/ },
  ])('[C63] a wrong one names the field: $says', ({ filter, says }) => {
    expect(() => queryTrace(events, filter)).toThrow(says);
  });
});
