// Stops against a synchronous `while (true)` three levels deep, as the scenario asserts and the benchmark times them.
import { z } from 'zod';
import { Engine } from '../engine.ts';
import { textOf, type RunTree, type Step } from '../../src/run/tree.ts';
import { killableTool } from '../../src/tools/killable/killable.ts';
import { agentOf, ended, entriesOf, flowOf, startRun, testWorld, until } from '../world.ts';

const busy = killableTool({
  name: 'busy',
  description: 'Never ends.',
  input: z.object({}),
  effect: 'pure',
  isolation: 'process',
  module: new URL('./busy.ts', import.meta.url),
  export: 'spin',
});

const deep = flowOf(async (scope) => {
  await scope.parallel({
    left: (one) =>
      one.step({ key: 'two' }, (two) => two.step({ key: 'three' }, (three) => three.call('busy', {}))),
    right: (one) => one.turn('talker', { messages: [{ role: 'user', text: 'go on' }] }),
  });
  return 'never';
}, 'deep');

export interface Stopped {
  readonly tree: RunTree;
  readonly pid: number;
  /** From asking to the end of the run being durable. */
  readonly milliseconds: number;
  /** Entries after the end, and what came between looking twice. */
  readonly later: number;
}

export async function stopOnce(): Promise<Stopped> {
  const talker = agentOf('talker', () => [{ type: 'say', text: 'x' }, { type: 'hang' }]);
  const world = testWorld({ flows: [deep], agents: [talker], tools: [busy] });
  const engine = new Engine(world, 'w');
  const over = new AbortController();
  const working = engine.work(over.signal);
  const { run } = await startRun(engine, deep);
  const spinning = await until(world.store, run, (tree) => spinner(tree) !== undefined);
  const pid = Number(textOf(spinner(spinning) as Step, 'log').split('/')[0]);
  const asked = performance.now();
  await engine.send(run, { type: 'stop', by: 'ann' });
  const tree = await ended(world.store, run);
  const milliseconds = performance.now() - asked;
  await engine.idle();
  const entries = await entriesOf(world.store, run);
  over.abort();
  await working;
  const later = (await entriesOf(world.store, run)).length - entries.length;
  return { tree, pid, milliseconds, later };
}

function spinner(tree: RunTree): Step | undefined {
  return [...tree.steps.values()].find((step) => step.call?.tool === 'busy' && textOf(step, 'log') !== '');
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
