// What is wrong with a run as the official AG-UI client has it.
import type { Message } from '@ag-ui/client';
import { agUiProjection } from '../../src/projections/ag-ui/ag-ui.ts';
import { unwritten } from '../../src/projections/frames.ts';
import type { Entry } from '../../src/run/events.ts';
import type { AgUiEvent } from '../../src/wire/ag-ui.ts';
import { heard, type Heard } from './ag-ui-client.ts';
import { clientStanding, loose, onlyCounting, standingOf } from './ag-ui-judge.ts';

export function told(entries: readonly Entry[]): readonly AgUiEvent[] {
  const telling = unwritten({ projection: agUiProjection({ run: 'r' }), ends: 'question' });
  return entries.flatMap((entry) => telling.tell(entry));
}

export function sse(events: readonly AgUiEvent[]): string {
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
}

/** What is wrong with a telling of these entries, by the official client and the tree; nothing if it is right. */
export async function faults(
  events: readonly AgUiEvent[],
  entries: readonly Entry[],
): Promise<readonly string[]> {
  const given = await heard(sse(events));
  return [...wrongIn(given, entries), ...loose(given)];
}

/** The same for a client that had these messages before. */
export async function joined(
  body: string,
  entries: readonly Entry[],
  messages: readonly Message[],
): Promise<readonly string[]> {
  // What was news before is not told again.
  const wrong = wrongIn(await heard(body, { messages }), entries);
  return wrong.filter((fault) => !fault.startsWith('news: '));
}

function wrongIn(given: Heard, entries: readonly Entry[]): readonly string[] {
  if (given.end.startsWith('broken') || given.end === 'nothing') return [given.end];
  const wanted = standingOf(entries, 'r');
  const found = onlyCounting(clientStanding(given, { run: 'r', entries }), wanted);
  const fields = Object.keys(wanted) as (keyof typeof wanted)[];
  const wrong = fields.filter((field) => {
    // A client forgets what it was asked with the next run that finishes, and not with one that fails.
    if (field === 'interrupts' && given.end.startsWith('error')) return false;
    const [a, b] = [wanted, found].map((standing) => JSON.stringify(sorted(standing[field])));
    return a !== b;
  });
  return [
    ...given.printed,
    ...wrong.map(
      (field) => `${field}: ${JSON.stringify(found[field])} and not ${JSON.stringify(wanted[field])}`,
    ),
  ];
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
