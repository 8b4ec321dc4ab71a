import { readUIMessageStream, uiMessageChunkSchema, type UIMessage, type UIMessageChunk } from 'ai';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries } from '../../../test/arbitraries.ts';
import { closed, ended, journal, opened, retried, said, started } from '../../../test/journal.ts';
import { quietly } from '../../../test/official/ag-ui-client.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll } from '../../run/fold.ts';
import { stepOf, textOf, type Step } from '../../run/tree.ts';
import { aiSdkDone, type AiSdkChunk } from '../../wire/ai-sdk.ts';
import { unwritten } from '../frames.ts';
import { projectionContract } from '../projection.contract.ts';
import { plain, supersededLine } from '../speaker.ts';
import { aiSdkProjection } from './ai-sdk.ts';
import type { AiSdkFrame } from './scene.ts';

projectionContract('ai-sdk', aiSdkProjection({ run: 'r' }));

function told(entries: readonly Entry[], joinedTo = 0): readonly AiSdkFrame[] {
  const projection = { projection: aiSdkProjection({ run: 'r' }), ends: 'question' } as const;
  const telling = unwritten(projection, { joinedTo });
  return entries.flatMap((entry) => telling.tell(entry));
}

/** The chunks of each answer. */
function answers(frames: readonly AiSdkFrame[]): AiSdkChunk[][] {
  const all: AiSdkChunk[][] = [[]];
  for (const frame of frames)
    if (frame === aiSdkDone) all.push([]);
    else all.at(-1)?.push(frame);
  return all.filter((chunks) => chunks.length > 0);
}

interface Heard {
  readonly message: UIMessage | undefined;
  readonly fault: string | undefined;
  readonly printed: readonly string[];
}

/** What the official client makes of answers, one after the other, of one message. */
async function heard(chunks: readonly (readonly AiSdkChunk[])[]): Promise<Heard> {
  let message: UIMessage | undefined;
  let fault: string | undefined;
  const printed = await quietly(async () => {
    for (const answer of chunks) {
      const given = JSON.parse(JSON.stringify(answer)) as UIMessageChunk[];
      const stream = ReadableStream.from(given) as ReadableStream<UIMessageChunk>;
      const onError = (error: unknown): void => void (fault = String(error));
      const known = message ? { message } : {};
      for await (const next of readUIMessageStream({ stream, onError, ...known })) message = next;
    }
  });
  return { message, fault, printed };
}

function isFailed(entries: readonly Entry[]): boolean {
  return entries.some(({ event }) => event.type === 'run.ended' && event.outcome === 'failed');
}

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

/** The parts of a message that a client draws, by their kinds. */
function drawn(message: UIMessage | undefined) {
  const parts = message?.parts ?? [];
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const steps = parts.flatMap((part) => (part.type === 'data-step' ? [[part.id, part.data] as const] : []));
  const calls = parts.flatMap((part) =>
    part.type === 'dynamic-tool' ? [[part.toolCallId, part.state] as const] : [],
  );
  return { id: message?.id, texts, steps: Object.fromEntries(steps), calls: Object.fromEntries(calls) };
}

function faultsIn({ message, fault, printed }: Heard, entries: readonly Entry[]): string[] {
  const tree = foldAll(entries);
  const { id, texts, steps, calls } = drawn(message);
  const faults = [...printed, ...(fault === undefined || isFailed(entries) ? [] : [fault])];
  const found = (data: unknown): object => (data ?? {}) as object;
  for (const { id: step, parent, status, openedAt, kind } of tree.steps.values()) {
    if (step === 0 || openedAt === undefined) continue;
    const parentId = parent === 0 ? undefined : `s${parent}`;
    const told = found(steps[`s${step}`]) as { parentId?: string; status?: string; kind?: string };
    if (told.parentId !== parentId || told.status !== status || told.kind !== kind)
      faults.push(`s${step} is ${JSON.stringify(told)} and not ${status}`);
  }
  for (const [call, state] of Object.entries(calls))
    if (tree.ended && !String(state).startsWith('output-')) faults.push(`${call} is left ${String(state)}`);
  const { answer } = tree.ended ?? {};
  if (
    typeof answer === 'string' &&
    answer.trim() !== '' &&
    !texts.some((text) => text.trim() === answer.trim())
  )
    faults.push(`the answer is not told: ${JSON.stringify(texts)}`);
  return id === 'r' ? faults : [...faults, `the message is ${id}`];
}

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
