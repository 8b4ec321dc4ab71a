import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EchoClient } from '../../../test/echo-client.ts';
import { callTo, closed, ended, journal, opened, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry, RunEvent } from '../../run/events.ts';
import { foldAll } from '../../run/fold.ts';
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
