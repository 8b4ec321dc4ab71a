import { fillSchema, properties, type Giver } from '../fill-schema.ts';
import { field, list, type Json } from '../json.ts';
import { descriptionOf } from '../described.ts';
import { planFor, type RoutePlan, type Task } from '../route-plan.ts';
import { say, type Rule } from '../rule.ts';
import { joined } from '../words.ts';

/** Requests for JSON that names agents: who works on a message, in which order, and why. */
export const routing: Rule = {
  name: 'routing',
  reply(situation) {
    const { schema } = situation;
    const names = schema === undefined ? [] : agentNames(schema);
    if (schema === undefined || names.length === 0) return undefined;
    const plan = planFor(
      situation,
      names.map((name) => ({ name, description: descriptionOf(name, situation) })),
    );
    return say(
      JSON.stringify(fillSchema(schema, giverFor(plan))),
      `${joined(plan.tasks.map(({ agent }) => agent))}: ${plan.why}`,
    );
  },
};

/** The values of the first property that is called after agents and has a list of them. */
function agentNames(schema: Json): string[] {
  for (const [name, part] of Object.entries(properties(schema))) {
    const own = isAgent(name) ? strings(part) : [];
    const found = own.length > 0 ? own : agentNames(field(part, 'items') ?? part);
    if (found.length > 0) return found;
    if (isAgent(name)) {
      const inItems = strings(field(part, 'items') ?? {});
      if (inItems.length > 0) return inItems;
    }
  }
  return [];
}

function isAgent(name: string): boolean {
  return /agent|assignee|worker/i.test(name);
}

function strings(schema: Json): string[] {
  return list(schema, 'enum').filter((value) => typeof value === 'string');
}

/** Fits the plan into whatever form was asked for, by what its properties are called. */
function giverFor({ strategy, why, tasks }: RoutePlan): Giver {
  const [first] = tasks;
  return (name, schema) => {
    const items = field(schema, 'items');
    if (items !== undefined && isAgent(name) && strings(items).length > 0)
      return tasks.map(({ agent }) => agent);
    if (items !== undefined && agentNames(items).length > 0)
      return tasks.map((task, i) => fillSchema(items, taskGiver(task, i)));
    if (list(schema, 'enum').includes('parallel'))
      return list(schema, 'enum').includes(strategy) ? strategy : 'sequential';
    if (/reason|why|rationale|thought/i.test(name)) return why;
    return first && tasks.length > 0 ? taskGiver(first, 0)(name, schema) : undefined;
  };
}

function taskGiver({ agent, instructions, why, after }: Task, place: number): Giver {
  return (name, schema) => {
    if (isAgent(name) && strings(schema).includes(agent)) return agent;
    if (/reason|why|rationale|thought/i.test(name)) return why;
    if (/instruction|message|query|task|prompt/i.test(name) && field(schema, 'items') === undefined)
      return instructions ?? (isOptional(schema) ? null : '');
    if (/^(?:id|key|step)$/i.test(name)) return field(schema, 'type') === 'integer' ? place : String(place);
    if (/depend|after|needs|requires/i.test(name)) {
      const isText = field(field(schema, 'items'), 'type') === 'string';
      return after.map((i) => (isText ? String(i) : i));
    }
    return undefined;
  };
}

function isOptional(schema: Json): boolean {
  const type = field(schema, 'type');
  return (Array.isArray(type) && type.includes('null')) || field(schema, 'anyOf') !== undefined;
}
