import { z } from 'zod';
import { Graph } from '../../graph/graph.ts';
import { Problem } from '../../run/failure-schema.ts';
import { RunError } from '../../run/failure.ts';
import type { EventOf } from '../../run/events.ts';
import { isBlobRef, Json, appOfWorkflow } from '../../run/values.ts';
import { EchoWorkflow } from '../../wire/echo-workflow.ts';
import type { Caller } from '../access/honest.ts';
import { type ServerContext } from '../context.ts';
import { followed } from '../runs/followed.ts';
import { route } from '../routes/route.ts';
import { withinMeans } from '../routes/start-run.ts';
import { limitsOf, workflowFlowIn } from '../workflows/workflow-app.ts';
import { misfit, workflowKind as kind, workflowProblems } from '../workflows/workflow-problems.ts';
import { designGraph, designWords } from './design-words.ts';
import { exportWorkflow } from './export-workflow.ts';
import { expectOpen } from '../runs/quotas.ts';
import { parseJson } from '../../wire/sse.ts';

const Name = z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'use small letters, digits and -, at most 63');

/** A workflow that an agent drafts. */
export const designRoute = route({
  method: 'POST',
  path: '/workflows/design/prompt',
  about:
    'Let an agent draft a workflow from a description, in a run that can be watched. It is saved as a draft with its problems, and never published.',
  tag: 'execution',
  addresses: 'tenant',
  role: 'member',
  body: z.looseObject({
    prompt: z.string().min(1).max(20_000),
    workflow_id: Name.optional(),
    /** Who drafts: an agent of the configuration; the first of them, unless said. */
    agent: z.string().min(1).max(200).optional(),
  }),
  answers: {
    200: {
      about: 'The draft and what is wrong with it; «workflow» is null where that is no graph yet.',
      schema: z.object({
        workflow_id: z.string(),
        run_id: z.string(),
        status: z.enum(['draft', 'validated']),
        version: z.int(),
        workflow: EchoWorkflow.nullable(),
        graph: z.record(z.string(), Json),
        errors: z.array(Problem),
      }),
    },
    404: { about: 'There is no such agent.' },
    409: { about: 'The agent drafted nothing, or waits for somebody: the run says why.' },
  },
  async handle({ context, caller, body, left }) {
    expectOpen(context);
    const { home } = context;
    const name =
      body.workflow_id ??
      `draft-${context
        .newId('w')
        .replaceAll(/[^a-z0-9]/g, '')
        .slice(-8)}`;
    // Whoever may not save it need not have it drafted.
    await home.definitions.expectOwn(caller, { kind, name });
    const run = await designRun(context, caller, {
      name,
      prompt: body.prompt,
      agent: agentIn(context, body.agent),
    });
    const graph = { ...drafted(run, await endOf(context, { run, app: appOfWorkflow(name) }, left())), name };
    const rows = await home.definitions.versions(caller, { kind, name });
    const revision = rows.find(({ state }) => state === 'draft')?.revision ?? 0;
    const saved = await home.definitions.draft(caller, { kind, name, body: graph, revision });
    const errors = await workflowProblems(home.nameable, graph, { tenant: caller.tenant, name });
    const read = Graph.safeParse(graph);
    const workflow = read.success ? exportWorkflow({ ...saved, graph: read.data }) : null;
    const status = errors.length === 0 ? 'validated' : 'draft';
    const json = { workflow_id: name, run_id: run, status, version: saved.revision, workflow, graph, errors };
    return { status: 200, json };
  },
});

interface Wanted {
  readonly name: string;
  readonly prompt: string;
  readonly agent: string;
}

function agentIn({ home }: ServerContext, named: string | undefined): string {
  const known = home.catalog.agents.map(({ name }) => name);
  const agent = named ?? known[0];
  if (agent !== undefined && known.includes(agent)) return agent;
  const message = named === undefined ? 'There is no agent that could draft' : `There is no agent «${named}»`;
  throw new RunError('unknown', `${message}; known: ${known.join(', ') || 'none'}.`);
}

async function designRun(context: ServerContext, caller: Caller, wanted: Wanted): Promise<string> {
  const { home } = context;
  const { tenant, who } = caller;
  const graph = Json.parse(designGraph(wanted.name, wanted.agent));
  const problems = await workflowProblems(home.nameable, graph, { tenant, name: wanted.name });
  if (problems.length > 0) throw misfit(wanted.name, problems);
  const { name, version } = workflowFlowIn(home.catalog);
  const text = home.secrets.clean(wanted.prompt);
  const input = { text, data: { text, words: designWords(home.catalog) } };
  const started = {
    tenant,
    who,
    app: appOfWorkflow(wanted.name),
    conversation: context.newId('conversation'),
    input,
    flow: { name, version },
    limits: limitsOf(home, { tenant, body: graph }),
    labels: {},
  };
  const begin = () => home.front.fork({ started, input, definition: graph, kept: () => [] });
  return (await withinMeans(context, { tenant, bytes: text.length }, begin)).run;
}

type Ended = EventOf<'run.ended'>;

async function endOf(
  context: ServerContext,
  row: { readonly run: string; readonly app: string },
  signal: AbortSignal,
): Promise<Ended | undefined> {
  for await (const { tree } of followed(context, { ...row, after: 0 }, signal))
    if (tree.ended) {
      const { answer } = tree.ended;
      if (!isBlobRef(answer)) return tree.ended;
      const kept = await context.home.blobs.get(tree.started?.tenant ?? '', answer.blob);
      return { ...tree.ended, answer: kept === undefined ? undefined : String(parseJson(kept)) };
    }
  return undefined;
}

function drafted(run: string, ended: Ended | undefined): Readonly<Record<string, Json>> {
  if (ended?.outcome === 'completed' && typeof ended.answer === 'string')
    return z.record(z.string(), Json).parse(parseJson(ended.answer));
  const why = ended?.failure?.message ?? 'the run waits for somebody';
  throw new RunError('rejected', `Nothing was drafted in run ${run}: ${why.replace(/\.$/, '')}.`);
}
