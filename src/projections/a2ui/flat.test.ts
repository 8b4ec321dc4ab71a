import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EchoClient } from '../../../test/echo-client.ts';
import { callTo, closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import { variedRuns } from '../../../test/variety.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import { foldAll } from '../../run/entries.ts';
import { projectionContract } from '../projection.contract.ts';
import { a2uiProtocols } from './a2ui.ts';
import { flatProjection } from './flat.ts';

projectionContract('a2ui-flat', flatProjection({ run: 'r' }));

const flat = a2uiProtocols['a2ui-flat'];

function told(entries: readonly Entry[]): string[][] {
  const telling = flat.telling({ run: 'r' });
  return entries.map((entry) => telling.tell(entry).map(({ data }) => data));
}

function prelude(entries: readonly Entry[]): string[] {
  return (flat.prelude?.(foldAll(entries), { run: 'r' }) ?? []).map(({ data }) => data);
}

function seen(...lines: readonly (readonly string[])[]): unknown {
  const client = new EchoClient();
  for (const line of lines.flat()) client.take(line);
  return client.state('exec_r');
}

test('[UI9] one who comes back at any entry ends with what one sees who had it all', () => {
  fc.assert(
    fc.property(plausibleRun, fc.nat(), (entries, cut) => {
      const place = 1 + (cut % entries.length);
      const frames = told(entries);
      const back = seen(...frames.slice(0, place), prelude(entries.slice(0, place)), ...frames.slice(place));
      expect(back).toEqual(seen(...frames));
    }),
    { numRuns: 150 },
  );
});

test('[UI9] it begins with the surface at once, and tells each entry in one message', () => {
  const [first = [], ...rest] = told(
    journal(started(), opened(1, 0, callTo('look', {})), said(1, 'seen'), closed(1), ended('Done.')),
  );
  expect(first.map((line) => JSON.parse(line).type)).toEqual([
    'surfaceUpdate',
    'dataModelUpdate',
    'beginRendering',
  ]);
  expect(rest.every((lines) => lines.length <= 1)).toBe(true);
  expect(JSON.parse(rest.at(-1)?.[0] ?? '').data).toMatchObject({
    title: 'Completed',
    final_output: 'Done.',
  });
});

test('[UI9] of many rows the two hundred that changed last are sent, and how many there are besides', () => {
  const events: RunEvent[] = [started()];
  for (let step = 1; step <= 500; step += 1) events.push(opened(step, 0), closed(step));
  const frames = told(journal(...events, ended('Done.'))).flat();
  const { steps } = JSON.parse(frames.at(-1) ?? '').data as { steps: { label: string }[] };
  expect(steps).toHaveLength(201);
  expect(steps[0]?.label).toBe('300 more steps');
  expect(steps.at(-1)?.label).toBe('Step 500');
});

describe('[PL80] lists are sent at a pace', () => {
  const every = (milliseconds: number, events: readonly RunEvent[]): readonly Entry[] =>
    journal(...events).map((entry, i) => ({ ...entry, at: 1_000_000 + i * milliseconds }));
  const lists = (entries: readonly Entry[]): readonly Entry[] =>
    told(entries).flatMap((lines, i) => {
      const isList = lines.some((line) => 'steps' in (JSON.parse(line).data ?? {}));
      return isList ? (entries[i] ?? []) : [];
    });
  const many = (count: number): readonly RunEvent[] =>
    Array.from({ length: count }, (_, i) => [opened(i + 1, 0), closed(i + 1)]).flat();

  test('forty at once, then four a second by the times of the entries, and the last of them', () => {
    const entries = every(10, [started(), ...many(1_000), ended('Done.')]);
    const seconds = (entries.length * 10) / 1_000;
    const sent = lists(entries);
    expect(sent.length).toBeGreaterThan(seconds * 4);
    expect(sent.length).toBeLessThanOrEqual(40 + seconds * 4 + 2);
    const late = sent.filter(({ at }) => at >= 1_010_000);
    for (const { at } of late)
      expect(late.filter((one) => one.at > at && one.at <= at + 1_000).length).toBeLessThanOrEqual(5);
    expect(sent.at(-1)?.event.type).toBe('run.ended');
  });

  test('those of steps that take their time are all sent', () => {
    const entries = every(250, [started(), ...many(200), ended('Done.')]);
    expect(lists(entries)).toHaveLength(entries.length);
  });

  test('what waited is told with the next entry that is late enough, whatever it says', () => {
    const [...first] = every(0, [started(), ...many(60)]);
    const last = { ...(first.at(-1) as Entry), seq: first.length + 1, at: 1_000_300, event: said(0, 'so') };
    expect(lists(first).length).toBeLessThan(first.length);
    const sent = told([...first, last]).at(-1) ?? [];
    const { steps } = JSON.parse(sent[0] ?? '').data as { steps: unknown[] };
    expect(steps).toHaveLength(60);
  });

  test('stages, skills and questions do not wait', () => {
    const stage = (step: number, key: string) => opened(step, 0, { kind: 'stage', key });
    const entries = every(0, [
      started(),
      stage(1, 'execute'),
      opened(2, 1, { key: 'skill_1' }),
      ...Array.from({ length: 60 }, (_, i) => [opened(i + 3, 2), closed(i + 3)]).flat(),
      opened(90, 1, { key: 'skill_2' }),
      closed(2),
      opened(91, 90),
      {
        type: 'approval.requested',
        approval: 'a',
        step: 91,
        title: 'Send it?',
        fingerprint: 'f',
        arguments: {},
        priority: 'low',
        allowed: ['approve'],
      },
      closed(91),
    ]);
    const sent = new Set(lists(entries).map(({ seq }) => entries.length - seq));
    expect([...sent].filter((fromEnd) => fromEnd < 5)).toEqual([4, 3, 1, 0]);
  });
});

/** Each entry comes late enough for a list of its own. */
function unhurried(entries: readonly Entry[]): readonly Entry[] {
  return entries.map((entry) => ({ ...entry, at: entry.seq * 1_000 }));
}

/** What is wrong with these messages, by the page that reads them and by the tree; nothing is the empty text. */
function faultIn(entries: readonly Entry[], frames: readonly (readonly string[])[]): string {
  const client = new EchoClient();
  for (const [i, ofEntry] of frames.entries()) {
    for (const line of ofEntry) {
      const before = client.holds();
      client.take(line);
      if (client.holds() === before) return `it changes nothing: ${line}`;
    }
    const [shown, wanted] = [client.state('exec_r'), seen(prelude(entries.slice(0, i + 1)))];
    if (shape(shown) !== shape(wanted) || isBehind(outputOf(shown), outputOf(wanted)))
      return `after entry ${i + 1} it is ${JSON.stringify(shown)} and not ${JSON.stringify(wanted)}`;
  }
  const [shown, wanted] = [client.state('exec_r'), seen(prelude(entries))].map((state) =>
    JSON.stringify(state),
  );
  return shown === wanted ? '' : `in the end it is ${shown} and not ${wanted}`;
}

/** What a step says while it works is told later, but for its beginning; all of it has to be there in the end. */
function shape(state: unknown): string {
  return JSON.stringify(state, (key, value: unknown) =>
    key === 'detail' ? String(value).slice(0, 1) : key === 'final_output' ? '' : value,
  );
}

function outputOf(state: unknown): string {
  return (state as { final_output?: string } | undefined)?.final_output ?? '';
}

/** The output may lack less than half as much again as is shown. */
function isBehind(shown: string, wanted: string): boolean {
  const missing = wanted.length - shown.length;
  return !wanted.startsWith(shown) || (missing > 0 && missing >= shown.length / 2);
}

test('[PR62] each message changes what is seen, and after each entry it is what the tree says', () => {
  fc.assert(
    fc.property(plausibleRun, (hurried) => {
      const entries = unhurried(hurried);
      expect(faultIn(entries, told(entries))).toBe('');
    }),
    { numRuns: 60 },
  );
});

test('[PR62] a message that is missing, comes twice or changes places with its neighbour is noticed', () => {
  const runs = [...variedRuns(4, 60), journal(...talkative)].map(unhurried);
  const unnoticed: string[] = [];
  const tried = new Map<string, number>();
  for (const entries of runs) {
    const frames = told(entries);
    for (const { how, changed, line } of tampered(frames)) {
      tried.set(how, (tried.get(how) ?? 0) + 1);
      if (faultIn(entries, changed) === '') unnoticed.push(`${how}: ${line}`);
    }
  }
  expect(unnoticed).toEqual([]);
  for (const how of ['dropped', 'doubled', 'swapped']) expect(tried.get(how), how).toBeGreaterThan(60);
});

/** An answer in many pieces, begun twice. */
const talkative: readonly RunEvent[] = [
  started(),
  opened(1, 0, { kind: 'answer' }),
  ...Array.from({ length: 20 }, (_, i) => said(1, `word ${i} `)),
  retried(1),
  ...Array.from({ length: 20 }, (_, i) => said(1, `other ${i} `)),
  closed(1),
  ended('Done.'),
];

type Frames = readonly (readonly string[])[];

function* tampered(frames: Frames): Iterable<{ how: string; changed: Frames; line: string }> {
  for (const [place, ofEntry] of frames.entries())
    for (const [i, line] of ofEntry.entries()) {
      yield { how: 'dropped', line, changed: frames.with(place, ofEntry.toSpliced(i, 1)) };
      yield { how: 'doubled', line, changed: frames.with(place, ofEntry.toSpliced(i, 0, line)) };
      const next = frames.findIndex((other, at) => at > place && other.length > 0);
      const [first] = frames[next] ?? [];
      if (i < ofEntry.length - 1 || first === undefined) continue;
      const swapped = frames
        .with(place, ofEntry.with(i, first))
        .with(next, (frames[next] ?? []).with(0, line));
      yield { how: 'swapped', line, changed: swapped };
    }
}
