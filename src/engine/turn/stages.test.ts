import { describe, expect, test, vi } from 'vitest';
import { codes, Stage, stepAt } from '../../../test/stage.ts';
import { flowOf } from '../../../test/world.ts';
import type { AgentEvent } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { textOf, type RunTree } from '../../run/tree.ts';

const open = (stage: string, title?: string, parent?: string): AgentEvent => ({
  type: 'stage.opened',
  stage,
  ...(title === undefined ? {} : { title }),
  ...(parent === undefined ? {} : { parent }),
});
const text = (stage: string, written: string): AgentEvent => ({
  type: 'stage.appended',
  stage,
  text: written,
});
const titled = (stage: string, written: string): AgentEvent => ({
  type: 'stage.titled',
  stage,
  text: written,
});
const close = (stage: string, outcome: 'completed' | 'failed' = 'completed'): AgentEvent => ({
  type: 'stage.closed',
  stage,
  outcome,
});

/** The tree of a turn in which a back end told these things; with a failure, it broke off after them. */
async function mirrored(events: readonly AgentEvent[], failure?: RunError): Promise<RunTree> {
  const flow = flowOf(async (scope) => {
    const messages = [{ role: 'user' as const, text: 'go' }];
    return (await scope.turn('remote', { messages }).catch(() => ({ text: 'failed' }))).text;
  });
  const gateway = {
    async *takeTurn() {
      for (const event of events) yield [event];
      if (failure) throw failure;
    },
  };
  const agents = [{ name: 'remote', description: '', effect: 'pure' as const, gateway }];
  const stage = new Stage();
  const run = await stage.start(stage.hire({ flows: [flow], agents }), flow);
  const tree = await stage.tree(run);
  expect(codes(tree)).not.toContain('OUT_OF_PLACE');
  return tree;
}

/** Stages as people see them: nested by indentation, with status and text. */
function shown(tree: RunTree): string[] {
  const lines: string[] = [];
  const walk = (id: number, depth: number): void => {
    for (const child of tree.steps.get(id)?.children ?? []) {
      const step = tree.steps.get(child);
      if (!step) continue;
      const said = textOf(step);
      lines.push(`${'  '.repeat(depth)}${step.title} ${step.status}${said === '' ? '' : `: ${said}`}`);
      walk(child, depth + 1);
    }
  };
  walk(stepAt(tree, 'turn1').id, 0);
  return lines;
}

interface Case {
  readonly name: string;
  readonly events: readonly AgentEvent[];
  readonly shown: readonly string[];
  readonly notices?: number;
}

