import { z } from 'zod';
import { readAs } from '../run/values.ts';
import { broken, jsonWithin } from '../run/json-within.ts';
import {
  circleOf,
  roundsOf,
  strategies,
  taskKey,
  type PlannedTask,
  type RoutePlan,
  type Strategy,
} from './plan.ts';
import { withoutThoughts } from './without-thoughts.ts';

const mostTasks = 12;

const Name = z.union([z.string(), z.number()]).transform((name) => String(name).trim());
const Words = z.string().nullish().catch(null);

/** A task by the names that models use for its parts, the reference form of one choice among them. */
const Task: z.ZodType<Wanted> = z.union(
  [
    z.string().transform((agent) => ({ agent, key: undefined, words: '', why: '', needs: [] })),
    z
      .object({
        key: Name.nullish().catch(null),
        id: Name.nullish().catch(null),
        agent: z.string().nullish(),
        agent_name: z.string().nullish(),
        instructions: Words,
        additional_instructions: Words,
        reasoning: Words,
        dependsOn: z.union([z.array(Name), Name]).nullish(),
        depends_on: z.union([z.array(Name), Name]).nullish(),
      })
      .transform((task, context) => {
        const agent = task.agent ?? task.agent_name;
        if (agent == null) {
          context.addIssue({ code: 'custom', path: ['agent'], message: 'is missing' });
          return z.NEVER;
        }
        return {
          agent,
          key: task.key ?? task.id ?? undefined,
          words: task.instructions ?? task.additional_instructions ?? '',
          why: task.reasoning ?? '',
          needs: [task.dependsOn ?? task.depends_on ?? []].flat(),
        };
      }),
  ],
  { error: 'must name an agent' },
);

interface Wanted {
  readonly agent: string;
  readonly key: string | undefined;
  readonly words: string;
  readonly why: string;
  /** Whatever it calls those whose results it needs. */
  readonly needs: readonly string[];
}

const Plan = z.object({
  strategy: Words,
  reasoning: Words,
  tasks: z.array(Task, { error: 'must be a list of tasks' }).min(1, 'must name at least one task'),
});

/** An agent that a plan may name, by its name or by what people see. */
export interface Nameable {
  readonly name: string;
  readonly title?: string;
}

export interface ReadPlan {
  readonly plan: RoutePlan;
  /** A sentence for each thing that was put right. */
  readonly repairs: readonly string[];
}

const brokenPlan = "The router's plan cannot be read: its JSON is broken, or breaks off.";

/** A router's answer, read as leniently as its meaning allows; or why it is no plan. The last plan in it holds. */
export function readPlan(text: string, agents: readonly Nameable[]): ReadPlan | string {
  const found = [...jsonWithin(withoutThoughts(text))].map((value) =>
    value === broken ? brokenPlan : planIn(value, agents),
  );
  const plans = found.filter((one) => typeof one !== 'string');
  const last = plans.at(-1);
  // What came after a plan was to be another one.
  if (found.at(-1) === brokenPlan) return brokenPlan;
  if (!last) return found.find((one) => typeof one === 'string') ?? 'The router did not answer in JSON.';
  const different = new Set(plans.map(({ plan }) => JSON.stringify(plan))).size;
  if (different === 1) return last;
  const chosen = `The router gave ${different} plans that differ: the last one is followed.`;
  return { ...last, repairs: [chosen, ...last.repairs] };
}

function planIn(value: unknown, agents: readonly Nameable[]): ReadPlan | string {
  const read = readAs(Plan, asPlan(value));
  if (!read.fits) {
    const [{ path, message }] = read.wrong;
    return `The router's plan does not fit: ${path.join('.')} ${message}.`;
  }
  const { reasoning, tasks } = read.value;
  const repairs: string[] = [];
  const cast = tasks.map((task) => ({ ...task, agent: named(task.agent, agents) ?? '', wanted: task.agent }));
  const known = cast.filter(({ agent }) => agent !== '').slice(0, mostTasks);
  const strangers = cast.filter(({ agent }) => agent === '').map(({ wanted }) => `«${shown(wanted)}»`);
  const names = agents.map(({ name }) => name).join(', ');
  if (known.length === 0) return `The router chose ${strangers.join(', ')}, which is not among ${names}.`;
  if (strangers.length > 0)
    repairs.push(
      `${strangers.join(', ')} is not among ${names}: what the router planned for it is left out.`,
    );
  if (cast.length - strangers.length > mostTasks)
    repairs.push(`The router planned ${tasks.length} tasks: only the first ${mostTasks} are done.`);
  const strategy = strategyOf(read.value.strategy, known.length, repairs);
  const keyed = linked(cast, { known, strategy, repairs });
  const circle = wholeCircle(keyed, agents);
  if (circle !== undefined) return circle;
  const isHybrid = strategy !== 'sequential' && keyed.some(({ dependsOn }) => dependsOn.length > 0);
  if (isHybrid && strategy === 'parallel')
    repairs.push('The plan is called parallel, and some of its tasks wait for others as it says.');
  const fitting = isHybrid ? 'hybrid' : strategy;
  const plan = {
    strategy: keyed.length === 1 ? 'single' : fitting,
    reasoning: reasoning ?? '',
    tasks: keyed,
  };
  return { plan, repairs };
}

