// An application over scripted agents, for tests of the pipeline: what was sent to whom, and what became of it.
import { expect } from 'vitest';
import type { z } from 'zod';
import type { Agent } from '../src/catalog/agent.ts';
import type { ConfigInput } from '../src/catalog/config.ts';
import type { Flow } from '../src/engine/scope.ts';
import { pipeline, pipelineVersion, type PipelineMeans } from '../src/flows/pipeline/pipeline.ts';
import { checksOf } from '../src/flows/pipeline/guard.ts';
import { PipelineSettings } from '../src/flows/pipeline/settings.ts';
import { AppGuards } from '../src/guards/guard-settings.ts';
import type { Turn } from '../src/gateways/gateway.ts';
import { isOpen, type RunTree, type Step } from '../src/run/tree.ts';
import type { Attachment, Json } from '../src/run/values.ts';
import type { Tool } from '../src/tools/tool.ts';
import { Engine } from './engine.ts';
import { agentOf, ended, startRun, testWorld, toolOf, type TestWorld } from './world.ts';

/** What an application has unless a test says otherwise. */
const usual = {
  models: { planner: 'planner', enhancer: 'enhancer' },
  persona: { text: 'You are the desk.' },
  retrieval: { tools: ['find'] },
  skills: [
    { name: 'graph', type: 'agent', title: 'Graph', description: 'knows links' },
    { name: 'books', type: 'agent', title: 'Books', description: 'knows runbooks' },
    { name: 'shaky', type: 'agent', title: 'Shaky', description: 'fails' },
    { name: 'lookup', type: 'tool', title: 'Lookup', description: 'looks up' },
  ],
  chat: { welcome: 'Welcome.', sorry: 'Sorry.', starters: ['What?'] },
} as const;

/** A step of a plan in Echo's form. */
export function planStep(step: number, skill: string, more: Record<string, Json> = {}): Json {
  return {
    step,
    skill_id: skill,
    skill_type: 'agent',
    skill_name: skill,
    depends_on: [],
    parallel_group: null,
    input_source: 'user_input',
    output_key: `out_${step}`,
    ...more,
  };
}

export function planOf(strategy: string, steps: readonly Json[], more: Record<string, Json> = {}): Json {
  return {
    reasoning: 'because',
    execution_strategy: strategy,
    execution_plan: steps,
    final_output_from: null,
    needs_clarification: false,
    clarification_question: null,
    fallback_message: null,
    ...more,
  };
}

export const askBack = (question: string): Json =>
  planOf('single', [], { needs_clarification: true, clarification_question: question });

export interface PipelineCast {
  readonly world: TestWorld;
  readonly engine: Engine;
  readonly flow: Flow;
  readonly sent: Map<string, Turn[]>;
  readonly ask: (text: string, conversation?: string, attachments?: Attachment[]) => Promise<RunTree>;
}

export interface Casting {
  /** What the planner answers, one after the other; the last one again and again. */
  readonly plans: readonly (Json | string)[];
  readonly settings?: object;
  readonly agents?: readonly Agent[];
  readonly tools?: readonly Tool[];
  readonly guards?: z.input<typeof AppGuards>;
  readonly means?: Partial<PipelineMeans>;
}

export function castPipeline(casting: Casting): PipelineCast {
  const { settings = {}, guards = {}, means } = casting;
  const sent = new Map<string, Turn[]>();
  const tools = toolsOf(casting.tools ?? []);
  const flow: Flow = {
    name: 'pipeline',
    version: pipelineVersion,
    ...pipeline(PipelineSettings.parse({ ...usual, ...settings }), {
      checks: checksOf(AppGuards.parse(guards)),
      tool: (name) => tools.find((tool) => tool.name === name),
      app: () => Promise.reject(new Error('there are no apps here')),
      workflow: () => Promise.reject(new Error('there are no workflows here')),
      ...means,
    }),
  };
  const agents = agentsOf(casting).map((agent) => watched(agent, sent));
  const world = testWorld({ flows: [flow], agents, tools });
  const engine = new Engine(world, 'w');
  return {
    world,
    engine,
    flow,
    sent,
    async ask(text, conversation, attachments = []) {
      const more = conversation === undefined ? {} : { conversation };
      const { run } = await startRun(engine, flow, {
        input: { text, ...(attachments.length > 0 && { attachments }) },
        ...more,
      });
      const tree = await ended(world.store, run);
      await engine.idle();
      expect(world.problems).toEqual([]);
      expect([...tree.steps.values()].filter((step) => step.id !== 0 && isOpen(step))).toEqual([]);
      return tree;
    },
  };
}

