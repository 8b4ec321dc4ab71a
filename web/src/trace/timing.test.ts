import { expect, test } from 'vitest';
import type { Entry, FlatStep, FlatTree } from '../../../src/client/client.ts';
import type { RunEvent } from '../../../src/run/events.ts';
import { criticalPath } from './critical-path.ts';
import { timeFigures } from './figures.ts';
import { spansBelow } from './below.ts';
import { piecesOf, scaleOf, ticksOf } from './pieces.ts';
import { densityOf, entryAt, Playhead } from './playhead.ts';
import { rowsOf, soughtIn } from './rows.ts';
import { eventsOf } from './step-events.ts';
import { Timing } from './timing.ts';

const open = (step: number, kind: string, parent = 0): RunEvent => ({
  type: 'step.opened',
  step,
  parent,
  key: `${step}`,
  kind,
  title: `${kind}_${step}`,
  started: kind !== 'call',
});
const close = (step: number, outcome: 'completed' | 'failed' | 'reused' = 'completed'): RunEvent => ({
  type: 'step.closed',
  step,
  outcome,
});
const say = (step: number): RunEvent => ({ type: 'text.appended', step, channel: 'content', text: 'a' });
const ask = (step: number): RunEvent => ({
  type: 'approval.requested',
  approval: `a${step}`,
  step,
  title: '',
  fingerprint: '',
  priority: 'medium',
  allowed: ['approve'],
});
const decide = (step: number, decision: 'approve' | 'defer'): RunEvent => ({
  type: 'approval.decided',
  approval: `a${step}`,
  decision,
  by: 'me',
});
const took: RunEvent = { type: 'worker.took', worker: 'w', epoch: 2, reason: 'recovered' };
const retried: RunEvent = { type: 'step.retried', step: 4, attempt: 2, reason: 'cut off' };

/** An agent with a turn and a call that waits for a person, then a turn that is cut off and tried again. */
const happened: readonly (readonly [at: number, event: RunEvent])[] = [
  [1_000, open(1, 'agent')],
  [1_000, open(2, 'turn', 1)],
  [1_400, say(2)],
  [1_500, say(2)],
  [1_900, close(2)],
  [2_000, open(3, 'call', 1)],
  [2_100, ask(3)],
  [2_500, decide(3, 'defer')],
  [5_000, decide(3, 'approve')],
  [5_200, { type: 'step.started', step: 3 }],
  [5_700, close(3, 'failed')],
  [5_800, close(1)],
  [6_000, open(4, 'turn')],
  [6_300, say(4)],
  [9_000, took],
  [9_000, retried],
  [9_400, say(4)],
];
const entries: readonly Entry[] = happened.map(([at, event], i) => ({ seq: i + 1, at, event }));
const timing = new Timing().read(entries);
const leaf = (id: number, kind: string, until = 10_000) =>
  piecesOf({ kind, title: `${kind}_${id}` }, timing.steps.get(id), { below: [], until }).map(
    ({ is, from, to }) => [is, from, to],
  );
const steps = [
  { id: 1, parent: 0, kind: 'agent' },
  { id: 2, parent: 1, kind: 'turn' },
  { id: 3, parent: 1, kind: 'call' },
  { id: 4, parent: 0, kind: 'turn' },
].map(
  (step) =>
    ({ ...step, key: '', title: `${step.kind}_${step.id}`, status: 'running', attempt: 1 }) as FlatStep,
);
const tree = { title: 'run', status: 'running', steps } as unknown as FlatTree;

