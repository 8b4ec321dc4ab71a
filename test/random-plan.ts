// Plans with dependencies, drawn from a seed, for agents that answer, fail, dawdle or say nothing: one agent for each task,
// so that nobody waits in line for another.
import type { CoordinateSettings } from '../src/flows/coordinate/settings.ts';
import { Chance } from './random.ts';

const natures = ['good', 'good', 'fails', 'slow', 'slow', 'silent'] as const;
export type Nature = (typeof natures)[number];

export interface DrawnTask {
  readonly key: string;
  readonly agent: string;
  readonly nature: Nature;
  readonly dependsOn: readonly string[];
}

const most = 8;
export const planAgents: readonly string[] = Array.from({ length: most }, (_, i) => `a${i}`);

export const planSettings: CoordinateSettings = {
  router: 'router',
  writer: 'writer',
  fallback: 'a0',
  agents: planAgents.map((name) => ({ name, description: name })),
};

export function drawPlan(seed: number): readonly DrawnTask[] {
  const chance = new Chance(seed);
  const count = chance.between(4, most);
  return Array.from({ length: count }, (_, i) => {
    const needs = Array.from({ length: chance.between(0, 2) }, () => chance.between(0, most));
    return {
      key: `t${i}`,
      agent: `a${i}`,
      nature: chance.pick(natures),
      dependsOn: [...new Set(needs.filter((place) => place < i))].map((place) => `t${place}`),
    };
  });
}

/** What the router says. */
export function planText(plan: readonly DrawnTask[]): string {
  const tasks = plan.map(({ key, agent, dependsOn }) => ({ key, agent, dependsOn }));
  return JSON.stringify({ strategy: 'hybrid', reasoning: null, tasks });
}

export type Fate = 'completed' | 'failed' | 'skipped';

/** How each task ends: those that need one that failed, or was skipped, are skipped. */
export function fatesOf(plan: readonly DrawnTask[]): ReadonlyMap<string, Fate> {
  const fates = new Map<string, Fate>();
  for (const { key, nature, dependsOn } of plan) {
    const isLost = dependsOn.some((other) => fates.get(other) !== 'completed');
    fates.set(key, isLost ? 'skipped' : nature === 'fails' ? 'failed' : 'completed');
  }
  return fates;
}

/** The tasks that have begun, or were skipped, when of the slow ones only these have ended. */
export function begunWhen(plan: readonly DrawnTask[], ended: ReadonlySet<string>): ReadonlySet<string> {
  const fates = fatesOf(plan);
  const [begun, settled] = [new Set<string>(), new Set<string>()];
  for (const { key, nature, dependsOn } of plan) {
    if (!dependsOn.every((other) => settled.has(other))) continue;
    begun.add(key);
    if (nature !== 'slow' || fates.get(key) === 'skipped' || ended.has(key)) settled.add(key);
  }
  return begun;
}
