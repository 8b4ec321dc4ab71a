import type { Json } from '../run/values.ts';

export interface PlannedTask {
  readonly key: string;
  readonly agent: string;
  readonly instructions: string;
  readonly reasoning: string;
  /** Keys of the tasks whose results it needs. */
  readonly dependsOn: readonly string[];
  /** Whose results it needs besides, as people read it, though they were left out of the plan. */
  readonly lacks?: readonly string[];
}

/** What becomes of a task when one that it needs has failed. */
export type OnFailure = 'skip' | 'ask' | 'continue';

export interface RoutePlan {
  readonly strategy: Strategy;
  readonly reasoning: string;
  readonly tasks: readonly PlannedTask[];
  /** A plan that was recorded before there was a choice goes on. */
  readonly onFailure?: OnFailure;
}

export const strategies = ['single', 'sequential', 'parallel', 'hybrid'] as const;
export type Strategy = (typeof strategies)[number];

/** What the router is asked to answer in: strict, so every property is required and none may be added. */
export function planSchema(agents: readonly string[]): Json {
  const task = {
    type: 'object',
    properties: {
      key: { type: 'string', description: 'A short name for this task, unlike those of the others.' },
      agent: { type: 'string', enum: [...agents] },
      instructions: { type: ['string', 'null'], description: 'Only what the message leaves unclear.' },
      reasoning: { type: ['string', 'null'], description: 'Why this agent, in one sentence.' },
      dependsOn: {
        type: ['array', 'null'],
        items: { type: 'string' },
        description: 'The keys of the tasks whose results it needs.',
      },
    },
    required: ['key', 'agent', 'instructions', 'reasoning', 'dependsOn'],
    additionalProperties: false,
  };
  return {
    type: 'object',
    properties: {
      strategy: { type: 'string', enum: [...strategies] },
      reasoning: { type: ['string', 'null'] },
      tasks: { type: 'array', items: task },
    },
    required: ['strategy', 'reasoning', 'tasks'],
    additionalProperties: false,
  };
}

export function planFor(agent: string, reasoning: string): RoutePlan {
  return {
    strategy: 'single',
    reasoning,
    tasks: [{ key: taskKey(0, agent), agent, instructions: '', reasoning, dependsOn: [] }],
  };
}

/** The key of a task's step. A router's own keys may be anything, also those of other steps. */
export function taskKey(place: number, agent: string): string {
  return `${place + 1} ${agent}`;
}

/** Which tasks could run at once, were all of them equally quick. What waits for itself is left over. */
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

/** The way from a task back to itself, without its end; empty where there is none. */
export function circleOf(task: PlannedTask, tasks: readonly PlannedTask[]): readonly PlannedTask[] {
  const seen = new Set<string>();
  const ways: (readonly PlannedTask[])[] = [[task]];
  for (const way of ways) {
    for (const key of way.at(-1)?.dependsOn ?? []) {
      if (key === task.key) return way;
      const next = seen.has(key) ? undefined : tasks.find((other) => other.key === key);
      seen.add(key);
      if (next) ways.push([...way, next]);
    }
  }
  return [];
}
