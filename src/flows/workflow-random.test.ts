import { expect, test } from 'vitest';
import { decodeAll } from '../run/codec.ts';
import type { Entry } from '../run/events.ts';
import type { RunTree } from '../run/tree.ts';
import type { Json } from '../run/values.ts';
import { seedOf, sized, tell } from '../../test/long.ts';
import { Stage } from '../../test/stage.ts';
import { drawGraph, leafGraph, type DrawnGraph, type DrawnPart } from '../../test/workflow/random-graph.ts';
import {
  decideBy,
  drawnCatalog,
  drawnFlow,
  effectOf,
  noted,
  type Ledger,
} from '../../test/workflow/random-world.ts';
import { toTheEnd } from '../../test/workflow/to-the-end.ts';
import { interpret } from '../../test/workflow/reference.ts';
import { outline, runOf } from '../../test/workflow/world.ts';

const input = (seed: number): Json => ({ n: seed, list: ['a', 'b'] });

async function staged(graph: DrawnGraph, ledger: Ledger) {
  const stage = new Stage();
  await runOf(stage.store, leafGraph);
  const wanted = { ...(await runOf(stage.store, graph)), flow: drawnFlow };
  return { stage, wanted, hire: () => stage.hire(drawnCatalog(ledger)) };
}

/** The whole run, undisturbed. */
async function played(graph: DrawnGraph, data: Json) {
  const ledger: Ledger = new Map();
  const { stage, wanted, hire } = await staged(graph, ledger);
  const run = await stage.start(hire(), drawnFlow, { ...wanted, input: { text: '', data } });
  const tree = await toTheEnd(stage, run);
  expect(stage.problems).toEqual([]);
  return { run, tree, ledger, chunks: await stage.store.journal.read(run, 0) };
}

/** The same, taken over after the first commits by a worker that has nothing else. */
async function recovered(graph: DrawnGraph, run: string, frames: readonly string[]) {
  const ledger: Ledger = new Map();
  const { stage, wanted, hire } = await staged(graph, ledger);
  const last = frames.flatMap((one) => decodeAll(one)).at(-1);
  await stage.clock.pass((last?.at ?? 0) - stage.clock.now());
  await stage.store.dispatch.create({
    run,
    tenant: 'local',
    conversation: 'c',
    app: 'test',
    title: 'again',
    flow: 'workflow@1',
    last: last?.seq ?? 0,
    frames: frames.join(''),
    definition: wanted.definition.hash,
  });
  hire();
  return { tree: await toTheEnd(stage, run), ledger, problems: stage.problems };
}

function answerOf({ ended }: RunTree): string | undefined {
  const { outcome, answer } = ended ?? {};
  return outcome === 'completed' && typeof answer === 'string' ? answer : undefined;
}

/** Effects whose outcome was recorded. */
function doneIn(entries: readonly Entry[]): string[] {
  const calls = new Map<number, string>();
  return entries.flatMap(({ event }) => {
    if (event.type === 'step.opened' && event.call && noted.has(event.call.tool))
      calls.set(event.step, effectOf(event.call.tool, event.call.arguments));
    return event.type === 'step.closed' ? (calls.get(event.step) ?? []) : [];
  });
}

function countOf(effects: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const effect of effects) counts.set(effect, (counts.get(effect) ?? 0) + 1);
  return counts;
}

const types = [
  'agent',
  'team',
  'prompt',
  'branch',
  'loop',
  'map',
  'review',
  'human',
  'tool',
  'http',
  'code',
  'template',
  'failsafe',
  'merge',
  'wait',
  'workflow',
  'retrieve',
  'guard',
];

test(
  '[WF2] [WF19] any graph, taken over after every commit, comes to what an interpreter without durability does',
  { timeout: 3_600_000 },
  async () => {
    const first = seedOf('random graphs');
    const graphs = sized(8, 200);
    const seen = { graphs: 0, cuts: 0, broken: 0, redone: 0, joins: 0, inRounds: 0, deepest: 0 };
    const met = new Set<string>();
    for (let seed = first; seed < first + graphs; seed += 1) {
      const graph = drawGraph(seed);
      look(graph, 1, { met, seen, isInRounds: false });
      const data = input(seed);
      const expected = interpret(graph, data, decideBy);
      const whole = await played(graph, data);
      expect(answerOf(whole.tree), `seed ${seed}`).toEqual(expected.answer);
      seen.graphs += 1;
      seen.broken += expected.breaks > 0 ? 1 : 0;
      seen.redone += [...whole.tree.steps.values()].filter(({ kind }) => kind === 'again').length;
      for (let cut = 1; cut < whole.chunks.length; cut += sized(3, 1)) {
        const frames = whole.chunks.slice(0, cut).map((chunk) => chunk.frames);
        const again = await recovered(graph, whole.run, frames);
        const name = `seed ${seed}, after ${cut} of ${whole.chunks.length}`;
        expect(again.problems, name).toEqual([]);
        expect(answerOf(again.tree), name).toEqual(expected.answer);
        seen.cuts += 1;
        if (expected.breaks > 0) continue;
        expect(outline(again.tree), name).toEqual(outline(whole.tree));
        const before = frames.flatMap((one) => decodeAll(one));
        expect(countOf([...again.ledger.values(), ...doneIn(before)]), name).toEqual(
          countOf(whole.ledger.values()),
        );
      }
    }
    tell('random graphs', seen);
    expect(types.filter((type) => !met.has(type))).toEqual([]);
    expect(seen).toMatchObject({ graphs });
    expect(seen.deepest).toBe(5);
    for (const count of [seen.joins, seen.inRounds, seen.redone, seen.broken])
      expect(count).toBeGreaterThan(0);
  },
);

interface Looking {
  readonly met: Set<string>;
  readonly seen: { joins: number; inRounds: number; deepest: number };
  readonly isInRounds: boolean;
}

function look({ nodes, edges }: DrawnPart, level: number, looking: Looking): void {
  const { met, seen, isInRounds } = looking;
  seen.deepest = Math.max(seen.deepest, level);
  for (const node of nodes) {
    met.add(node.type);
    const ways = edges.filter(({ to, port = 'done' }) => to === node.id && port !== 'done');
    if (node.type !== 'end' && ways.length > 0 && edges.filter(({ to }) => to === node.id).length > 1)
      seen.joins += 1;
    if (node.type === 'human' && isInRounds) seen.inRounds += 1;
    const inside = { ...looking, isInRounds: isInRounds || node.type === 'loop' || node.type === 'map' };
    for (const field of ['body', 'fallback']) {
      const part = node[field] as DrawnPart | undefined;
      if (part) look(part, level + 1, inside);
    }
  }
}
