// One agent with tools, run to its end over real parts: the memory store, the engine, the policies.
import type { RunRequest } from '../src/front/front.ts';
import { Engine } from './engine.ts';
import { converse } from '../src/flows/converse/converse.ts';
import type { ConverseRules } from '../src/flows/converse/course.ts';
import type { Gateway, Message, Turn } from '../src/gateways/gateway.ts';
import type { Move } from '../src/gateways/scripted/script.ts';
import { scriptedGateway } from '../src/gateways/scripted/scripted.ts';
import { approval, budget, duplicate } from '../src/policies/standard.ts';
import type { RunTree, Step } from '../src/run/tree.ts';
import type { Tool } from '../src/tools/tool.ts';
import { ended, startRun, testWorld, type TestWorld } from './world.ts';

export const policies = [budget, duplicate, approval];

export interface Conversation {
  /** What the model does, from the turn alone; or a back end of its own. */
  readonly model: ((turn: Turn) => readonly Move[]) | Gateway;
  readonly tools?: readonly Tool[];
  readonly rules?: Partial<ConverseRules>;
  readonly request?: Partial<RunRequest>;
}

export interface Talk {
  readonly world: TestWorld;
  readonly engine: Engine;
  readonly run: string;
  /** What the model was sent, turn by turn. */
  readonly turns: Turn[];
}

export async function begin({ model, tools = [], rules = {}, request = {} }: Conversation): Promise<Talk> {
  const turns: Turn[] = [];
  const inner = typeof model === 'function' ? scriptedGateway(model) : model;
  const gateway: Gateway = {
    takeTurn(turn, signal) {
      turns.push(turn);
      return inner.takeTurn(turn, signal);
    },
  };
  const agents = [{ name: 'model', description: 'A model.', gateway, effect: 'pure' as const }];
  const flow = converse({ agent: 'model', system: 'Be exact.', tools, rules });
  const world = testWorld({ flows: [flow], agents, tools }, { policies });
  const engine = new Engine(world, 'w1');
  const { run } = await startRun(engine, flow, request);
  return { world, engine, run, turns };
}

export async function talk(conversation: Conversation): Promise<Talk & { readonly tree: RunTree }> {
  const talking = await begin(conversation);
  const tree = await ended(talking.world.store, talking.run);
  await talking.engine.idle();
  return { ...talking, tree };
}

/** How many results the model can see, in either protocol. */
export function resultsIn(messages: readonly Message[]): number {
  return messages.filter(({ role, text }) => role === 'tool' || text.includes('TOOL RESULT: ')).length;
}

export function stepsOf(tree: RunTree, kind: string): Step[] {
  return [...tree.steps.values()].filter((step) => step.kind === kind);
}

export function answerOf({ ended: over }: RunTree): string {
  if (typeof over?.answer !== 'string') throw new Error('there is no answer, or it is kept elsewhere');
  return over.answer;
}

export function say(text: string): Move {
  return { type: 'say', text };
}

export function ask(tool: string, input: unknown, call = 'c1'): Move {
  return { type: 'call', call, tool, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
}
