import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import { jsonWithin } from '../../run/json-within.ts';
import type { Json } from '../../run/values.ts';
import { strategies, type PlannedTask, type RoutePlan } from '../plan.ts';
import { readPlan, type Nameable, type ReadPlan } from '../read-plan.ts';
import { withoutThoughts } from '../without-thoughts.ts';

/** What a planner decides: to ask back, to say what it cannot do, or who works. */
export type SkillPlan =
  | { readonly is: 'clarify'; readonly question: string; readonly reasoning: string }
  | { readonly is: 'fallback'; readonly message: string; readonly reasoning: string }
  | { readonly is: 'work'; readonly route: RoutePlan; readonly finalFrom: readonly string[] };

export interface ReadSkillPlan {
  readonly plan: SkillPlan;
  readonly repairs: readonly string[];
}

const Name = z.union([z.string(), z.number()]).transform((name) => String(name).trim());
const Words = z.string().nullish().catch(null);

const Step = z.object({
  step: Name.nullish().catch(null),
  skill_id: Words,
  skill_name: Words,
  depends_on: z
    .union([z.array(Name), Name])
    .nullish()
    .catch(null),
  parallel_group: Name.nullish().catch(null),
  input_source: Words,
  output_key: Words,
});
type Step = z.infer<typeof Step>;

const Plan = z.object({
  reasoning: Words,
  execution_strategy: Words,
  execution_plan: z.array(Step).nullish(),
  final_output_from: z
    .union([z.array(Name), Name])
    .nullish()
    .catch(null),
  needs_clarification: z.boolean().nullish().catch(null),
  clarification_question: Words,
  fallback_message: Words,
});
type Plan = z.infer<typeof Plan>;

