import { z } from 'zod';
import { Reason, type DecisionRequest } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import { onlyQuestion } from '../../run/only-question.ts';
import { questionId, readQuestionId } from '../../run/question-id.ts';
import { undecidedApprovals, type Approval, type RunTree, present } from '../../run/tree.ts';
import { Json } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';
import type { Caller } from '../access/honest.ts';
import type { ServerContext } from '../context.ts';
import { route, pageBytes } from '../routes/route.ts';
import { decideApproval } from '../runs/decide-approval.ts';
import { openQuestions } from '../runs/open-questions.ts';
import { missing, ownRun } from '../runs/quotas.ts';
import { stateOf, toldDecisions, toldQuestion, ToldDecision, ToldQuestion } from './told-question.ts';
import { shownRows } from '../apps/hidden-apps.ts';
const Action = z.enum(['approve', 'reject', 'edit', 'modify', 'defer']);
const asking = {
  run_id: z.string().min(1).max(200),
  /** Who decides is whoever asks; what they call themselves is not believed. */
  actor: z.string().max(200).optional(),
  rationale: Reason,
  /** Which question, where there are several; with what was shown of it. */
  approval_id: z.string().max(300).optional(),
  payload: z.record(z.string(), Json).nullish(),
  defer_until: z.union([z.string().max(40), z.int()]).optional(),
};
const Decided = z.object({
  run_id: z.string(),
  approval_id: z.string(),
  action: Action,
  status: z.string(),
  message: z.string(),
});

const posting = { method: 'POST', tag: 'execution', addresses: 'tenant', role: 'member' } as const;
const reading = { method: 'GET', tag: 'execution', role: 'viewer' } as const;

/** Questions to people in the forms of the workflow platform. They are the approvals of `/api/approvals`. */
export const echoHitlRoutes = [
  route({
    ...posting,
    path: '/workflows/hitl/decide',
    about: 'Decide what a run asks. «modify» is «edit», which needs «payload.changes».',
    body: z.looseObject({ ...asking, action: z.string().max(40) }),
    answers: { 200: { about: 'It is decided so.', schema: Decided } },
    handle({ context, caller, body: { action, ...body } }) {
      const known = Action.safeParse(action);
      if (known.success) return decide({ context, caller }, known.data, body);
      throw new RunError('malformed', `There is no action «${action}»: ${Action.options.join(', ')}.`);
    },
  }),
  ...(['approve', 'reject', 'modify', 'defer'] as const).map((action) =>
    route({
      ...posting,
      path: `/workflows/hitl/${action}`,
      about: `Decide what a run asks: ${action}.`,
      body: z.looseObject(asking),
      answers: { 200: { about: 'It is decided so.', schema: Decided } },
      handle: ({ context, caller, body }) => decide({ context, caller }, action, body),
    }),
  ),
  route({
    ...reading,
    path: '/workflows/hitl/status/:run',
    about: 'Whether a run waits for a person, and what the last one decided.',
    addresses: 'run',
    answers: {
      200: { about: 'Its state.', schema: z.object({ run_id: z.string(), state: z.string() }) },
    },
    async handle({ context, subject }) {
      const tree = await context.trees.of(subject);
      return { status: 200, json: { run_id: subject.run, state: stateOf(tree) } };
    },
  }),
  route({
    ...reading,
    path: '/workflows/hitl/context/:run',
    about: 'What a run asks, and what its nodes gave until then.',
    addresses: 'run',
    answers: {
      200: {
        about: 'The questions.',
        schema: z.object({
          run_id: z.string(),
          questions: z.array(ToldQuestion),
          node_outputs: z.record(z.string(), Json),
        }),
      },
    },
    async handle({ context, subject, heavy }) {
      await heavy(subject.bytes);
      const tree = await context.trees.of(subject);
      const questions = undecidedApprovals(tree).map((approval) => toldQuestion(subject, approval));
      return { status: 200, json: { run_id: subject.run, questions, node_outputs: outputsIn(tree) } };
    },
  }),
  route({
    ...reading,
    path: '/workflows/hitl/decisions/:run',
    about: 'What people have decided in a run.',
    addresses: 'run',
    answers: {
      200: {
        about: 'The decisions, the oldest first.',
        schema: z.object({ run_id: z.string(), decisions: z.array(ToldDecision) }),
      },
    },
    async handle({ context, subject }) {
      const tree = await context.trees.of(subject);
      return { status: 200, json: { run_id: subject.run, decisions: toldDecisions(subject.run, tree) } };
    },
  }),
  route({
    ...reading,
    path: '/workflows/hitl/pending',
    about: 'What waits for a person: of the newest fifty runs that ask something.',
    addresses: 'tenant',
    answers: {
      200: {
        about: 'The questions.',
        schema: z.object({ pending_reviews: z.array(ToldQuestion), count: z.int() }),
      },
    },
    async handle({ context, caller }) {
      const { tenant } = caller;
      const all = await context.home.dispatch.list({ tenant, withApprovals: true, limit: 50 });
      const rows = await shownRows(context, caller, all);
      const pending: z.infer<typeof ToldQuestion>[] = [];
      for (const row of rows) {
        if (JSON.stringify(pending).length > pageBytes) break;
        for (const approval of await openQuestions(context, row)) pending.push(toldQuestion(row, approval));
      }
      return { status: 200, json: { pending_reviews: pending, count: pending.length } };
    },
  }),
];

