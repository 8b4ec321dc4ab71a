import { uiMessageChunkSchema } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import { closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import {
  answers,
  drawn,
  faultsIn,
  heard,
  isFailed,
  told,
  type Heard,
} from '../../../test/official/ai-sdk-faults.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll } from '../../run/fold.ts';
import { supersededLine } from '../../run/answer-text.ts';
import { stepOf, textOf, type Step } from '../../run/tree.ts';
import type { AiSdkChunk } from '../../wire/ai-sdk.ts';
import { projectionContract } from '../projection.contract.ts';
import { plain } from '../speaker.ts';
import { aiSdkProjection } from './ai-sdk.ts';

projectionContract('ai-sdk', aiSdkProjection({ run: 'r' }));

test('[AI1] whatever a journal says, every chunk fits the official schema', async () => {
  const { validate } = uiMessageChunkSchema();
  const seen = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.oneof(plausibleRun, anyEntries), async (entries) => {
      for (const chunk of answers(told(entries)).flat()) {
        seen.add(chunk.type);
        expect(await validate?.(JSON.parse(JSON.stringify(chunk)))).toMatchObject({ success: true });
      }
    }),
    { numRuns: 200 },
  );
  expect(seen.size).toBeGreaterThan(20);
});

test('[AI1] whatever a journal says, the official client bears it and prints nothing', async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(plausibleRun, anyEntries), async (entries) => {
      const { fault, printed } = await heard(answers(told(entries)));
      if (!isFailed(entries)) expect(fault).toBeUndefined();
      expect(printed).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('[AI2] of any run the official client has every step with its parent, every call and the answer', async () => {
  await fc.assert(
    fc.asyncProperty(plausibleRun, async (entries) => {
      expect(faultsIn(await heard(answers(told(entries))), entries)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('[AI3] told anew from the start, at any moment, a run is the same message', async () => {
  await fc.assert(
    fc.asyncProperty(plausibleRun, fc.nat(), async (entries, cut) => {
      const place = 1 + (cut % entries.length);
      const all = answers(told(entries, place));
      expect(faultsIn(await heard(all), entries)).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

/** How much the run itself said, by the tree: what is said inside agents and stages is not its text. */
function spokenLength(entries: readonly Entry[]): number {
  const tree = foldAll(entries);
  const isOurs = (step: Step): boolean =>
    step.id === 0 ||
    (!['agent', 'route', 'verdict'].includes(step.kind) &&
      step.origin === undefined &&
      isOurs(stepOf(tree, step.parent)));
  return [...tree.steps.values()].filter(isOurs).reduce((sum, step) => sum + textOf(step).length, 0);
}

/** The same, and no word too few or too many. */
function allFaultsIn(given: Heard, entries: readonly Entry[]): string[] {
  const length = drawn(given.message).texts.join('').length;
  const { answer = '' } = foldAll(entries).ended ?? {};
  const wanted = spokenLength(entries);
  const isWhole = length === wanted || length === wanted + plain(answer).length;
  return [...faultsIn(given, entries), ...(isWhole ? [] : [`${length} characters and not ${wanted}`])];
}

/** What does no harm if it comes twice, or not at all: what is not kept, and what is told again by the next of its kind. */
const harmless =
  /^(data-|start|finish|abort|tool-approval-request|tool-output|reasoning|source|file|text-end)/;

test('[AI4] a chunk that is missing, comes twice or changes places with its neighbour is noticed', async () => {
  const runs = fc.sample(plausibleRun, { numRuns: 80, seed: 5 });
  const isPlain = (entries: readonly Entry[]) =>
    !entries.some(({ event }) => event.type === 'step.retried') &&
    typeof foldAll(entries).ended?.answer === 'string';
  const fit = runs.filter((entries) => entries.length > 20 && entries.length < 80 && isPlain(entries));
  const missed: string[] = [];
  const tried = new Set<string>();
  for (const entries of fit.filter((each) => !isFailed(each)).slice(0, 10)) {
    const all = answers(told(entries));
    expect(allFaultsIn(await heard(all), entries)).toEqual([]);
    for (const [k, chunks] of all.entries())
      for (const [i, chunk] of chunks.entries()) {
        if (harmless.test(chunk.type)) continue;
        tried.add(chunk.type);
        const next = chunks[i + 1];
        const variants: [string, AiSdkChunk[]][] = [[`without ${chunk.type}`, chunks.toSpliced(i, 1)]];
        if (chunk.type === 'text-delta') variants.push(['text-delta twice', chunks.toSpliced(i, 0, chunk)]);
        if (next && chunk.type === 'text-start')
          variants.push([`${chunk.type} after ${next.type}`, chunks.toSpliced(i, 2, next, chunk)]);
        for (const [name, changed] of variants)
          if (allFaultsIn(await heard(all.with(k, changed)), entries).length === 0) missed.push(name);
      }
  }
  expect(missed).toEqual([]);
  expect([...tried].toSorted()).toEqual(['text-delta', 'text-start', 'tool-input-available']);
});

test('[AI7] what a new attempt takes back is gone where the step of the message holds nothing else, and says so elsewhere', async () => {
  const turn = { kind: 'turn', started: true } as const;
  const alone = journal(
    started(),
    opened(1, 0, turn),
    said(1, 'Half'),
    retried(1),
    said(1, 'Whole'),
    closed(1),
    ended('Whole'),
  );
  const { texts } = drawn((await heard(answers(told(alone)))).message);
  expect(texts).toEqual(['Whole']);
  const among = journal(
    started(),
    opened(1, 0, turn),
    opened(2, 0, turn),
    said(1, 'Half'),
    said(2, 'Other'),
    retried(1),
    said(1, 'Whole'),
    closed(1),
    closed(2),
    ended('Whole'),
  );
  const both = drawn((await heard(answers(told(among)))).message);
  expect(both.texts).toEqual([`Half${supersededLine}`, 'Other', 'Whole']);
});