/** What the planner is asked to answer in: strict, so every property is required and none may be added. */
export function skillPlanSchema(skills: readonly { readonly name: string; readonly type: string }[]): Json {
  const text = { type: ['string', 'null'] };
  const step = {
    type: 'object',
    properties: {
      step: { type: 'integer', description: 'Counted from 1.' },
      skill_id: { type: 'string', enum: skills.map(({ name }) => name) },
      skill_type: { type: 'string', enum: [...new Set(skills.map(({ type }) => type))] },
      skill_name: text,
      depends_on: { type: 'array', items: { type: 'integer' }, description: 'Steps whose output it needs.' },
      parallel_group: { type: ['integer', 'null'], description: 'Steps of one group work at once.' },
      input_source: { ...text, description: 'user_input, step_N_output or merged' },
      output_key: text,
    },
    required: [
      'step',
      'skill_id',
      'skill_type',
      'skill_name',
      'depends_on',
      'parallel_group',
      'input_source',
      'output_key',
    ],
    additionalProperties: false,
  };
  const properties = {
    reasoning: text,
    execution_strategy: { type: 'string', enum: [...strategies] },
    execution_plan: { type: 'array', items: step },
    final_output_from: { ...text, description: 'The step, or its output_key, whose output is the answer.' },
    needs_clarification: { type: 'boolean' },
    clarification_question: text,
    fallback_message: { ...text, description: 'Where no skill fits: what cannot be done, in a sentence.' },
  };
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** A planner's answer, read as leniently as its meaning allows. Fails with why it is no plan. */
export function readSkillPlan(text: string, skills: readonly Nameable[]): ReadSkillPlan {
  const said = lastPlan(text);
  const reasoning = said.reasoning ?? '';
  const question = said.clarification_question?.trim() ?? '';
  const steps = said.execution_plan ?? [];
  if (said.needs_clarification === true && question !== '')
    return { plan: { is: 'clarify', question, reasoning }, repairs: [] };
  if (steps.length === 0) {
    const message = said.fallback_message?.trim() ?? '';
    return { plan: { is: 'fallback', message, reasoning }, repairs: [] };
  }
  const read = readPlan(JSON.stringify(asTasks(said, steps)), skills);
  if (typeof read === 'string') throw new RunError('malformed', read.replaceAll('router', 'planner'));
  return worked(said, read, knownSteps(steps, skills));
}

function worked(said: Plan, { plan, repairs }: ReadPlan, steps: readonly Step[]): ReadSkillPlan {
  const keys = new Map(plan.tasks.map(({ key }, i) => [key, `skill_${i + 1}`]));
  const tasks = plan.tasks.map((task): PlannedTask => ({
    ...task,
    key: keys.get(task.key) ?? task.key,
    dependsOn: task.dependsOn.map((key) => keys.get(key) ?? key),
  }));
  const wanted = [said.final_output_from ?? []].flat();
  const found = wanted.flatMap((name) => placeOf(name, steps)).map((place) => `skill_${place + 1}`);
  const lost = wanted.length > 0 && found.length === 0 && !wanted.includes('merged');
  const told = lost
    ? [`The answer was to come from «${wanted.join(', ').slice(0, 60)}», which is not in the plan.`]
    : [];
  const route: RoutePlan = { ...plan, tasks, onFailure: 'continue' };
  return {
    plan: { is: 'work', route, finalFrom: found.length > 0 ? found : lastOf(route) },
    repairs: [...repairs.map((repair) => repair.replaceAll('router', 'planner')), ...told],
  };
}

/** Unless it is said, the answer comes from those whom nobody waits for. */
function lastOf({ tasks }: RoutePlan): string[] {
  const needed = new Set(tasks.flatMap(({ dependsOn }) => dependsOn));
  const last = tasks.filter(({ key }) => !needed.has(key)).map(({ key }) => key);
  return last.length > 0 ? last : tasks.map(({ key }) => key);
}

function lastPlan(text: string): Plan {
  const plans = [...jsonWithin(withoutThoughts(text))].flatMap((value) => {
    const parsed = Plan.safeParse(value);
    return parsed.success && isPlan(parsed.data) ? [parsed.data] : [];
  });
  const last = plans.at(-1);
  if (last) return last;
  throw new RunError('malformed', 'The planner did not answer with a plan in JSON.');
}

function isPlan(plan: Plan): boolean {
  return plan.execution_plan != null || plan.needs_clarification != null || plan.fallback_message != null;
}

/** The plan in the form that coordinators read. */
function asTasks(said: Plan, steps: readonly Step[]): object {
  return {
    strategy: said.execution_strategy,
    reasoning: said.reasoning,
    tasks: steps.map((step, i) => ({
      agent: step.skill_id ?? step.skill_name ?? '',
      key: step.step ?? String(i + 1),
      dependsOn: [
        ...new Set([
          ...[step.depends_on ?? []].flat(),
          ...sourcesOf(step, steps),
          ...groupBefore(step, steps),
        ]),
      ],
    })),
  };
}

/** `step_2_output`, or the key of another step's output, is a dependency that nobody needs to say twice. */
function sourcesOf(step: Step, steps: readonly Step[]): string[] {
  const source = step.input_source?.trim() ?? '';
  const numbered = /^step_(\d+)(?:_output)?$/.exec(source)?.[1];
  const other = steps.find((one) => one !== step && one.output_key === source && source !== '');
  return [numbered ?? [], other?.step ?? []].flat();
}

/** Groups work one after the other, in the order of their numbers. */
function groupBefore(step: Step, steps: readonly Step[]): string[] {
  const own = Number(step.parallel_group ?? Number.NaN);
  const groups = steps.map((one) => Number(one.parallel_group ?? Number.NaN)).filter((group) => group < own);
  const before = Math.max(...groups);
  return steps.flatMap((one, i) =>
    Number(one.parallel_group ?? Number.NaN) === before ? [one.step ?? String(i + 1)] : [],
  );
}

/** Those that are done, in the order in which the tasks are. */
function knownSteps(steps: readonly Step[], skills: readonly Nameable[]): readonly Step[] {
  const names = new Set(
    skills.flatMap(({ name, title }) => [name, title ?? name]).map((name) => name.trim().toLowerCase()),
  );
  return steps.filter((step) => names.has((step.skill_id ?? step.skill_name ?? '').trim().toLowerCase()));
}

/** By the number of a step, by `step_2_output`, by the key of its output, or by its skill. */
function placeOf(name: string, steps: readonly Step[]): number[] {
  const number = /^(?:step_)?(\d+)(?:_output)?$/.exec(name)?.[1];
  const place = steps.findIndex(
    (step, i) =>
      (number !== undefined && (step.step ?? String(i + 1)) === number) ||
      step.output_key === name ||
      step.skill_id === name,
  );
  return place < 0 ? [] : [place];
}
