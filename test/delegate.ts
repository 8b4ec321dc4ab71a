import type { RunRequest } from '../src/front/front.ts';
import { Engine } from './engine.ts';
import type { Agent } from '../src/catalog/agent.ts';
import type { RunTree } from '../src/run/tree.ts';
import { ended, flowOf, startRun, testWorld, type Problem, type TestWorld } from './world.ts';

export interface Delegated {
  readonly tree: RunTree;
  readonly world: TestWorld;
  readonly run: string;
}

/** Hands one message to an agent elsewhere, through the engine, and waits for the run to end. */
export async function delegate(
  agent: Pick<Agent, 'gateway'> & Partial<Agent>,
  text = 'hello',
  more: Partial<RunRequest> = {},
): Promise<Delegated> {
  const name = agent.name ?? 'agent';
  const flow = flowOf(async (scope, asked) => {
    const { text: said } = await scope.turn(name, { messages: [{ role: 'user', text: asked }] });
    return said;
  });
  const agents: Agent[] = [{ description: '', effect: 'once', ...agent, name }];
  const world = testWorld({ flows: [flow], agents });
  const engine = new Engine(world, 'w1');
  const { run } = await startRun(engine, flow, { input: { text }, ...more });
  const tree = await ended(world.store, run);
  await engine.idle();
  return { tree, world, run };
}

/** What was logged, but for where connections were lost. */
export function bugsIn({ problems }: { readonly problems: readonly Problem[] }): readonly Problem[] {
  return problems.filter(({ cause }) => !String(cause).startsWith('Error: http://127.0.0.1:'));
}
