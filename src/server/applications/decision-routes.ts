import type { z } from 'zod';
import type { DecisionRequest } from '../../run/commands.ts';
import { RunError } from '../../run/failure.ts';
import { onlyQuestion } from '../../run/only-question.ts';
import { undecidedApprovals, type Approval, type RunTree } from '../../run/tree.ts';
import { Json } from '../../run/values.ts';
import { HitlAnswer, HitlDecision } from '../../wire/applications.ts';
import { appFor } from '../apps/apps-for.ts';
import { route } from '../routes/route.ts';
import { decideApproval } from '../runs/decide-approval.ts';
import { missing } from '../runs/quotas.ts';
import { hitlContext, stateOf, traceOf } from './chat-forms.ts';
import { rested, sessionRuns } from './sessions.ts';

/** What a session asks a person, decided in the words of the workflow platform. */
export const decisionRoutes = [
  route({
    tag: 'applications',
    role: 'member',
    addresses: 'tenant',
    method: 'POST',
    path: '/api/applications/:app/chat/hitl-decide',
    about: 'Decide what a session asks. The answer is what comes of it: `edit` needs `payload.changes`.',
    body: HitlDecision,
    answers: {
      200: { about: 'What came of it.', schema: HitlAnswer },
      409: { about: 'Nothing is asked in this session, or it was decided otherwise.' },
    },
    async handle({ context, caller, params: { app = '' }, body, left }) {
      await appFor(context, caller, app);
      const asking = { context, caller, app };
      const row = (await sessionRuns(asking, body.session_id)).at(-1);
      if (!row) throw missing('session', body.session_id);
      const approval = meant(await context.trees.of(row), row.run, body.fingerprint);
      const decision = decisionIn(body, approval.fingerprint);
      const { approval: now } = await decideApproval(context, caller, { row, approval, body: decision });
      const session = { session_id: row.conversation };
      if (decision.decision === 'defer')
        return {
          status: 200,
          json: {
            ...session,
            status: 'deferred',
            message: 'It is put off.',
            conversation_state: 'awaiting_hitl_review',
          },
        };
      const after = now.decided?.seq ?? row.head;
      const rest = await rested(asking, row, { after, signal: left() });
      const state = stateOf(rest.tree);
      const done = decision.decision === 'reject' ? 'rejected' : 'completed';
      const asked = hitlContext(rest.tree, row.run);
      const json = {
        ...session,
        status: asked ? 'interrupted' : done,
        message: asked ? asked.title : rest.answer,
        conversation_state: state,
        execution_trace: traceOf(rest.tree, row.run),
      };
      return { status: 200, json };
    },
  }),
];

/** The question that is decided. The platform's clients name none, which is enough while it is clear which one they saw. */
function meant(tree: RunTree, run: string, fingerprint: string | null | undefined): Approval {
  if (fingerprint == null) return onlyQuestion(tree, run);
  const found = undecidedApprovals(tree).find((one) => one.fingerprint === fingerprint);
  if (found) return found;
  throw new RunError('rejected', 'What was shown is not what the session asks now: look at it again.');
}

function decisionIn(
  { action, payload, rationale }: z.infer<typeof HitlDecision>,
  fingerprint: string,
): DecisionRequest {
  const decision = action === 'modify' ? 'edit' : action;
  const said = { fingerprint, ...(rationale == null ? {} : { rationale }) };
  const changes = payload?.changes ?? undefined;
  if (decision !== 'edit' && changes === undefined) return { decision, ...said };
  if (changes === undefined)
    throw new RunError('malformed', 'The body does not fit: payload.changes: say what it is to be instead.');
  return { decision, ...said, arguments: Json.parse(changes) };
}
