import { describe, expect, test } from 'vitest';
import { Engine } from '../engine.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { converse } from '../../src/flows/converse/converse.ts';
import type { ConverseRules } from '../../src/flows/converse/course.ts';
import type { Turn } from '../../src/gateways/gateway.ts';
import type { Move } from '../../src/gateways/scripted/script.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { RunError } from '../../src/run/failure.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import { isOpen, textOf, undecidedApprovals, type RunTree } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import type { Chunk } from '../../src/stores/store.ts';
import { answerOf, ask, policies, resultsIn, say } from '../conversation.ts';
import { entriesOf, startRun, testWorld, toolOf, treeOf } from '../world.ts';

/** Reads, writes, fails, repeats itself, gets lost, and answers: whatever a conversation is made of. */
function model({ tools, messages }: Turn): readonly Move[] {
  if (!tools) return [say('That is '), say('all.')];
  const script: readonly (readonly Move[])[] = [
    [say('Looking. '), ask('list', {}), ask('read', { path: 'a' }, 'c2')],
    [ask('charge', { amount: 5 }), ask('unheard_of', {}, 'c2'), ask('broken', {}, 'c3')],
    [ask('charge', { amount: 5 }), ask('list', {}, 'c2')],
    [ask('charge', { amount: 5 }), ask('charge', { amount: 5 }, 'c2')],
  ];
  const seen = resultsIn(messages);
  return script[seen === 0 ? 0 : seen <= 2 ? 1 : seen <= 5 ? 2 : 3] ?? [];
}

interface Made {
  readonly flow: Flow;
  readonly effects: Json[];
  readonly turns: { count: number };
  readonly world: ReturnType<typeof testWorld>;
}

function make(rules: Partial<ConverseRules>): Made {
  const effects: Json[] = [];
  const turns = { count: 0 };
  const tools = [
    toolOf('list', () => ['a', 'b']),
    toolOf('read', (input) => ({ input })),
    toolOf('broken', () => Promise.reject(new RunError('unavailable', 'It is down.'))),
    toolOf('charge', (input) => effects.push(input) && { receipt: 1 }, { effect: 'once' }),
  ];
  const inner = scriptedGateway(model);
  const gateway: typeof inner = {
    takeTurn(turn, signal) {
      turns.count += 1;
      return inner.takeTurn(turn, signal);
    },
  };
  const flow = converse({ agent: 'model', system: 'Be exact.', tools, rules });
  const agents = [{ name: 'model', description: '', gateway, effect: 'pure' as const }];
  return { flow, effects, turns, world: testWorld({ flows: [flow], agents, tools }, { policies }) };
}

/** The tree as people see it, without what a takeover may change. */
function shown(tree: RunTree): unknown[] {
  return [...tree.steps.values()].map((step) => [
    step.id,
    step.parent,
    step.key,
    step.kind,
    step.status,
    step.phase,
    step.result,
    step.failure,
    step.reusedFrom,
    textOf(step),
    step.notices.map(({ code, message }) => [code, message]),
  ]);
}

async function recovered(chunks: readonly Chunk[], kept: number, rules: Partial<ConverseRules>) {
  const made = make(rules);
  const { world, flow } = made;
  const known = chunks.slice(0, kept);
  const entries = known.flatMap(({ frames }) => decodeAll(frames));
  await world.store.dispatch.create({
    run: 'run_again',
    tenant: 'local',
    conversation: 'conversation',
    app: 'test',
    title: 'again',
    flow: `${flow.name}@${flow.version}`,
    last: entries.length,
    frames: known.map(({ frames }) => frames).join(''),
  });
  const engine = new Engine(world, 'w2');
  await engine.claim();
  await engine.idle();
  // Whether a charge happened that was cut off: here it always had.
  const waiting = await treeOf(world.store, 'run_again');
  const [doubt] = undecidedApprovals(waiting);
  if (doubt) {
    const decision = { decision: 'approve', answer: { receipt: 1 } } as const;
    const { approval, fingerprint } = doubt;
    await engine.send('run_again', { type: 'decide', by: 'ann', approval, fingerprint, ...decision });
    await engine.claim();
    await engine.idle();
  }
  const tree = await treeOf(world.store, 'run_again');
  return { ...made, tree, before: foldAll(entries), hadDoubt: doubt !== undefined };
}

describe.for<Partial<ConverseRules>>([
  { maxCycles: 4 },
  { preset: 'parallel', maxCycles: 4 },
  { protocol: 'unified', maxCycles: 4 },
  { protocol: 'unified', preset: 'parallel', maxCycles: 4 },
])('a conversation taken over (%o)', (rules) => {
  test('[C45] after every commit it goes on as it would have, and does nothing twice', async () => {
    const whole = make(rules);
    const engine = new Engine(whole.world, 'w1');
    const { run } = await startRun(engine, whole.flow);
    await engine.idle();
    const chunks = await whole.world.store.journal.read(run, 0);
    const expected = await treeOf(whole.world.store, run);
    expect(answerOf(expected)).toBe('That is all.');
    expect(whole.effects).toEqual([{ amount: 5 }]);
    expect(whole.world.problems).toEqual([]);
    let doubts = 0;
    for (let kept = 1; kept < chunks.length; kept += 1) {
      const { tree, before, effects, turns, world, hadDoubt } = await recovered(chunks, kept, rules);
      const what = `after commit ${kept} of ${chunks.length}`;
      expect(shown(tree), what).toEqual(shown(expected));
      expect(tree.ended?.answer, what).toBe(expected.ended?.answer);
      const isCharged = [...before.steps.values()].some(
        ({ call, started }) => call?.tool === 'charge' && started,
      );
      expect(effects.length + (isCharged ? 1 : 0), what).toBe(1);
      const unrecorded = [...expected.steps.values()].filter(({ kind, id }) => {
        const known = before.steps.get(id);
        return kind === 'turn' && (!known || isOpen(known));
      });
      expect(turns.count, what).toBe(unrecorded.length);
      expect(world.problems, what).toEqual([]);
      doubts += hadDoubt ? 1 : 0;
    }
    expect(chunks.length).toBeGreaterThan(8);
    expect(doubts).toBeGreaterThan(0);
    expect((await entriesOf(whole.world.store, run)).length).toBeGreaterThan(40);
  });
});
