import type { Settled } from '../../engine/scope.ts';
import { doneBefore, graphUntil, type Recorded } from '../../flows/workflow/alone.ts';
import type { WholeDefinition } from '../../front/definitions.ts';
import { Graph, type GraphNode } from '../../graph/graph.ts';
import { isDry } from '../../run/dry-run.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { type RunTree, present } from '../../run/tree.ts';
import { isBlobRef, Json, appOfWorkflow } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';
import type { GoingOn, TriedNode } from '../../wire/native/going-on.ts';
import type { Caller } from '../access/honest.ts';
import { type ServerContext } from '../context.ts';
import { missing, ownRun, expectOpen } from '../runs/quotas.ts';
import { startedOf } from '../runs/run-edges.ts';
import { withinMeans } from '../routes/start-run.ts';
import { limitsOf, workflowFlowIn } from './workflow-app.ts';
import { workflowInput } from './workflow-input.ts';
import { misfit, workflowKind as kind, workflowProblems } from './workflow-problems.ts';
import { parseJson } from '../../wire/sse.ts';

interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
  readonly heavy: (bytes: number) => Promise<void>;
}

interface Wanted extends TriedNode {
  readonly name: string;
  readonly node: string;
}

/** A run of one node and what is in it. What comes before it is known: it is not done, whatever it would do. */
export async function tryAlone(asking: Asking, given: Wanted): Promise<Omit<GoingOn, 'events'>> {
  const { context, caller, heavy } = asking;
  expectOpen(context);
  const wanted = context.home.secrets.cleanAll(given);
  const meant = await nodeMeant(asking, wanted);
  const row = await runMeant(asking, wanted);
  await heavy(row?.bytes ?? 0);
  const tree = row && (await context.trees.of(row));
  const recorded = endsIn(tree, wanted.outputs);
  const alone = await aloneIn(asking, { ...meant, recorded });
  const definition = Json.parse(alone);
  const { node } = meant;
  const known = wanted.input === undefined ? tree?.started?.input : undefined;
  const input = workflowInput(wanted.name, wanted.input);
  const started = {
    tenant: caller.tenant,
    who: caller.who,
    app: appOfWorkflow(wanted.name),
    conversation: context.newId('conversation'),
    input: known ?? input,
    flow: flowHere(context),
    limits: limitsOf(context.home, { tenant: caller.tenant, body: definition }),
    labels: {},
    tries: node.id,
    ...present({ forkedFrom: row && { run: row.run, seq: row.head } }),
  };
  const forked = await withinMeans(context, { tenant: caller.tenant, bytes: row?.bytes ?? 0 }, () =>
    context.home.front.fork({
      started,
      input: known ? undefined : input,
      title: `Try «${node.title ?? node.id}»`,
      kept: () => doneBefore(alone, node, recorded),
      definition,
    }),
  );
  return { ...forked, ...present({ from: row?.run }) };
}

interface Meant {
  readonly graph: Graph;
  readonly node: GraphNode;
}

/** The node of the draft, where there is one, or of what is published. What is wrong elsewhere in the graph is no matter. */
async function nodeMeant({ context, caller }: Asking, wanted: Wanted): Promise<Meant> {
  const { name, node: id } = wanted;
  const { body } = await definitionMeant(context, caller, wanted);
  const read = Graph.safeParse(body);
  if (!read.success)
    throw misfit(name, await workflowProblems(context.home.nameable, body, { tenant: caller.tenant, name }));
  const node = read.data.nodes.find((one) => one.id === id);
  if (node?.type === 'start')
    throw new RunError(
      'malformed',
      `«${id}» is the start of the workflow «${name}»: there is nothing to try.`,
    );
  if (node) return { graph: { ...read.data, name }, node };
  const [outer = ''] = id.split('/');
  if (!id.includes('/')) {
    const some = read.data.nodes.slice(0, 10).map((one) => one.id);
    const message = `The workflow «${name}» has no node «${id.slice(0, 100)}»: it has ${some.join(', ')}.`;
    throw new RunError('unknown', message);
  }
  throw new RunError(
    'malformed',
    `«${id.slice(0, 100)}» is inside another node: try «${outer}», with what is in it.`,
  );
}

async function definitionMeant(
  { home }: ServerContext,
  caller: Caller,
  { name, mode, version }: Wanted,
): Promise<WholeDefinition> {
  const published = async (): Promise<WholeDefinition> =>
    home.definitions.read(caller, { kind, name, version });
  if (mode === 'published' || version !== undefined) return published();
  try {
    return await home.definitions.read(caller, { kind, name, version: 0 });
  } catch (thrown) {
    if (mode === 'draft' || failureOf(thrown).code !== 'unknown') throw thrown;
    return published();
  }
}

/** The run that is named, or the last of the workflow that tried no node and was not dry: what a stand-in says must go nowhere. */
async function runMeant({ context, caller }: Asking, { name, run }: Wanted): Promise<RunRow | undefined> {
  const app = appOfWorkflow(name);
  if (run !== undefined) {
    const row = await ownRun({ context, caller }, run);
    if (row?.app !== app) throw missing(`run of the workflow «${name}»`, run);
    return row;
  }
  const rows = await context.home.dispatch.list({ tenant: caller.tenant, app, limit: mostLookedAt });
  for (const row of rows) {
    const began = await startedOf(context, row);
    if (began?.tries === undefined && !isDry(began?.labels ?? {})) return row;
  }
  return undefined;
}

const mostLookedAt = 50;

/** How the nodes of a run ended, but for those that somebody says gave something else. */
function endsIn(tree: RunTree | undefined, outputs: Wanted['outputs'] = {}): ReadonlyMap<string, Recorded> {
  const ends = new Map<string, Recorded>();
  for (const { parent, key, status, result, failure } of tree?.steps.values() ?? []) {
    if (parent !== 0) continue;
    if (status === 'completed') ends.set(key, { outcome: 'completed', result: result ?? null });
    if (status === 'failed' && failure) ends.set(key, { outcome: 'failed', failure });
  }
  for (const [id, output] of Object.entries(outputs))
    ends.set(id, { outcome: 'completed', result: { port: 'done', output } });
  return ends;
}

interface Known extends Meant {
  readonly recorded: ReadonlyMap<string, Recorded>;
}

async function aloneIn({ context, caller }: Asking, { graph, node, recorded }: Known): Promise<Graph> {
  const { home } = context;
  const { tenant } = caller;
  const ends: Record<string, Settled> = {};
  for (const { id, type } of graph.nodes) {
    const end = recorded.get(id);
    if (type === 'start') ends[id] = { outcome: 'completed', result: { port: 'done', output: null } };
    else if (end?.outcome === 'failed') ends[id] = end;
    else if (end) ends[id] = { outcome: 'completed', result: await whole(home, tenant, end.result) };
  }
  const alone = graphUntil(graph, node, ends);
  const problems = await workflowProblems(home.nameable, Json.parse(alone), {
    tenant,
    name: graph.name,
  });
  if (problems.length > 0) throw misfit(graph.name, problems);
  return alone;
}

async function whole({ blobs }: ServerContext['home'], tenant: string, value: Json): Promise<Json> {
  if (!isBlobRef(value)) return value;
  const text = await blobs.get(tenant, value.blob);
  if (text === undefined) throw new RunError('unknown', 'What the last run recorded is not there any more.');
  return Json.parse(parseJson(text));
}

function flowHere({ home }: ServerContext): { readonly name: string; readonly version: string } {
  const { name, version } = workflowFlowIn(home.catalog);
  return { name, version };
}
