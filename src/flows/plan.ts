import { z } from 'zod';
import type { Json } from '../run/values.ts';

const Task = z.object({
  agent: z.string(),
  instructions: z.string().nullish(),
  reasoning: z.string().nullish(),
  /** Places of earlier tasks in the list, from 0. */
  dependsOn: z.array(z.int().nonnegative()).nullish(),
});

const Plan = z.object({
  strategy: z.enum(['single', 'sequential', 'parallel', 'hybrid']).catch('sequential'),
  reasoning: z.string().nullish(),
  tasks: z.array(Task).min(1).max(12),
});

/** The reference form of one choice, which many prompts and models know. */
const Choice = z.object({ agent_name: z.string(), additional_instructions: z.string().nullish() });

export interface PlannedTask {
  readonly key: string;
  readonly agent: string;
  readonly instructions: string;
  readonly reasoning: string;
  readonly dependsOn: readonly string[];
}

export interface RoutePlan {
  readonly strategy: 'single' | 'sequential' | 'parallel' | 'hybrid';
  readonly reasoning: string;
  readonly tasks: readonly PlannedTask[];
}

/** What the router is asked to answer in. */
export function planSchema(agents: readonly string[]): Json {
  const task = {
    type: 'object',
    properties: {
      agent: { type: 'string', enum: [...agents] },
      instructions: { type: ['string', 'null'], description: 'Only what the message leaves unclear.' },
      reasoning: { type: ['string', 'null'], description: 'Why this agent, in one sentence.' },
      dependsOn: {
        type: ['array', 'null'],
        items: { type: 'integer' },
        description: 'Tasks whose results it needs.',
      },
    },
    required: ['agent', 'instructions', 'reasoning', 'dependsOn'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      strategy: { type: 'string', enum: ['single', 'sequential', 'parallel', 'hybrid'] },
      reasoning: { type: ['string', 'null'] },
      tasks: { type: 'array', items: task, minItems: 1 },
    },
    required: ['strategy', 'reasoning', 'tasks'],
    additionalProperties: false,
  };
}

/** A router's answer as a plan, or why it is none. */
export function readPlan(text: string, agents: readonly string[]): RoutePlan | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'The router did not answer in JSON.';
  }
  const choice = Choice.safeParse(value);
  const wanted = choice.success
    ? {
        strategy: 'single',
        tasks: [{ agent: choice.data.agent_name, instructions: choice.data.additional_instructions }],
      }
    : value;
  const plan = Plan.safeParse(wanted);
  if (!plan.success)
    return `The router's plan does not fit: ${plan.error.issues[0]?.path.join('.')} ${plan.error.issues[0]?.message}.`;
  const stranger = plan.data.tasks.find(({ agent }) => !agents.includes(agent));
  if (stranger) return `The router chose «${stranger.agent}», which is not among ${agents.join(', ')}.`;
  return withKeys(plan.data);
}

export function planFor(agent: string, reasoning: string): RoutePlan {
  return {
    strategy: 'single',
    reasoning,
    tasks: [{ key: keyOf(0, agent), agent, instructions: '', reasoning, dependsOn: [] }],
  };
}

/** Which tasks can run at once, round by round. What depends on itself in a circle is left over. */
export function roundsOf(tasks: readonly PlannedTask[]): {
  rounds: readonly (readonly PlannedTask[])[];
  stuck: readonly PlannedTask[];
} {
  const rounds: PlannedTask[][] = [];
  const done = new Set<string>();
  let left = [...tasks];
  while (left.length > 0) {
    const ready = left.filter(({ dependsOn }) => dependsOn.every((key) => done.has(key)));
    if (ready.length === 0) break;
    rounds.push(ready);
    for (const { key } of ready) done.add(key);
    left = left.filter((task) => !ready.includes(task));
  }
  return { rounds, stuck: left };
}

function withKeys({ strategy, reasoning, tasks }: z.infer<typeof Plan>): RoutePlan {
  const keys = tasks.map(({ agent }, i) => keyOf(i, agent));
  const dependencies = (i: number, given: readonly number[] | null | undefined): string[] => {
    if (strategy === 'sequential') return keys.slice(Math.max(0, i - 1), i);
    if (strategy === 'hybrid') return (given ?? []).flatMap((place) => keys[place] ?? []);
    return [];
  };
  return {
    strategy: tasks.length === 1 ? 'single' : strategy,
    reasoning: reasoning ?? '',
    tasks: tasks.map(({ agent, instructions, reasoning: why, dependsOn }, i) => ({
      key: keys[i] ?? '',
      agent,
      instructions: instructions ?? '',
      reasoning: why ?? '',
      dependsOn: dependencies(i, dependsOn),
    })),
  };
}

function keyOf(place: number, agent: string): string {
  return `${place + 1} ${agent}`;
}
