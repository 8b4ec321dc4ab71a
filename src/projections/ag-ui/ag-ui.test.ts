import { EventSchemas } from '@ag-ui/core/schemas';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import { heard } from '../../../test/official/ag-ui-client.ts';
import { faults, joined, sse, told } from '../../../test/official/ag-ui-faults.ts';
import { callTo, closed, ended, journal, opened, said, started } from '../../../test/journal.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry } from '../../run/events.ts';
import type { AgUiEvent } from '../../wire/ag-ui.ts';
import { unwritten } from '../frames.ts';
import { projectionContract } from '../projection.contract.ts';
import { foldAll } from '../../run/entries.ts';
import { agUiProjection } from './ag-ui.ts';
import { agUiPrelude } from './prelude.ts';

projectionContract('ag-ui', agUiProjection({ run: 'r' }));

test('[AG1] whatever a journal says, every event fits the official schema', () => {
  fc.assert(
    fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
      for (const event of told(entries)) EventSchemas.parse(JSON.parse(JSON.stringify(event)));
    }),
    { numRuns: 300 },
  );
});

test('[AG1] whatever a journal says, the official client bears it and prints nothing', async () => {
  await fc.assert(
    fc.asyncProperty(anyEntries, async (entries) => {
      const events = told(entries);
      if (events.length === 0) return;
      const { end, printed } = await heard(sse(events));
      expect(end).not.toMatch(/^broken/);
      expect(printed).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

test('[AG2] of any run the official client has the steps, words, thoughts, calls and the end', async () => {
  await fc.assert(
    fc.asyncProperty(plausibleRun, async (entries) => {
      expect(await faults(told(entries), entries)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

/** What an event is about. */
function subject(event: AgUiEvent): string {
  const named = event as {
    messageId?: string;
    toolCallId?: string;
    stepName?: string;
    subagentRunId?: string;
  };
  return named.stepName ?? named.toolCallId ?? named.messageId ?? named.subagentRunId ?? event.type;
}

/** The same in either order. */
const bracketed =
  /^(REASONING_START REASONING_MESSAGE_START|REASONING_MESSAGE_END REASONING_END|TEXT_MESSAGE_END SUBAGENT_\w+)$/;

/** What is told again by the next of its kind: only the last of these is missed. */
const repeated = /^(ACTIVITY_DELTA|STATE_DELTA)$/;

test('[AG3] an event that is missing, comes twice or changes places with its neighbour is noticed', async () => {
  const runs = fc.sample(plausibleRun, { numRuns: 40, seed: 3 });
  const hasRetries = (entries: readonly Entry[]) =>
    entries.some(({ event }) => event.type === 'step.retried');
  const small = runs.filter((entries) => entries.length > 30 && entries.length < 90 && !hasRetries(entries));
  const missed: string[] = [];
  const seen = new Set<string>();
  for (const entries of small.slice(0, 3)) {
    const events = told(entries);
    for (const [i, event] of events.entries()) {
      seen.add(event.type);
      const next = events[i + 1];
      const variants: [string, AgUiEvent[]][] = [];
      // To say again how far a step has come does no harm.
      if (!JSON.stringify(event).includes('/detail"'))
        variants.push([`${event.type} twice`, events.toSpliced(i, 0, event)]);
      const isLast = !events.slice(i + 1).some(({ type }) => type === event.type);
      if (isLast || !repeated.test(event.type))
        variants.push([`without ${event.type}`, events.toSpliced(i, 1)]);
      const pair = `${event.type} ${next?.type}`;
      if (next && subject(event) === subject(next) && event.type !== next.type && !bracketed.test(pair))
        variants.push([pair, events.toSpliced(i, 2, next, event)]);
      for (const [name, changed] of variants)
        if ((await faults(changed, entries)).length === 0) missed.push(name);
    }
  }
  expect(missed).toEqual([]);
  expect(seen.size).toBeGreaterThan(15);
});

test('[AG4] whoever joins again, at any entry, comes to the same end, without a word twice', async () => {
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(plausibleRun, fc.nat(), async (entries, cut) => {
      const place = 1 + (cut % entries.length);
      const telling = unwritten({ projection: agUiProjection({ run: 'r' }), ends: 'question' });
      const before = entries.slice(0, place).flatMap((entry) => telling.tell(entry));
      const first = await heard(sse(before));
      const options = { run: 'r', had: first.messages, isResting: telling.isOver };
      const prelude = agUiPrelude(foldAll(entries.slice(0, place)), options);
      for (const event of prelude) EventSchemas.parse(JSON.parse(JSON.stringify(event)));
      seen.add(telling.hasEnded ? 'ended' : telling.isOver ? 'resting' : 'working');
      const rest = entries.slice(place).flatMap((entry) => telling.tell(entry));
      const body = sse([...prelude, ...rest]);
      expect(await joined(body, entries, first.messages)).toEqual([]);
    }),
    { numRuns: 150 },
  );
  expect([...seen].toSorted()).toEqual(['ended', 'resting', 'working']);
});

test('[AG7] where people are asked all that is open is closed, and opened again where the run goes on', () => {
  const about = { approval: 'a', step: 3, title: 'May I?', fingerprint: 'f', priority: 'low' } as const;
  const events = told(
    journal(
      started(),
      opened(1, 0, { kind: 'agent', agent: 'buyer', title: 'Buyer' }),
      opened(2, 1, { title: 'Look' }),
      said(2, 'Half'),
      opened(3, 2, callTo('buy', { item: 1 })),
      { type: 'approval.requested', ...about, allowed: ['approve', 'reject'] },
      { type: 'approval.decided', approval: 'a', decision: 'approve', by: 'ada', shown: 'f' },
      said(2, ' and half'),
      closed(3, { result: 'bought' }),
      closed(2),
      closed(1),
      ended('Done.'),
    ),
  );
  const types = events.map(({ type }) => type).filter((type) => !/^(STATE|ACTIVITY|CUSTOM)/.test(type));
  const rest = types.indexOf('RUN_FINISHED');
  expect(types.slice(rest - 3, rest + 5)).toEqual([
    'TEXT_MESSAGE_END',
    'STEP_FINISHED',
    'SUBAGENT_FINISHED',
    'RUN_FINISHED',
    'RUN_STARTED',
    'SUBAGENT_STARTED',
    'STEP_STARTED',
    'TEXT_MESSAGE_START',
  ]);
  expect(events.find(({ type }) => type === 'SUBAGENT_FINISHED')).toMatchObject({
    outcome: { type: 'suspended', interruptIds: ['a~f'] },
  });
  expect(events.find(({ type }) => type === 'RUN_FINISHED')).toMatchObject({
    outcome: { type: 'interrupt', interrupts: [{ id: 'a~f', toolCallId: 'r-s3', subagentRunId: 'r-s1' }] },
  });
});

test('[AG8] in a flood the tree of steps is patched at most twenty times at once, and ten times a second', () => {
  const steps = Array.from({ length: 300 }, (_, i) => [opened(i + 1, 0), closed(i + 1)]).flat();
  const entries = journal(started(), ...steps, ended('Done.'));
  const flood = (gap: number): AgUiEvent[] =>
    told(entries.map((entry) => ({ ...entry, at: entry.seq * gap }))).filter(
      ({ type }) => type === 'ACTIVITY_DELTA',
    );
  expect(flood(1).length).toBeLessThanOrEqual(20 + 10 * 0.7);
  expect(flood(1_000)).toHaveLength(600);
  const last = JSON.stringify(flood(1));
  for (const i of [1, 150, 300]) expect(last).toContain(`"/steps/s${i}"`);
});
