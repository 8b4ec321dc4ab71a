import { movedIn } from '../../front/definition-moves.ts';
import { graphDiff } from '../../front/graph-diff.ts';
import { type Definition, configurationTenant } from '../../run/definition.ts';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { pageSize } from '../../wire/native/query.ts';
import * as native from '../../wire/native/workflows.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { route } from '../routes/route.ts';
import { listWorkflows } from './list-workflows.ts';
import { graphOf, openByVersion, openRuns, toldDraft, toldVersion } from './told-versions.ts';
import { workflowKind as kind, workflowProblems } from './workflow-problems.ts';

/** Drafts and versions of workflows. */
export const workflowDefinitionRoutes = [
  route({
    ...native.listWorkflows,
    handle: async ({ context, caller: { tenant }, query: { after, limit = pageSize } }) => ({
      status: 200,
      json: await listWorkflows(context.home, { tenant, after, limit }),
    }),
  }),
  route({
    ...native.createWorkflow,
    async handle({ context, caller, body: { name, graph = emptyGraph(name) } }) {
      await expectNew({ context, caller }, name);
      const saved = await context.home.definitions.draft(caller, { kind, name, body: graph, revision: 0 });
      return { status: 201, json: await toldDraft(context, saved, graph) };
    },
  }),
  route({
    ...native.readWorkflowDraft,
    async handle({ context, caller, params: { name = '' } }) {
      const { definition, body } = await context.home.definitions.read(caller, { kind, name, version: 0 });
      return { status: 200, json: await toldDraft(context, definition, body) };
    },
  }),
  route({
    ...native.saveWorkflowDraft,
    async handle({ context, caller, params: { name = '' }, body: { graph, revision } }) {
      const over = revision ?? (await revisionOf({ context, caller }, name)) ?? 0;
      const saved = await context.home.definitions.draft(caller, { kind, name, body: graph, revision: over });
      return { status: 200, json: await toldDraft(context, saved, graph) };
    },
  }),
  route({
    ...native.dropWorkflowDraft,
    async handle({ context, caller, params: { name = '' }, query: { revision } }) {
      const over = revision ?? (await revisionOf({ context, caller }, name));
      if (over !== undefined)
        await context.home.definitions.dropDraft(caller, { kind, name, revision: over });
      return { status: 204 };
    },
  }),
  route({
    ...native.validateWorkflow,
    async handle({ context, caller, params: { name = '' }, body: { graph } }) {
      const body: Json =
        graph ?? (await context.home.definitions.read(caller, { kind, name, version: 0 })).body;
      const { tenant } = caller;
      const problems = await workflowProblems(context.home.nameable, body, { tenant, name });
      return { status: 200, json: { problems } };
    },
  }),
  route({
    ...native.publishWorkflow,
    async handle({ context, caller, params: { name = '' }, body: { revision } }) {
      const { definitions } = context.home;
      const over = revision ?? (await revisionOf({ context, caller }, name)) ?? 0;
      const { version, hash, by, at } = await definitions.publish(caller, { kind, name, revision: over });
      context.alarm.ring();
      const open = await openRuns(context, { tenant: caller.tenant, name });
      const versions = await definitions.versions(caller, { kind, name });
      return { status: 200, json: { name, version, hash, by, at, open: openByVersion(open, versions) } };
    },
  }),
  route({
    ...native.cloneWorkflow,
    async handle({ context, caller, params: { name = '' }, body: { name: to, version } }) {
      await expectNew({ context, caller }, to);
      const { definitions } = context.home;
      const which = version ?? newestOf(await versionsOf({ context, caller }, name));
      const { body } = await definitions.read(caller, { kind, name, version: which });
      const graph = { ...graphOf(body), name: to };
      const saved = await definitions.draft(caller, { kind, name: to, body: graph, revision: 0 });
      return { status: 201, json: await toldDraft(context, saved, graph) };
    },
  }),
  route({
    ...native.archiveWorkflow,
    async handle({ context, caller, params: { name = '' }, body: { version } }) {
      const rows = await versionsOf({ context, caller }, name);
      const moved = rows.filter(({ state, version: own }) => state === 'published' && own > 0);
      for (const own of version === undefined ? moved.map((row) => row.version) : [version])
        await context.home.definitions.archive(caller, { kind, name, version: own });
      return { status: 200, json: await versionsTold({ context, caller }, name) };
    },
  }),
  route({
    ...native.restoreWorkflow,
    async handle({ context, caller, params: { name = '' }, body: { version } }) {
      const rows = await versionsOf({ context, caller }, name);
      const own = version ?? rows.findLast(({ state }) => state === 'archived')?.version;
      if (own !== undefined) await context.home.definitions.restore(caller, { kind, name, version: own });
      context.alarm.ring();
      return { status: 200, json: await versionsTold({ context, caller }, name) };
    },
  }),
  route({
    ...native.listWorkflowVersions,
    handle: async ({ context, caller, params: { name = '' } }) => ({
      status: 200,
      json: await versionsTold({ context, caller }, name),
    }),
  }),
  route({
    ...native.readWorkflowVersion,
    async handle({ context, caller, params: { name = '', version = '' } }) {
      const own = /^\d{1,9}$/.test(version) ? Number(version) : -1;
      const { definition, body } = await context.home.definitions.read(caller, { kind, name, version: own });
      return { status: 200, json: { name, ...toldVersion(definition), graph: graphOf(body) } };
    },
  }),
  route({
    ...native.compareWorkflow,
    async handle({ context, caller, params: { name = '' }, query: { from, to } }) {
      const { definitions } = context.home;
      const rows = await versionsOf({ context, caller }, name);
      const [older, newer] = [from ?? newestOf(rows), to ?? (from === undefined ? 0 : newestOf(rows))];
      const [before, after] = await Promise.all(
        [older, newer].map((version) => definitions.read(caller, { kind, name, version })),
      );
      return { status: 200, json: graphDiff(before?.body ?? null, after?.body ?? null) };
    },
  }),
];

interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
}

function emptyGraph(name: string): Readonly<Record<string, Json>> {
  const start = { id: 'start', type: 'start' };
  const end = { id: 'end', type: 'end', output: '{{input.text}}' };
  return { name, nodes: [start, end], edges: [{ from: 'start', to: 'end' }] };
}

async function expectNew({ context, caller }: Asking, name: string): Promise<void> {
  const known = await context.home.definitions.versions(caller, { kind, name });
  if (known.length === 0) return;
  const whose = known[0]?.tenant === configurationTenant ? 'of the configuration' : 'of yours';
  throw new RunError('rejected', `There is a workflow «${name}» ${whose}: choose another name.`);
}

async function revisionOf({ context, caller }: Asking, name: string): Promise<number | undefined> {
  const rows = await context.home.definitions.versions(caller, { kind, name });
  return rows.find(({ state }) => state === 'draft')?.revision;
}

async function versionsOf({ context, caller }: Asking, name: string): Promise<readonly Definition[]> {
  const rows = await context.home.definitions.versions(caller, { kind, name });
  if (rows.length > 0) return rows;
  throw new RunError('unknown', `There is no workflow «${name.slice(0, 80)}».`);
}

/** The newest that is published; the draft where none is. */
function newestOf(rows: readonly Definition[]): number {
  return rows.findLast(({ state }) => state === 'published')?.version ?? 0;
}

async function versionsTold(asking: Asking, name: string): Promise<native.WorkflowVersions> {
  const rows = await versionsOf(asking, name);
  const open = await openRuns(asking.context, { tenant: asking.caller.tenant, name });
  // What was published says the same as the draft it was made from: its runs are counted there.
  const isCounted = ({ version, hash }: Definition): boolean =>
    version > 0 || rows.every((other) => other.version === 0 || other.hash !== hash);
  const moves = await asking.context.home.definitions.moves(asking.caller, { kind, name });
  const versions = rows.map((row) => ({
    ...toldVersion(row, isCounted(row) ? open : undefined),
    ...movedIn(moves, row),
  }));
  return { name, versions };
}
