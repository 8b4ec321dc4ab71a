import type { Catalog } from '../../engine/world.ts';
import type { BodyCheck } from '../../front/definitions.ts';
import { problemsIn } from '../../graph/validate.ts';
import { graphLimits } from '../../graph/worst-case.ts';
import { problemOf, type Problem } from '../../graph/problem.ts';
import type { Known } from '../../graph/place.ts';
import { unknownNames } from '../../graph/unknown-names.ts';
import { configurationTenant, type DefinitionKey } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import type { Json, Limits } from '../../run/values.ts';
import type { Store } from '../../stores/store.ts';
import { wrongSettings } from './wrong-settings.ts';
import { present } from '../../run/tree.ts';

/** What definitions of workflows are called. */
export const workflowKind = 'workflow';

/** What a graph may name: agents and tools that are configured, and workflows of the tenant. */
export interface Nameable {
  readonly catalog: Pick<Catalog, 'agents' | 'tools' | 'absence'>;
  /** False where nobody works: then it is not known what tools there are. */
  readonly hasTools: boolean;
  readonly definitions: Pick<Store['definitions'], 'versions' | 'list'>;
  /** Workflows of the configuration: they may name each other, whichever is published first. */
  readonly configured: readonly string[];
  /** The names of those that requests are sent by. */
  readonly connections: readonly string[];
  /** What the configuration lets every run use. */
  readonly limits: Limits;
}

type About = Pick<DefinitionKey, 'tenant' | 'name'>;

/** Everything that is wrong with a graph as the workflow of this name; nothing, where it can be published. */
export async function workflowProblems(
  nameable: Nameable,
  graph: Json,
  { tenant, name }: About,
): Promise<readonly Problem[]> {
  const used = namesIn(graph);
  const known = {
    ...configuredFor(nameable, used),
    workflows: await workflowsAmong(nameable, tenant, used.workflows.keys()),
    ...present({ limits: ceilingOf(nameable, tenant) }),
  };
  const problems = problemsIn(graph, known);
  return [...nameProblems(graph, name), ...selfProblems(used.workflows, name), ...problems];
}

/** What is configured that a graph may name. A tool that will be back counts as there. */
function configuredFor({ catalog, hasTools, connections }: Nameable, { tools }: Used): Known {
  const agents = catalog.agents.map(({ name }) => name);
  const coming = [...tools].filter((tool) => catalog.absence?.(tool) !== undefined);
  return {
    agents: new Set(agents),
    ...(hasTools ? { tools: new Set([...catalog.tools.map(({ name }) => name), ...coming]) } : {}),
    connections: new Set(connections),
    settings: (node) => wrongSettings(node, agents),
  };
}

/**
 * Agents, tools and connections that a graph names and that are not configured any more: it could be published, and cannot be
 * run now. A workflow that is not there may come (WF40).
 */
export function goneFrom(nameable: Nameable, graph: Json): readonly Problem[] {
  return unknownNames(graph, configuredFor(nameable, namesIn(graph)));
}

/** The same of several, workflows included, as a list tells it: the first few of each. */
export async function goneFromEach(
  nameable: Nameable,
  tenant: string,
  graphs: readonly Json[],
): Promise<readonly (readonly Problem[])[]> {
  const used = graphs.map(namesIn);
  const named = new Set(used.flatMap(({ workflows }) => [...workflows.keys()]));
  const workflows = named.size === 0 ? new Set<string>() : await workflowsAmong(nameable, tenant, named);
  return graphs.map((graph, i) => {
    const known = configuredFor(nameable, used[i] ?? namesIn(graph));
    return unknownNames(graph, { ...known, workflows }, mostListed);
  });
}

/** Problems of one workflow in a list. */
const mostListed = 5;

/** What people make uses no more than whoever runs the server allows; what is configured is theirs, too. */
export function ceilingOf({ limits }: Pick<Nameable, 'limits'>, tenant: string): Limits | undefined {
  return tenant === configurationTenant ? undefined : { ...graphLimits, ...limits };
}

/** A draft may be anything; what is published has no problems. */
export function workflowChecker(nameable: Nameable): BodyCheck {
  return async (body, { tenant, name, state }) => {
    if (state === 'draft') return;
    const problems = await workflowProblems(nameable, body, { tenant, name });
    if (problems.length > 0) throw misfit(name, problems);
  };
}

/** One failure for all that is wrong: its sentence has the first, `problems` has each. */
export function misfit(name: string, problems: readonly Problem[]): RunError {
  const [first, ...more] = problems;
  const where = [first?.node, first?.field].filter((part) => part !== '').join('.');
  const also = more.length === 0 ? '' : ` And ${more.length} more.`;
  const problem = (first?.problem ?? '').replace(/[^.!?]$/, '$&.');
  const message = `The workflow «${name}» cannot be used: ${where === '' ? '' : `${where}: `}${problem} ${first?.fix ?? ''}${also}`;
  return new RunError('malformed', message, { problems: [...problems] });
}

function nameProblems(graph: Json, name: string): readonly Problem[] {
  const called: unknown = Reflect.get(Object(graph), 'name');
  if (called === name || typeof called !== 'string') return [];
  return [problemOf('another-name', { node: '', field: 'name' }, { called: called.slice(0, 80), name })];
}

function selfProblems(workflows: ReadonlyMap<string, string>, name: string): readonly Problem[] {
  const node = workflows.get(name);
  if (node === undefined) return [];
  return [problemOf('starts-itself', { node, field: 'workflow' })];
}

interface Used {
  readonly tools: ReadonlySet<string>;
  /** With the node that names each. */
  readonly workflows: ReadonlyMap<string, string>;
}

/** What the nodes of a graph name, whatever else is wrong with it. A list, not recursion. */
function namesIn(graph: Json): Used {
  const tools = new Set<string>();
  const workflows = new Map<string, string>();
  const values: Json[] = [graph];
  for (const value of values) {
    if (typeof value !== 'object' || value === null) continue;
    const { tool, tools: several, workflow, id } = value as { readonly [name: string]: Json | undefined };
    for (const name of [tool, several].flat()) if (typeof name === 'string') tools.add(name);
    if (typeof workflow === 'string') workflows.set(workflow, typeof id === 'string' ? id : '');
    for (const inner of Object.values(value)) values.push(inner);
  }
  return { tools, workflows };
}

/** Those a tenant has, some of them; and of those that are named, each there is. */
async function workflowsAmong(
  { definitions, configured }: Nameable,
  tenant: string,
  named: Iterable<string>,
): Promise<ReadonlySet<string>> {
  const known = new Set<string>(configured);
  const names = [...named];
  for (const owner of [tenant, configurationTenant]) {
    const listed = await definitions.list({ tenant: owner, kind: workflowKind, state: 'published' });
    for (const { name } of listed) known.add(name);
    for (const name of names) {
      if (known.has(name)) continue;
      const versions = await definitions.versions({ tenant: owner, kind: workflowKind, name });
      if (versions.some(({ state }) => state === 'published')) known.add(name);
    }
  }
  return known;
}
