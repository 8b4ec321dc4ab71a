import { configurationTenant, type Definition } from '../../run/definition.ts';
import type { ListedWorkflow, WorkflowPage } from '../../wire/native/workflows.ts';
import type { OpenFolder } from '../folder/open-folder.ts';
import { goneFromEach, workflowKind as kind } from './workflow-problems.ts';
import type { Json } from '../../run/values.ts';
import { parseJson } from '../../wire/sse.ts';

export interface Listing {
  readonly tenant: string;
  /** The name to go on after. */
  readonly after?: string | undefined;
  readonly limit: number;
}

/** A page of the workflows that a tenant can run or change, by their names, and what their graphs may name. */
export async function listWorkflows(
  home: Pick<OpenFolder, 'store' | 'catalog' | 'nameable'>,
  { tenant, after, limit }: Listing,
): Promise<WorkflowPage> {
  const owners = [tenant, configurationTenant];
  const rows = await Promise.all(owners.map((owner) => rowsAfter(home, { tenant: owner, after, limit })));
  const byName = Map.groupBy(rows.flat(), ({ name }) => name);
  const names = [...byName.keys()].toSorted().slice(0, limit + 1);
  const page = names.slice(0, limit);
  const listed = await Promise.all(page.map((name) => listedWorkflow(home, name, byName.get(name) ?? [])));
  const runnable = listed.map(({ told, graph }) => (told.published ? graph : {}));
  const gone = await goneFromEach(home.nameable, tenant, runnable);
  const { agents, tools } = home.catalog;
  return {
    workflows: listed.map(({ told }, i) => ({
      ...told,
      problems: gone[i]?.length ? [...gone[i]] : undefined,
    })),
    next: names.length > limit ? (page.at(-1) ?? null) : null,
    known: {
      agents: agents.map(named),
      tools: tools.map(named),
      connections: [...home.nameable.connections],
    },
  };
}

function named({ name, description }: { readonly name: string; readonly description: string }) {
  return { name, description: description === '' ? undefined : description };
}

/** All rows of so many names, and of one more. */
async function rowsAfter(
  { store }: Pick<OpenFolder, 'store'>,
  { tenant, after, limit }: Listing,
): Promise<readonly Definition[]> {
  const found: Definition[] = [];
  const names = new Set<string>();
  let place = after === undefined ? undefined : { kind, name: after, version: Number.MAX_SAFE_INTEGER };
  for (;;) {
    const rows = await store.definitions.list({ tenant, kind, after: place });
    for (const row of rows) {
      names.add(row.name);
      // The last name may have more rows than have come.
      if (names.size > limit + 1) return found;
      found.push(row);
    }
    const last = rows.at(-1);
    if (!last) return found;
    place = last;
  }
}

async function listedWorkflow(
  { store }: Pick<OpenFolder, 'store'>,
  name: string,
  rows: readonly Definition[],
): Promise<{ readonly told: ListedWorkflow; readonly graph: Json }> {
  const draft = rows.find(({ state }) => state === 'draft');
  const published = rows.findLast(({ state }) => state === 'published');
  const shown = published ?? draft ?? rows.at(-1);
  const text = shown && (await store.blobs.get(shown.tenant, shown.hash));
  const graph = (text === undefined ? {} : parseJson(text)) as Json;
  const { title, schedules } = Object(graph) as Record<string, unknown>;
  const told = {
    name,
    title: typeof title === 'string' ? title : undefined,
    readOnly: rows[0]?.tenant === configurationTenant,
    draft: draft && { revision: draft.revision, ...madeIn(draft) },
    published: published && { version: published.version, ...madeIn(published) },
    versions: rows.filter(({ version }) => version > 0).length,
    schedules: published && Array.isArray(schedules) ? schedules.length : undefined,
  };
  return { told, graph };
}

function madeIn({ hash, by, at }: Definition) {
  return { hash, by, at };
}