/** The planner says one plan after the other; the enhancer makes everything clear; the others say the same each time. */
function agentsOf({ plans, agents = [] }: Pick<Casting, 'plans' | 'agents'>): readonly Agent[] {
  let planned = 0;
  const planner = agentOf('planner', () => {
    const plan = plans[Math.min(planned, plans.length - 1)];
    planned += 1;
    return [{ type: 'say', text: typeof plan === 'string' ? plan : JSON.stringify(plan) }];
  });
  const enhancer = agentOf('enhancer', ({ messages }) => {
    const made = {
      enhanced_prompt: `Clearly: ${messages.at(-1)?.text ?? ''}`,
      detected_intent: 'to know',
      confidence: 0.9,
    };
    return [{ type: 'say', text: JSON.stringify(made) }];
  });
  const usualOnes = [
    planner,
    enhancer,
    agentOf('graph', () => [{ type: 'say', text: 'three paths' }], 'idempotent'),
    agentOf('books', () => [{ type: 'say', text: 'see page 4' }], 'idempotent'),
    agentOf('shaky', () => [{ type: 'fail', code: 'unavailable', message: 'shaky is down' }], 'idempotent'),
  ];
  const names = new Set(agents.map(({ name }) => name));
  return [...usualOnes.filter(({ name }) => !names.has(name)), ...agents];
}

function watched(agent: Agent, sent: Map<string, Turn[]>): Agent {
  return {
    ...agent,
    gateway: {
      takeTurn(turn, signal) {
        sent.set(agent.name, [...(sent.get(agent.name) ?? []), turn]);
        return agent.gateway.takeTurn(turn, signal);
      },
    },
  };
}

function toolsOf(tools: readonly Tool[]): readonly Tool[] {
  const find = toolOf('find', () => ({ results: [{ title: 'Runbook 1', text: 'Splice the fibre.' }] }));
  const lookup = toolOf('lookup', (input) => `looked up ${JSON.stringify(input)}`, {
    schema: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  });
  return [find, lookup].filter(({ name }) => tools.every((tool) => tool.name !== name)).concat(tools);
}

/** The steps directly below another, by their keys, with how they stand. */
export function keysBelow(tree: RunTree, parent = 0): Record<string, string> {
  const below = [...tree.steps.values()].filter((step) => step.id !== 0 && step.parent === parent);
  return Object.fromEntries(below.map(({ key, status }) => [key ?? '', status]));
}

export function stepAt(tree: RunTree, key: string): Step {
  const step = [...tree.steps.values()].find((candidate) => candidate.key === key);
  if (!step) throw new Error(`no step «${key}»`);
  return step;
}

/** A configuration with an application «desk» over the same agents. */
export function deskConfig(
  casting: Pick<Casting, 'plans' | 'agents' | 'settings' | 'guards' | 'tools'>,
): ConfigInput {
  const agents = agentsOf(casting).map(({ name, description, gateway, effect, approval }) => [
    name,
    { description, gateway, effect, ...(approval === undefined ? {} : { approval }) },
  ]);
  return {
    agents: Object.fromEntries(agents),
    tools: [...toolsOf(casting.tools ?? [])],
    apps: {
      desk: {
        flow: 'pipeline',
        description: 'A desk.',
        settings: { ...usual, ...casting.settings },
        ...(casting.guards && { guards: casting.guards }),
      },
    },
  };
}

/** A configuration with an application for each casting, over the same agents; «gated» works where a person agrees. */
export function desksConfig(
  castings: Readonly<Record<string, Pick<Casting, 'plans' | 'guards' | 'settings'>>>,
  agents: readonly Agent[] = [],
): ConfigInput {
  const gated = agentOf('gated', ({ messages }) => [
    { type: 'say', text: `sent out: ${messages.at(-1)?.text ?? ''}` },
  ]);
  const skills = [
    ...usual.skills,
    { name: 'gated', type: 'agent', title: 'Gated', description: 'sends', passages: false },
  ];
  const all = Object.entries(castings).map(([name, { plans, guards, settings }]) => {
    const models = { ...usual.models, planner: `planner-${name}` };
    const one = deskConfig({
      plans,
      agents: [{ ...gated, approval: 'always' }, ...agents],
      settings: { models, skills, ...settings },
      ...(guards && { guards }),
    });
    const { planner, ...others } = one.agents ?? {};
    return {
      ...one,
      agents: { ...others, ...(planner && { [models.planner]: planner }) },
      apps: { ...(one.apps?.['desk'] && { [name]: one.apps['desk'] }) },
    };
  });
  const [first = {}] = all;
  return {
    ...first,
    agents: Object.assign({}, ...all.map((one) => one.agents)) as ConfigInput['agents'],
    apps: Object.assign({}, ...all.map((one) => one.apps)) as ConfigInput['apps'],
  };
}
