import { appOfWorkflow, type Json } from '../../run/values.ts';
import type { Definition } from '../../run/definition.ts';
import type { PublishedWorkflow, WorkflowDraft, WorkflowVersion } from '../../wire/native/workflows.ts';
import type { ServerContext } from '../context.ts';
import { workflowProblems } from './workflow-problems.ts';
import { present } from '../../run/tree.ts';

type Graph = WorkflowDraft['graph'];

/** A definition's body, which a draft is also kept by: a JSON object. */
export function graphOf(body: Json): Graph {
  return Object(body) as Graph;
}

/** A draft as clients have it, with what is wrong with it now. */
export async function toldDraft(
  context: ServerContext,
  { tenant, name, revision, hash, by, at }: Definition,
  body: Json,
): Promise<WorkflowDraft> {
  const problems = await workflowProblems(context.home.nameable, body, { tenant, name });
  return { name, revision, hash, by, at, graph: graphOf(body), problems: [...problems] };
}

export function toldVersion(
  { version, state, revision, hash, by, at }: Definition,
  open?: ReadonlyMap<string, number>,
): WorkflowVersion {
  return { version, state, revision, hash, by, at, ...present({ open: open?.get(hash) }) };
}

const pageOfRuns = 1_000;

/** How many runs of a workflow have not ended, by the hash of what they began with. */
export async function openRuns(
  { home }: ServerContext,
  { tenant, name }: { readonly tenant: string; readonly name: string },
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const filter = { tenant, app: appOfWorkflow(name), unfinished: true, limit: pageOfRuns };
  for (let after: string | undefined; ;) {
    const rows = await home.dispatch.list({ ...filter, ...present({ after }) });
    for (const { facts } of rows)
      if (facts.definition !== undefined)
        counts.set(facts.definition, (counts.get(facts.definition) ?? 0) + 1);
    if (rows.length < pageOfRuns) return counts;
    after = rows.at(-1)?.run;
  }
}

/** What still runs on which version. */
export function openByVersion(
  open: ReadonlyMap<string, number>,
  versions: readonly Definition[],
): PublishedWorkflow['open'] {
  return [...open].map(([hash, runs]) => ({
    version: versions.findLast((known) => known.hash === hash && known.version > 0)?.version ?? null,
    hash,
    runs,
  }));
}
