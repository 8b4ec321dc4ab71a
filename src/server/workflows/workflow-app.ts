import type { Flow } from '../../engine/scope.ts';
import { graphLimits } from '../../graph/worst-case.ts';
import { RunError } from '../../run/failure.ts';
import { atMost, present } from '../../run/tree.ts';
import { Limits, type Json, appOfWorkflow } from '../../run/values.ts';
import type { Author, WholeDefinition } from '../../front/definitions.ts';
import type { App } from '../folder/home.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { ceilingOf, goneFrom, misfit, workflowKind as kind, workflowProblems } from './workflow-problems.ts';

/** Which graph to run: the newest that is published, a version, or the draft as it is now. */
export interface WantedGraph {
  readonly name: string;
  readonly mode?: 'draft' | 'published' | undefined;
  readonly version?: number | undefined;
}

type Home = Pick<OpenFolder, 'definitions' | 'nameable' | 'catalog' | 'limits'>;

/** A workflow as an app: what it does is its definition. */
export async function workflowApp(home: Home, author: Author, wanted: WantedGraph): Promise<App> {
  const { name } = wanted;
  const { definition, body } = await graphToRun(home, author, wanted);
  return {
    name: appOfWorkflow(name),
    flow: workflowFlowIn(home.catalog),
    limits: limitsOf(home, { tenant: definition.tenant, body }),
    definition: async () => ({ tenant: definition.tenant, hash: definition.hash, body }),
  };
}

export function workflowFlowIn({ flows }: Home['catalog']): Flow {
  const flow = flows.find((known) => known.name === kind);
  if (flow) return flow;
  throw new RunError('disabled', 'This process read no configuration, and so runs no workflows.');
}

async function graphToRun(
  home: Home,
  author: Author,
  { name, mode, version }: WantedGraph,
): Promise<WholeDefinition> {
  const { tenant } = author;
  if (mode === 'draft') {
    if (version !== undefined)
      throw new RunError('malformed', '«version» is for what is published: leave it out, or «mode».');
    const draft = await home.definitions.read(author, { kind, name, version: 0 });
    const problems = await workflowProblems(home.nameable, draft.body, { tenant, name });
    if (problems.length > 0) throw misfit(name, problems);
    return draft;
  }
  const found = await home.definitions.read(author, { kind, name, version });
  if (found.definition.state === 'published') {
    const gone = goneFrom(home.nameable, found.body);
    if (gone.length > 0) throw misfit(name, gone);
    return found;
  }
  const message = `Version ${version} of the workflow «${name}» is archived: restore it, or start another.`;
  throw new RunError('rejected', message);
}

/** What a graph may use: what it says, or what every graph may that says nothing, and no more than is allowed here. */
export function limitsOf(
  { limits, nameable }: Pick<Home, 'limits' | 'nameable'>,
  { tenant, body }: { readonly tenant: string; readonly body: Json },
): Limits {
  const said = Limits.safeParse(Reflect.get(Object(body), 'limits') ?? {});
  const wanted = { ...limits, ...graphLimits, ...present(said.data ?? {}) };
  return atMost(ceilingOf(nameable, tenant) ?? {}, wanted);
}
