import { uiMessageChunkSchema } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import { closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { answers, drawn, faultsIn, heard, isFailed, told } from '../../../test/official/ai-sdk-faults.ts';
import { disorderIn } from '../../../test/official/ai-sdk-order.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import { supersededLine } from '../../run/answer-text.ts';
import { aiSdkDone } from '../../wire/ai-sdk.ts';
import { projectionContract } from '../projection.contract.ts';
import { aiSdkProjection } from './ai-sdk.ts';
import type { AiSdkFrame } from './scene.ts';

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

test('[AI4] of any run the chunks are in order, and tell all that happened once', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      expect(disorderIn(told(entries), entries)).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

/** Two that end beside each other, in either order. */
const alike = /^(text|reasoning)-end (text|reasoning)-end$/;

test('[AI4] a chunk that is missing, comes twice or changes places with its neighbour is noticed', () => {
  const runs = fc.sample(plausibleRun, { numRuns: 80, seed: 5 }).filter(({ length }) => length < 60);
  const missed = new Set<string>();
  const tried = new Set<string>();
  for (const entries of [...runs.slice(0, 25), alone, among]) {
    const frames = told(entries);
    for (const [i, frame] of frames.entries()) {
      const kind = kindOf(frame);
      const next = frames[i + 1];
      tried.add(kind);
      const variants: [string, AiSdkFrame[]][] = [
        [`without ${kind}`, frames.toSpliced(i, 1)],
        [`${kind} twice`, frames.toSpliced(i, 0, frame)],
      ];
      const pair = `${kind} ${next === undefined ? '' : kindOf(next)}`;
      if (next && JSON.stringify(next) !== JSON.stringify(frame) && !alike.test(pair))
        variants.push([pair, frames.toSpliced(i, 2, next, frame)]);
      for (const [name, changed] of variants) if (disorderIn(changed, entries).length === 0) missed.add(name);
    }
  }
  expect([...missed]).toEqual([]);
  expect(tried.size, [...tried].join(' ')).toBeGreaterThan(22);
});

function kindOf(frame: AiSdkFrame): string {
  return frame === aiSdkDone ? frame : frame.type;
}

const turn = { kind: 'turn', started: true } as const;
/** A turn that is tried again alone in its step of the message, and one beside another. */
const alone = journal(
  started(),
  opened(1, 0, turn),
  said(1, 'Half'),
  retried(1),
  said(1, 'Whole'),
  closed(1),
  ended('Whole'),
);
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

test('[AI7] what a new attempt takes back is gone where the step of the message holds nothing else, and says so elsewhere', async () => {
  const { texts } = drawn((await heard(answers(told(alone)))).message);
  expect(texts).toEqual(['Whole']);
  const both = drawn((await heard(answers(told(among)))).message);
  expect(both.texts).toEqual([`Half${supersededLine}`, 'Other', 'Whole']);
});