test('[W60] a bar tells waiting for its turn, for a word, for a person, working and what was tried in vain apart', () => {
  expect(leaf(2, 'turn')).toEqual([
    ['first', 1_000, 1_400],
    ['model', 1_400, 1_900],
  ]);
  expect(leaf(3, 'call')).toEqual([
    ['queue', 2_000, 2_100],
    ['person', 2_100, 5_000],
    ['queue', 5_000, 5_200],
    ['tool', 5_200, 5_700],
  ]);
  expect(leaf(4, 'turn')).toEqual([
    ['abandoned', 6_000, 6_300],
    ['first', 9_000, 9_400],
    ['model', 9_400, 10_000],
  ]);
  expect(timing.gaps).toEqual([{ from: 6_300, to: 9_000 }]);
  expect(timing.marks.map(({ is, seq }) => [is, seq])).toEqual([
    ['asked', 7],
    ['decided', 8],
    ['decided', 9],
    ['failure', 11],
    ['takeover', 15],
  ]);
});

test('[W60] what asks and has not begun waits for the person, and works no time at all', () => {
  const asks = new Timing().read(entries.slice(0, 7));
  const pieces = piecesOf({ kind: 'call', title: 'x' }, asks.steps.get(3), { below: [], until: 3_000 });
  expect(pieces.map(({ is }) => is)).toEqual(['queue', 'person']);
});

test('[W63] figures count a stretch once, until the moment that is shown', () => {
  expect(timeFigures(tree, timing, 10_000)).toEqual({
    wall: 9_000,
    model: 900 + 1_000,
    tool: 500,
    person: 2_900,
    nobody: 2_700,
  });
  expect(timeFigures(tree, timing, 3_000)).toEqual({
    wall: 2_000,
    model: 900,
    tool: 0,
    person: 900,
    nobody: 0,
  });
});

test('[W63] an agent elsewhere works also before, between and after the stages that it tells of', () => {
  const told = new Timing().read(
    (
      [
        [1_000, open(1, 'turn')],
        [2_000, open(2, 'stage', 1)],
        [2_500, close(2)],
        [3_000, open(3, 'stage', 1)],
        [3_600, close(3)],
        [4_000, say(1)],
        [5_000, close(1)],
      ] as const
    ).map(([at, event], i) => ({ seq: i + 1, at, event })),
  );
  const stages = ['agent', 'find_it', 'Thinks about it'].map((title, i) => ({
    id: i + 1,
    title,
    key: '',
    status: 'completed',
    attempt: 1,
    ...(i === 0 ? { kind: 'turn', parent: 0 } : { kind: 'stage', parent: 1, origin: title }),
  })) as FlatStep[];
  const elsewhere = { ...tree, steps: stages };
  const [turn] = stages;
  const below = spansBelow(elsewhere, told)(1);
  expect(turn && piecesOf(turn, told.steps.get(1), { below, until: 5_000 })).toEqual([
    { is: 'first', from: 1_000, to: 2_000 },
    { is: 'around', from: 2_000, to: 2_500 },
    { is: 'model', from: 2_500, to: 3_000 },
    { is: 'around', from: 3_000, to: 3_600 },
    { is: 'model', from: 3_600, to: 5_000 },
  ]);
  const { model, tool } = timeFigures(elsewhere, told, 5_000);
  expect({ model, tool }).toEqual({ model: 3_500, tool: 500 });
});

test('[W60] what has said nothing yet waits for its first word, however long', () => {
  const silent = new Timing().read(entries.slice(0, 2));
  const pieces = piecesOf({ kind: 'turn', title: 'x' }, silent.steps.get(2), { below: [], until: 9_000 });
  expect(pieces).toEqual([{ is: 'first', from: 1_000, to: 9_000 }]);
});

test('[W64] the critical path goes back from the end, within each step, over what ended last', () => {
  const path = criticalPath(
    [
      [1, 0, 0, 10] as const,
      [2, 0, 0, 8] as const,
      [3, 1, 0, 4] as const,
      [4, 1, 1, 6] as const,
      [5, 1, 6, 10] as const,
      [6, 0, 10, 12] as const,
      [7, 0, 11, 12.5] as const,
    ].map(([id, parent, from, to]) => ({ id, parent, from, to })),
  );
  expect(path).toEqual(new Set([7, 1, 5, 4]));
});