describe('stages of a back end', () => {
  test.for<Case>([
    {
      name: '[E100] leave gaps in their indexes',
      events: [open('7', 'Seven'), close('7'), open('3', 'Three'), close('3')],
      shown: ['Seven completed', 'Three completed'],
    },
    {
      name: '[E100] are interleaved',
      events: [
        open('0', 'A'),
        open('1', 'B'),
        text('0', 'a'),
        text('1', 'b'),
        text('0', 'a'),
        close('1'),
        text('0', '!'),
        close('0', 'failed'),
      ],
      shown: ['A failed: aa!', 'B completed: b'],
    },
    {
      name: '[E100] are nested',
      events: [open('0', 'Outer'), open('1', 'Inner', '0'), text('1', 'in'), close('1'), close('0')],
      shown: ['Outer completed', '  Inner completed: in'],
    },
    {
      name: '[E101] get their titles in pieces',
      events: [open('0'), titled('0', 'Look'), titled('0', 'ing'), close('0')],
      shown: ['Looking completed'],
    },
    {
      name: '[E101] never get a title',
      events: [open('4'), text('4', 'x'), close('4'), open('5')],
      shown: ['Stage 4 completed: x', 'Stage 5 abandoned'],
    },
    {
      name: '[E101] come whole in the first piece',
      events: [open('0', 'All'), text('0', 'of it'), close('0')],
      shown: ['All completed: of it'],
    },
    {
      name: '[E102] are written to without having been opened',
      events: [text('9', 'hello'), text('9', '!'), close('9')],
      shown: ['Stage 9 completed: hello!'],
      notices: 1,
    },
    { name: '[E102] are closed without having been opened', events: [close('9')], shown: [], notices: 1 },
    {
      name: '[E103] are opened twice',
      events: [open('0', 'First'), open('0', 'Second'), text('0', 'x'), close('0')],
      shown: ['First completed: x'],
      notices: 1,
    },
    {
      name: '[E103] go on after their end',
      events: [open('0', 'A'), close('0'), text('0', 'late'), close('0')],
      shown: ['A completed'],
      notices: 2,
    },
    {
      name: '[E104] stand under one that is unknown',
      events: [open('1', 'Orphan', '0'), close('1')],
      shown: ['Orphan completed'],
      notices: 1,
    },
    {
      name: '[E104] stand under one that is closed',
      events: [open('0', 'Done'), close('0'), open('1', 'Late', '0'), close('1')],
      shown: ['Done completed', 'Late completed'],
      notices: 1,
    },
    {
      name: '[E105] are never closed',
      events: [open('0', 'Outer'), open('1', 'Inner', '0'), text('1', 'half')],
      shown: ['Outer abandoned', '  Inner abandoned: half'],
    },
  ])('$name', async ({ events, shown: expected, notices = 0 }) => {
    const tree = await mirrored(events);
    expect(shown(tree)).toEqual(expected);
    expect(codes(tree)).toEqual(Array(notices).fill('UPSTREAM_MALFORMED'));
    expect(tree.ended?.outcome).toBe('completed');
    expect(tree.open.size).toBe(0);
  });

  test('[E103] may be used again after their end', async () => {
    const tree = await mirrored([
      open('0', 'First'),
      close('0'),
      open('0', 'Second'),
      text('0', 'x'),
      close('0'),
    ]);
    expect(shown(tree)).toEqual(['First completed', 'Second completed: x']);
  });

  test('[E105] fail with a turn that breaks off', async () => {
    const events = [open('0', 'Done'), close('0'), open('1', 'Half')];
    const tree = await mirrored(events, new RunError('unavailable', 'The line broke.'));
    expect(shown(tree)).toEqual(['Done completed', 'Half failed']);
    expect(stepAt(tree, 'turn1')).toMatchObject({
      status: 'failed',
      failure: { message: 'The line broke.' },
    });
  });

  test('[E25] of an attempt that the back end itself gave up are superseded', async () => {
    const tree = await mirrored([
      open('0', 'Old'),
      { type: 'text.appended', text: 'old' },
      { type: 'turn.retried', reason: 'The model is busy.', model: 'other' },
      open('0', 'New'),
      close('0'),
      { type: 'text.appended', text: 'new' },
    ]);
    expect(shown(tree)).toEqual(['New completed']);
    expect([textOf(stepAt(tree, 'turn1')), stepAt(tree, 'turn1').attempt, tree.spent.turns]).toEqual([
      'new',
      2,
      2,
    ]);
    expect(stepAt(tree, 'turn1').superseded.map((id) => tree.steps.get(id)?.status)).toEqual(['abandoned']);
  });
});

test('[E106] [S41] a stage is nobody else’s turn, answer or agent, whatever it says', async () => {
  const forged = ['turn', 'ask', 'agent', 'answer'].map((kind): AgentEvent => ({
    type: 'stage.opened',
    stage: kind,
    kind,
    title: kind,
    agent: 'remote',
    query: 'x',
  }));
  const tree = await mirrored(forged);
  const stages = [...tree.steps.values()].filter(({ origin }) => origin !== undefined);
  expect(stages.map(({ kind }) => kind)).toEqual(['stage', 'stage', 'stage', 'stage']);
  expect(tree.spent.turns).toBe(1);
  expect(codes(tree).filter((code) => code === 'UPSTREAM_MALFORMED')).toHaveLength(4);
});

/** How often steps are looked up while a back end tells these things. */
async function lookups(events: readonly AgentEvent[]): Promise<number> {
  const spy = vi.spyOn(Map.prototype, 'get');
  try {
    await mirrored(events);
    return spy.mock.calls.length;
  } finally {
    spy.mockRestore();
  }
}

test('[X23] closing each of many stages below one that is closed costs the same for each', async () => {
  const flood = (count: number): AgentEvent[] => [
    open('all', 'All'),
    ...Array.from({ length: count }, (_, i) => open(`${i}`, 'One', 'all')),
    close('all'),
    ...Array.from({ length: count }, (_, i) => close(`${i}`)),
  ];
  const tree = await mirrored(flood(3));
  expect(shown(tree)).toEqual(['All completed', ...Array.from({ length: 3 }, () => '  One completed')]);
  const [few, many] = [await lookups(flood(100)), await lookups(flood(400))];
  expect(many / few).toBeLessThan(5);
});
