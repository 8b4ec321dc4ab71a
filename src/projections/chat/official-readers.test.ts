import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readChat, readResponses, type Ended } from '../../../test/official/readers.ts';
import { anyEntries } from '../../../test/arbitraries.ts';
import { plausibleRun } from '../../../test/plausible-run.ts';
import type { Entry } from '../../run/events.ts';
import { foldAll, decodeAll } from '../../run/entries.ts';
import { sseText, sseTexts, type SseFrame } from '../../wire/sse-frame.ts';
import { openAiChatProjection } from '../openai-chat/projection.ts';
import { openAiResponsesProjection } from '../openai-responses/projection.ts';
import { ownProtocols } from '../own-protocols.ts';
import { projectionContract } from '../projection.contract.ts';
import { dialProjection } from '../dial/projection.ts';

projectionContract('openai-chat', openAiChatProjection({ run: 'r' }));
projectionContract('openai-responses', openAiResponsesProjection({ run: 'r' }));
projectionContract('dial', dialProjection({ run: 'r' }));

const readers = [
  { as: 'openai-chat', read: readChat },
  { as: 'dial', read: readChat },
  { as: 'openai-responses', read: readResponses },
] as const;

/** The frames of each answer of a run. */
function answersOf(as: (typeof readers)[number]['as'], entries: readonly Entry[]): SseFrame[][] {
  const telling = ownProtocols[as].telling({ run: 'run-1' });
  const answers: SseFrame[][] = [[]];
  for (const entry of entries) {
    answers.at(-1)?.push(...telling.tell(entry));
    if (telling.isOver && !telling.hasEnded) answers.push([]);
  }
  return answers;
}

const kinds = ['drop', 'double', 'swap'] as const;

/** The same frames with one of them missing, twice, or after the next; undefined where that changes nothing. */
function disturbed(
  frames: readonly SseFrame[],
  at: number,
  kind: (typeof kinds)[number],
): SseFrame[] | undefined {
  const place = at % frames.length;
  const [one, next] = [frames[place], frames[place + 1]];
  if (!one || (kind === 'swap' && (!next || next.data === one.data))) return undefined;
  const put = { drop: [], double: [one, one], swap: next ? [next, one] : [] }[kind];
  return [...frames.slice(0, place), ...put, ...frames.slice(place + (kind === 'swap' ? 2 : 1))];
}

test('[PR11] what keeps a connection of DIAL alive is no frame: clients end the same with and without it', async () => {
  const beat = ownProtocols.dial.beat?.({ run: 'run-1' });
  if (!beat) throw new Error('DIAL has a beat of its own');
  expect(beat.id).toBeUndefined();
  expect(JSON.parse(beat.data)).toMatchObject({ choices: [{ delta: {}, finish_reason: null }] });
  await fc.assert(
    fc.asyncProperty(plausibleRun, fc.nat(), async (entries, at) => {
      const [frames = []] = answersOf('dial', entries);
      const place = 1 + (at % Math.max(1, frames.length - 1));
      const { text, end } = await readChat(sseTexts(frames));
      const beaten = sseTexts([...frames.slice(0, place), beat, ...frames.slice(place)]);
      expect(await readChat(beaten)).toMatchObject({ text, end });
    }),
    { numRuns: 30 },
  );
});

describe.for(readers)('$as', ({ as, read }) => {
  test('[OA7] any run passes the client’s own reader, and its text ends with the journal’s answer', async () => {
    const ends = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(plausibleRun, async (entries) => {
        const heard: Ended[] = [];
        for (const frames of answersOf(as, entries)) heard.push(await read(sseTexts(frames)));
        const last = heard.at(-1);
        const { ended } = foldAll(entries);
        const end = ended?.outcome ?? '';
        ends.set(end, (ends.get(end) ?? 0) + 1);
        if (heard.length > 1) ends.set('asked', (ends.get('asked') ?? 0) + 1);
        if (end === 'completed' && typeof ended?.answer === 'string')
          expect(last?.text.toWellFormed().endsWith(ended.answer.toWellFormed())).toBe(true);
        expect(last?.end).toMatch(
          as === 'openai-responses' ? /^response\./ : end === 'failed' ? /^failed/ : /^stop$/,
        );
      }),
      { numRuns: 60 },
    );
    expect([...ends.keys()].toSorted()).toEqual(['asked', 'completed', 'failed', 'stopped']);
  });

  test('[OA8] a frame that is missing, comes twice or too late is noticed', async () => {
    const tried = { drop: 0, double: 0, swap: 0 };
    let later = 0;
    await fc.assert(
      fc.asyncProperty(plausibleRun, fc.nat(), fc.constantFrom(...kinds), async (entries, at, kind) => {
        const all = answersOf(as, entries);
        const frames = all[at % all.length] ?? [];
        if (all.length > 1 && at % all.length > 0) later += 1;
        const other = disturbed(frames, at, kind);
        if (!other) return;
        tried[kind] += 1;
        const whole = await read(sseTexts(frames));
        const heard = await read(sseTexts(other)).catch(() => undefined);
        if (heard && whole.end.startsWith('failed'))
          expect(other.map(sseText)).not.toEqual(frames.map(sseText));
        else expect(heard).not.toEqual(whole);
      }),
      { numRuns: 120 },
    );
    for (const kind of kinds) expect(tried[kind], kind).toBeGreaterThan(15);
    expect(later, 'answers after a question').toBeGreaterThan(10);
  });

  test('[OA9] at every cursor, what came before and what is resumed is the unbroken stream', () => {
    fc.assert(
      fc.property(fc.oneof(plausibleRun, anyEntries), (entries) => {
        const begin = (): ReturnType<(typeof ownProtocols)[typeof as]['telling']> =>
          ownProtocols[as].telling({ run: 'run-1' });
        const whole = begin();
        const unbroken = entries.map((entry) => sseTexts(whole.tell(entry)));
        const viewer = begin();
        for (const [k, entry] of entries.entries()) {
          const again = viewer.fork();
          const rest = entries.slice(k).map((each) => sseTexts(again.tell(each)));
          expect(rest).toEqual(unbroken.slice(k));
          viewer.tell(entry);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('golden journals are told as they always were', async () => {
    const golden = new URL('../../../test/golden/1/', import.meta.url);
    const names = readdirSync(golden).filter((name) => name.endsWith('.journal'));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const telling = ownProtocols[as].telling({ run: 'run-1' });
      const text = decodeAll(readFileSync(new URL(name, golden), 'utf8'))
        .map((entry) => sseTexts(telling.tell(entry)))
        .join('');
      const file = new URL(
        `../../../test/golden/frames/${as}/${name.replace('.journal', '.sse')}`,
        import.meta.url,
      );
      await expect(text).toMatchFileSnapshot(file.pathname);
    }
  });
});