test('[W60] lines stand below their parents; what is looked for keeps what is around it', () => {
  const shown = (text: string, folded: number[] = []) =>
    rowsOf(tree, { folded: new Set(folded), sought: soughtIn(text) }).map(({ id, depth, isAside }) => [
      id,
      depth,
      isAside,
    ]);
  expect(shown('')).toEqual([
    [0, 0, false],
    [1, 1, false],
    [2, 2, false],
    [3, 2, false],
    [4, 1, false],
  ]);
  expect(shown('', [1])).toEqual([
    [0, 0, false],
    [1, 1, false],
    [4, 1, false],
  ]);
  expect(shown('tool:CALL status:run', [1])).toEqual([
    [0, 0, true],
    [1, 1, true],
    [3, 2, false],
  ]);
  expect(shown('nothing of this')).toEqual([[0, 0, true]]);
});

const all = { folded: new Set<number>(), sought: [] };

test('[W250] at another moment, a line that is as it was is the one it was', () => {
  const [, agent, turn, call] = rowsOf(tree, all);
  const last = tree.steps.at(-1) ?? expect.fail('there are steps');
  const earlier = { ...tree, steps: [...tree.steps.slice(0, -1), { ...last, id: 9, parent: 1 }] };
  const rows = rowsOf(earlier, all);
  expect([rows[2] === turn, rows[3] === call, rows[1] === agent]).toEqual([true, true, false]);
  expect(rowsOf(tree, { ...all, folded: new Set([1]) })[1]).toMatchObject({ below: 2, isFolded: true });
});

test('[W61] playing goes on as it happened, and over long pauses at once', () => {
  const slow = new Playhead(entries, 1, { jumps: false });
  expect([slow.advance(400), slow.advance(100), slow.advance(600)]).toEqual([3, 4, 7]);
  const jumping = new Playhead(entries, 14, { jumps: true });
  expect(jumping.advance(0)).toBe(14);
  expect(jumping.advance(400)).toBe(16);
  expect(jumping.isAtEnd).toBe(false);
  expect(jumping.advance(400)).toBe(17);
  expect(jumping.isAtEnd).toBe(true);
});

test('[W61] pointing at a moment finds the last event before it', () => {
  expect([entryAt(entries, 0), entryAt(entries, 1_450), entryAt(entries, 99_999)]).toEqual([1, 3, 17]);
  expect(densityOf(entries, 4)).toEqual(
    [9, 1, 4, 3].map((_, i) => entries.filter(({ at }) => binOf(at) === i).length),
  );
});

function binOf(at: number): number {
  return Math.min(3, Math.floor((at - 1_000) / 2_100));
}

test('[W60] the axis has round numbers, and everything stands within it', () => {
  expect(ticksOf(41_200)).toEqual([0, 10_000, 20_000, 30_000, 40_000]);
  expect(ticksOf(900)).toEqual([0, 200, 400, 600, 800]);
  expect(ticksOf(7_200_000)).toEqual([0, 1_800_000, 3_600_000, 5_400_000, 7_200_000]);
  const scale = scaleOf(100, 200);
  expect([scale.place(50), scale.place(150), scale.place(999)]).toEqual([0, 0.5, 1]);
});

test('[W61] the events of a step are its own, its questions and their answers, pieces of text together', () => {
  const told = eventsOf(entries, 3, 17).map(({ first, many }) => `${first.event.type} ${many}`);
  expect(told).toEqual([
    'step.opened 1',
    'approval.requested 1',
    'approval.decided 1',
    'approval.decided 1',
    'step.started 1',
    'step.closed 1',
  ]);
  expect(eventsOf(entries, 2, 17).map(({ many }) => many)).toEqual([1, 2, 1]);
  expect(eventsOf(entries, 2, 3)).toHaveLength(2);
  expect(eventsOf(entries, 0, 17).map(({ first }) => first.event.type)).toEqual(['worker.took']);
});
