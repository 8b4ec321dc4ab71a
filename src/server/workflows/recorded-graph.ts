import { configurationTenant } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import type { RunTree, Step } from '../../run/tree.ts';
import { isBlobRef, Json, workflowOfApp } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';
import type { ServerContext } from '../context.ts';
import { parseJson } from '../../wire/sse.ts';

/** The graph of a run as it recorded it, with whose it is; and what workflows inside said, by the step that looked. */
export interface RecordedGraph {
  readonly name: string;
  readonly hash: string;
  readonly tenant: string;
  readonly body: Json;
  readonly inner: (definition: Pick<Step, 'id'>) => Json | undefined;
}

type Home = Pick<ServerContext['home'], 'blobs'>;

export async function recordedGraph(
  home: Home,
  row: Pick<RunRow, 'run' | 'tenant' | 'app'>,
  tree: RunTree,
): Promise<RecordedGraph> {
  const name = workflowOfApp(row.app);
  const hash = tree.started?.definition;
  if (name === undefined || hash === undefined)
    throw new RunError('unknown', `Run ${row.run} is no run of a workflow: it has no graph.`);
  for (const tenant of [row.tenant, configurationTenant]) {
    const text = await home.blobs.get(tenant, hash);
    if (text === undefined) continue;
    const inside = await innerGraphs(home, row.tenant, tree);
    return { name, hash, tenant, body: read(text), inner: ({ id }) => inside.get(id) };
  }
  throw new RunError('unknown', 'The graph of this run is not there any more.');
}

/** Workflows inside are recorded by their hash: what they are called says nothing of what they were. */
async function innerGraphs(home: Home, tenant: string, tree: RunTree): Promise<ReadonlyMap<number, Json>> {
  const found = new Map<number, Json>();
  const known = new Map<string, Json>();
  for (const { id, kind, result } of tree.steps.values()) {
    if (kind !== 'definition' || !isBlobRef(result)) continue;
    const { blob } = result;
    const text = known.has(blob) ? undefined : await home.blobs.get(tenant, blob);
    if (text !== undefined) known.set(blob, read(text));
    const graph = known.get(blob);
    if (graph !== undefined) found.set(id, graph);
  }
  return found;
}

function read(text: string): Json {
  return Json.parse(parseJson(text));
}
