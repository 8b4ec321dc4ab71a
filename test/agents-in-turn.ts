// Agents with tools, one after the other, in one run: what one has called the others have called.
import { Engine } from './engine.ts';
import type { Scope } from '../src/engine/scope.ts';
import { converseIn } from '../src/flows/converse/converse.ts';
import type { ConverseRules } from '../src/flows/converse/course.ts';
import type { Gateway } from '../src/gateways/gateway.ts';
import type { Policy } from '../src/policies/policy.ts';
import type { RunTree } from '../src/run/tree.ts';
import type { Limits } from '../src/run/values.ts';
import type { Tool } from '../src/tools/tool.ts';
import { policies as usual } from './conversation.ts';
import { ended, flowOf, startRun, testWorld } from './world.ts';

export interface InTurn {
  readonly model: Gateway;
  readonly tools: readonly Tool[];
  readonly agents: readonly string[];
  readonly rules?: Partial<ConverseRules>;
  readonly limits?: Limits;
  readonly policies?: readonly Policy[];
  /** Whether each is a part of the run, in a step of its own; a single one is the run itself unless said. */
  readonly isPart?: boolean;
}

export async function converseInTurn(settings: InTurn): Promise<RunTree> {
  const { model, tools, agents, limits = {}, policies = usual } = settings;
  const flow = flowOf((scope, text) => answersOf(scope, text, settings));
  const known = agents.map((name) => ({ name, description: name, gateway: model, effect: 'pure' as const }));
  const world = testWorld({ flows: [flow], agents: known, tools }, { policies });
  const engine = new Engine(world, 'w1');
  const { run } = await startRun(engine, flow, { limits });
  const tree = await ended(world.store, run);
  await engine.idle();
  if (world.problems.length > 0) throw new Error('a bug was logged', { cause: world.problems[0] });
  return tree;
}

async function answersOf(
  scope: Scope,
  text: string,
  { agents, tools, rules = {}, isPart }: InTurn,
): Promise<string> {
  const answers: string[] = [];
  for (const agent of agents) {
    const converse = (place: Scope): Promise<string> =>
      converseIn(
        place,
        { agent, system: `You are the ${agent}.`, tools, rules },
        { text, attachments: [], labels: {} },
      );
    const isStep = isPart ?? agents.length > 1;
    answers.push(
      isStep ? await scope.step({ key: agent, kind: 'agent', agent }, converse) : await converse(scope),
    );
  }
  return answers.join(' ');
}