/** One after the other, unless the plan says what we know. How one task is done is no question. */
function strategyOf(name: string | null | undefined, tasks: number, repairs: string[]): Strategy {
  const wanted = name?.trim().toLowerCase();
  const known = strategies.find((one) => one === wanted);
  if (name && known === undefined && tasks > 1)
    repairs.push(
      `The strategy «${shown(name)}» is not among ${strategies.join(', ')}: the tasks are done one after the other.`,
    );
  return known ?? 'sequential';
}

/** Why nobody can begin, where each task waits for itself or for one that does. */
function wholeCircle(tasks: readonly PlannedTask[], agents: readonly Nameable[]): string | undefined {
  if (roundsOf(tasks).rounds.length > 0) return undefined;
  const circle = tasks.map((task) => circleOf(task, tasks)).find(({ length }) => length > 0) ?? [];
  const titles = [...circle, ...circle.slice(0, 1)].map(({ agent }) => {
    return agents.find(({ name }) => name === agent)?.title ?? agent;
  });
  return `Everybody in the router's plan waits for themselves (${titles.join(' → ')}).`;
}

/** A list is a list of tasks, and what names an agent is a plan of one. */
function asPlan(value: unknown): unknown {
  if (Array.isArray(value)) return { tasks: value };
  const isTask = typeof value === 'object' && value !== null && ('agent' in value || 'agent_name' in value);
  return isTask ? { strategy: 'single', tasks: [value] } : value;
}

function named(wanted: string, agents: readonly Nameable[]): string | undefined {
  const plain = (name: string): string => name.trim().toLowerCase();
  const exact = agents.find(({ name }) => name === wanted);
  const alike = agents.find(({ name }) => plain(name) === plain(wanted));
  return (exact ?? alike ?? agents.find(({ title }) => title && plain(title) === plain(wanted)))?.name;
}

interface Cast extends Wanted {
  /** Empty for one whom nobody knows. */
  readonly agent: string;
  /** As the router calls it. */
  readonly wanted: string;
}

interface Linking {
  readonly known: readonly Cast[];
  readonly strategy: Strategy;
  readonly repairs: string[];
}

/** The tasks that are done, under keys of their own, each with those that it waits for. */
function linked(cast: readonly Cast[], { known, strategy, repairs }: Linking): PlannedTask[] {
  const keys = new Map(known.map((task, i) => [task, taskKey(i, task.agent)]));
  const from = countedFrom(cast);
  return known.map((task, i) => {
    const needs = new Set<string>();
    const lacks = new Set<string>();
    const before = strategy === 'sequential' ? known[i - 1] : undefined;
    if (before) needs.add(keys.get(before) ?? '');
    for (const name of task.needs) {
      const needed = found(name, { cast, task, from });
      const key = needed && keys.get(needed);
      const isLater = strategy === 'sequential' && needed !== undefined && known.indexOf(needed) >= i;
      const waits = `«${task.agent}» is to wait for «${shown(name)}», which`;
      if (!needed) repairs.push(`${waits} is not in the plan: it does not wait for that.`);
      else if (isLater) repairs.push(`${waits} does not come before it: it does not wait for that.`);
      else if (key === undefined) lacks.add(`«${shown(needed.wanted)}»`);
      else needs.add(key);
    }
    const { agent, words: instructions, why: reasoning } = task;
    const linkedTask = { key: keys.get(task) ?? '', agent, instructions, reasoning, dependsOn: [...needs] };
    return lacks.size === 0 ? linkedTask : { ...linkedTask, lacks: [...lacks] };
  });
}

interface Search {
  readonly cast: readonly Cast[];
  readonly task: Cast;
  /** What the first place of the list is called, should places be meant. */
  readonly from: number;
}

/** By its key; else by its agent, if it is the only one of that; else by its place in the list. */
function found(name: string, { cast, task, from }: Search): Cast | undefined {
  const plain = name.toLowerCase();
  const byKey = cast.find(({ key }) => key === name) ?? cast.find(({ key }) => key?.toLowerCase() === plain);
  if (byKey) return byKey;
  const ofAgent = cast.filter(
    (other) => other !== task && (other.agent || other.wanted).toLowerCase() === plain,
  );
  if (ofAgent.length === 1) return ofAgent[0];
  return /^\d+$/.test(name) ? cast[Number(name) - from] : undefined;
}

/** Whoever names places instead of keys counts from 0, unless that leads nowhere or in a circle. */
function countedFrom(cast: readonly Cast[]): 0 | 1 {
  const places = cast.flatMap(({ needs }, i) =>
    needs.filter((name) => /^\d+$/.test(name)).map((name) => [i, Number(name)]),
  );
  if (places.some(([, place]) => place === 0)) return 0;
  return places.some(([i, place = 0]) => place === i || place >= cast.length) ? 1 : 0;
}

const longestShown = 60;

function shown(name: string): string {
  return name.length > longestShown ? `${name.slice(0, longestShown).toWellFormed()}…` : name;
}