interface Asking {
  readonly context: ServerContext;
  readonly caller: Caller;
}

type Given = z.infer<z.ZodObject<typeof asking>>;

async function decide({ context, caller }: Asking, action: z.infer<typeof Action>, given: Given) {
  const row = await ownRun({ context, caller }, given.run_id);
  if (!row) throw missing('run', given.run_id);
  const { approval, named } = await meant(context, row, given.approval_id);
  const decision = action === 'modify' ? 'edit' : action;
  if (!approval.allowed.includes(decision))
    throw new RunError('refused', `To ${action} is not allowed here: ${approval.allowed.join(', ')}.`);
  if (named === undefined && (decision === 'approve' || decision === 'edit'))
    throw new RunError('malformed', `The body does not fit: approval_id: ${bareName}`);
  const body = { ...requestOf(decision, given), ...present({ fingerprint: named }) };
  const { approval: now } = await decideApproval(context, caller, { row, approval, body });
  const json = {
    run_id: row.run,
    approval_id: questionId(now),
    action,
    status: decision === 'reject' ? 'rejected' : decision === 'defer' ? 'deferred' : 'resumed',
    message: `${caller.who} decided: ${action}.`,
  };
  return { status: 200, json };
}

const bareName = 'Name the question as it was told, with what was shown of it: «…~<fingerprint>».';

async function meant(
  context: ServerContext,
  row: RunRow,
  id: string | undefined,
): Promise<{ readonly approval: Approval; readonly named?: string | undefined }> {
  const tree = await context.trees.of(row);
  if (id === undefined) {
    const approval = onlyQuestion(tree, row.run);
    return { approval, named: approval.fingerprint };
  }
  const { approval: name, fingerprint: named } = readQuestionId(id);
  const approval = tree.approvals.get(name);
  if (!approval) throw missing('approval', name);
  return { approval, named };
}

function requestOf(
  decision: DecisionRequest['decision'],
  { rationale, payload, defer_until: later }: Given,
): DecisionRequest {
  const changes = payload?.['changes'] ?? undefined;
  const said = { decision, ...present({ rationale }) };
  if (decision === 'edit' && changes === undefined)
    throw new RunError('malformed', 'To edit needs «payload.changes».');
  if (later === undefined) return { ...said, ...present({ arguments: changes }) };
  const until = typeof later === 'number' ? later : Date.parse(later);
  if (Number.isNaN(until))
    throw new RunError('malformed', '«defer_until» is no time: write it as 2026-11-30T12:00:00Z.');
  return { ...said, ...present({ arguments: changes }), until };
}

/** What the nodes of a graph gave: of each the newest, by its id. */
function outputsIn(tree: RunTree): Record<string, Json> {
  const outputs: Record<string, Json> = {};
  for (const { parent, key, result } of tree.steps.values()) {
    const output = parent === 0 ? Json.safeParse(Reflect.get(Object(result), 'output')) : undefined;
    if (output?.success) outputs[key] = output.data;
  }
  return outputs;
}
