// Two agents, one after the other, in one run: what one has called the other has called.
import { Engine } from '../src/engine/engine.ts';
import { converseIn } from '../src/flows/converse.ts';
import type { ConverseRules } from '../src/flows/converse-settings.ts';
import type { Gateway, Turn } from '../src/gateways/gateway.ts';
import type { Move } from '../src/gateways/script.ts';
import { scriptedGateway } from '../src/gateways/scripted.ts';
import type { RunTree } from '../src/run/tree.ts';
import type { Limits } from '../src/run/values.ts';
import type { Tool } from '../src/tools/tool.ts';
import { policies } from './conversation.ts';
import { ended, flowOf, startRun, testWorld } from './world.ts';

export async function converseTwice(
  model: ((turn: Turn) => readonly Move[]) | Gateway,
  tools: readonly Tool[],
  { rules = {}, limits = {} }: { rules?: Partial<ConverseRules>; limits?: Limits } = {},
): Promise<{ readonly tree: RunTree; readonly turns: number }> {
  let turns = 0;
  const inner = typeof model === 'function' ? scriptedGateway(model) : model;
  const gateway: Gateway = {
    takeTurn(turn, signal) {
      turns += 1;
      return inner.takeTurn(turn, signal);
    },
  };
  const agents = ['first', 'second'].map((name) => ({
    name,
    description: name,
    gateway,
    effect: 'pure' as const,
  }));
  const flow = flowOf(async (scope, text) => {
    const answers: string[] = [];
    for (const agent of ['first', 'second']) {
      const settings = { agent, system: `You are the ${agent}.`, tools, rules };
      const input = { text, attachments: [], labels: {} };
      answers.push(
        await scope.step({ key: agent, kind: 'agent', agent }, (step) => converseIn(step, settings, input)),
      );
    }
    return answers.join(' ');
  });
  const world = testWorld({ flows: [flow], agents, tools }, { policies });
  const { run } = await startRun(new Engine(world, 'w1'), flow, { limits });
  return { tree: await ended(world.store, run), turns };
}
