import type { Json } from './values.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyEntries } from '../../test/arbitraries.ts';
import { plausibleRun } from '../../test/plausible-run.ts';
import type { RunEvent } from './events.ts';
import { FlatTree, flatTree } from './flat-tree.ts';
import { foldAll } from './entries.ts';
import type { RunTree } from './tree.ts';

const started: RunEvent = {
  type: 'run.started',
  tenant: 't',
  who: 'ada',
  app: 'app',
  conversation: 'c',
  input: { text: 'Why?' },
  flow: { name: 'coordinate', version: '1' },
  limits: {},
  labels: {},
};

function opened(step: number, parent: number, more: object = {}): RunEvent {
  return { type: 'step.opened', step, parent, key: `k${step}`, kind: 'step', title: `Step ${step}`, ...more };
}

function treeOf(...events: RunEvent[]): RunTree {
  return foldAll(events.map((event, i) => ({ seq: i + 1, at: (i + 1) * 100, event })));
}

test('[F25] a run is told as a list of steps that name their parents', () => {
  const call = { id: 'c', tool: 'search', arguments: { q: 1 }, signature: 's', effect: 'pure' } as const;
  const tree = treeOf(
    started,
    opened(1, 0, { kind: 'turn', agent: 'general', model: 'm', started: true }),
    { type: 'text.appended', step: 1, channel: 'content', text: 'An' },
    { type: 'text.appended', step: 1, channel: 'content', text: 'swer' },
    { type: 'text.appended', step: 1, channel: 'reasoning', text: 'Hm.' },
    { type: 'text.appended', step: 1, channel: 'arguments', text: '{"q"', call: 'c', tool: 'search' },
    { type: 'text.appended', step: 1, channel: 'arguments', text: ':1}', call: 'c' },
    { type: 'step.closed', step: 1, outcome: 'completed', usage: { input: 3, output: 2 } },
    opened(2, 0, { kind: 'call', call, effect: 'pure' }),
    {
      type: 'approval.requested',
      approval: 'a',
      step: 2,
      title: 'Search?',
      fingerprint: 'f',
      priority: 'low',
      allowed: ['approve'],
    },
    { type: 'notice.posted', step: 2, code: 'SLOW', message: 'This takes long.' },
  );
  expect(flatTree(tree, 'run-1')).toEqual({
    run: 'run-1',
    title: 'Why?',
    status: 'waiting',
    seq: 11,
    answer: null,
    startedAt: 100,
    usage: { input: 3, output: 2 },
    spent: { turns: 1, calls: 1, tokens: 5, milliseconds: 900 },
    steps: [
      {
        id: 1,
        parent: 0,
        key: 'k1',
        kind: 'turn',
        title: 'Step 1',
        status: 'completed',
        attempt: 1,
        agent: 'general',
        model: 'm',
        text: 'Answer',
        thinking: 'Hm.',
        calls: [{ id: 'c', tool: 'search', arguments: '{"q":1}' }],
        usage: { input: 3, output: 2 },
        openedAt: 200,
        closedAt: 800,
        milliseconds: 600,
      },
      {
        id: 2,
        parent: 0,
        key: 'k2',
        kind: 'call',
        title: 'Step 2',
        status: 'waiting',
        attempt: 1,
        effect: 'pure',
        call,
        notices: [{ seq: 11, code: 'SLOW', message: 'This takes long.' }],
        approvals: ['a'],
        openedAt: 900,
      },
    ],
    notices: [{ seq: 11, step: 2, code: 'SLOW', message: 'This takes long.' }],
    approvals: [
      {
        id: 'a',
        step: 2,
        title: 'Search?',
        priority: 'low',
        status: 'undecided',
        fingerprint: 'f',
        allowed: ['approve'],
        requestedAt: 1_000,
      },
    ],
  });
});

test('[V53] [S39] references are marked, and what only looks like one is not', () => {
  const asks = (approval: string, given: Json): RunEvent => ({
    type: 'approval.requested',
    approval,
    step: 1,
    title: 'Search?',
    fingerprint: 'f',
    priority: 'low',
    allowed: ['approve', 'edit'],
    arguments: given,
  });
  const kept = { blob: 'b', size: 40_000, preview: 'x' };
  const edited = { decision: 'edit', by: 'ann', arguments: kept } as const;
  const tree = treeOf(opened(1, 0), asks('a', kept), asks('b', { blob: 'mine', preview: 'harmless' }), {
    type: 'approval.decided',
    approval: 'b',
    ...edited,
  });
  expect(flatTree(tree).approvals.map(({ references }) => references)).toEqual([['arguments'], ['edited']]);
});

test('[F25] a result that is empty is a result, a text that is empty is absent', () => {
  const closed: RunEvent = { type: 'step.closed', step: 1, outcome: 'completed', result: '' };
  const said: RunEvent = { type: 'text.appended', step: 1, channel: 'content', text: '' };
  const [step] = flatTree(treeOf(opened(1, 0), said, closed)).steps;
  expect(step).toMatchObject({ result: '' });
  expect(step).not.toHaveProperty('text');
});

test('[F26] steps of superseded attempts, and all below them, are left out', () => {
  const retried: RunEvent = { type: 'step.retried', step: 1, attempt: 2, reason: 'again' };
  const tree = treeOf(
    opened(1, 0),
    opened(2, 1),
    opened(3, 2),
    opened(4, 0),
    retried,
    opened(5, 1),
    opened(6, 5),
  );
  expect(flatTree(tree).steps.map(({ id, attempt }) => [id, attempt])).toEqual([
    [1, 2],
    [4, 1],
    [5, 1],
    [6, 1],
  ]);
});

test('[F26] every current step is told once, after its parent', () => {
  fc.assert(
    fc.property(plausibleRun, (entries) => {
      const tree = foldAll(entries);
      const { steps } = flatTree(tree);
      const told = new Set([0]);
      for (const { id, parent } of steps) {
        expect(told.has(parent) && !told.has(id)).toBe(true);
        told.add(id);
      }
      const current: number[] = [];
      const reach = (id: number) => {
        current.push(id);
        tree.steps.get(id)?.children.forEach(reach);
      };
      reach(0);
      expect([...told].toSorted((a, b) => a - b)).toEqual(current.toSorted((a, b) => a - b));
    }),
  );
});

test('[F25] the flat tree fits its schema, is JSON, and stays as it was when the run goes on', () => {
  fc.assert(
    fc.property(fc.oneof(anyEntries, plausibleRun), fc.nat(), (entries, cut) => {
      const at = cut % (entries.length + 1);
      const tree = foldAll(entries.slice(0, at));
      const flat = flatTree(tree, 'run-1');
      const text = JSON.stringify(flat);
      expect(FlatTree.safeParse(flat).error).toBeUndefined();
      expect(JSON.parse(text)).toStrictEqual(structuredClone(flat));
      foldAll(entries.slice(at), tree);
      expect(JSON.stringify(flat)).toBe(text);
    }),
  );
});

test('[F25] how a run ended is told', () => {
  const failure = { code: 'unavailable', message: 'The model is away.' } as const;
  const usage = { input: 0, output: 0 };
  const stop: RunEvent = { type: 'stop.requested', by: 'ada' };
  expect(flatTree(treeOf(started, stop))).toMatchObject({ status: 'running', stopping: true, answer: null });
  const failed = flatTree(treeOf(started, stop, { type: 'run.ended', outcome: 'failed', failure, usage }));
  expect(failed).toMatchObject({ status: 'failed', failure, endedAt: 300 });
  expect(failed).not.toHaveProperty('stopping');
});
