// Clients of AG-UI of before 1.0 (those of CopilotKit, 0.0.58 and earlier) refuse a stream that has an event they do not know.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { heard } from '../../../test/official/ag-ui-client.ts';
import { sse, told } from '../../../test/official/ag-ui-faults.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll } from '../../run/entries.ts';
import type { AgUiEvent } from '../../wire/ag-ui.ts';
import { unwritten } from '../frames.ts';
import { projectionContract } from '../projection.contract.ts';
import { agUiProjection } from './ag-ui.ts';
import { agUiDoors } from './doors.ts';
import { agUiPrelude } from './prelude.ts';

const view = { run: 'r', options: { subagents: 'steps' } };

projectionContract('ag-ui for clients that know no agents', agUiProjection(view));

function toldAsSteps(entries: readonly Entry[]): readonly AgUiEvent[] {
  const telling = unwritten({ projection: agUiProjection(view), ends: 'question' });
  return entries.flatMap((entry) => telling.tell(entry));
}

function expectNoAgents(events: readonly object[]): void {
  expect(JSON.stringify(events)).not.toMatch(/SUBAGENT|"(?:parentS|s)ubagentRunId":/);
}

test('[PR72] of any run agents are steps, and the official client has the same tree, words and end', async () => {
  await fc.assert(
    fc.asyncProperty(plausibleRun, async (entries) => {
      const events = toldAsSteps(entries);
      expectNoAgents(events);
      const [given, usual] = [await heard(sse(events)), await heard(sse(told(entries)))];
      expect(given.printed).toEqual([]);
      expect(given.end).toBe(usual.end);
      const known = ({ messages }: typeof given) => messages.map(({ id, role }) => `${role} ${id}`);
      expect(known(given)).toEqual(known(usual));
    }),
    { numRuns: 100 },
  );
});

test('[PR72] so it is for whoever joins again', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => expectNoAgents(agUiPrelude(foldAll(entries), view))),
    { numRuns: 100 },
  );
});

test('[PR72] whoever asks with ?subagents=steps is told so, also when they come back', () => {
  const [asked, joins] = agUiDoors(undefined);
  const messages = [{ id: 'm', role: 'user', content: 'hi' }];
  const request = {
    params: { app: 'a' },
    body: { threadId: 't', runId: 'r', messages },
    header: () => undefined,
  };
  for (const door of [asked, joins]) {
    expect(door?.read({ ...request, query: { subagents: 'steps' } })).toMatchObject({
      options: view.options,
    });
    expect(door?.read({ ...request, query: {} })).not.toHaveProperty('options');
  }
});
