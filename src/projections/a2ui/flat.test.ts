import fc from 'fast-check';
import { expect, test } from 'vitest';
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

test('[UI9] of many rows the thirty that changed last are sent, and how many there are besides', () => {
  const events: RunEvent[] = [started()];
  for (let step = 1; step <= 100; step += 1) events.push(opened(step, 0), closed(step));
  const frames = told(journal(...events, ended('Done.'))).flat();
  const { steps } = JSON.parse(frames.at(-1) ?? '').data as { steps: { label: string }[] };
  expect(steps).toHaveLength(31);
  expect(steps[0]?.label).toBe('70 more steps');
  expect(steps.at(-1)?.label).toBe('Step 100');
  expect(Math.max(...frames.map(({ length }) => length))).toBeLessThan(5_000);
});
