import { z } from 'zod';
import { Decision } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import { decideAction, RendererMessage, type SurfaceAction } from '../../wire/a2ui.ts';
import { parsed } from '../../run/values.ts';
import { decideApproval } from '../runs/decide-approval.ts';
import { finders, missing } from '../runs/quotas.ts';
import { route } from './route.ts';

/** What the button of a question brings: the question with the fingerprint that was shown, and the decision. */
const Context = z.strictObject({
  approvalId: z.string().max(400),
  decision: Decision.extract(['approve', 'reject', 'defer']),
});

const Acted = z.object({
  run: z.string(),
  approval: z.string(),
  decision: z.string(),
  /** False while nobody here can work on the run. */
  heard: z.boolean(),
});

export const a2uiRoutes = [
  route({
    method: 'POST',
    path: '/api/runs/:run/a2ui/actions',
    about: 'What a person did on a surface of the run: `userAction` of A2UI 0.8, `action` of those after it.',
    tag: 'a2ui',
    role: 'member',
    addresses: 'run',
    body: RendererMessage,
    answers: {
      200: { about: 'It is decided so.', schema: Acted },
      202: { about: 'The decision waits for a process that can work on the run.', schema: Acted },
      204: { about: 'An error of the renderer was heard, and is in the log.' },
      403: { about: 'Somebody else has to decide.' },
      409: { about: 'It was decided otherwise, has lapsed, or something else was shown.' },
    },
    async handle({ context, caller, subject: { run }, body, heavy }) {
      if (body.error) {
        const { message = 'it does not say what' } = body.error;
        context.log.problem(`A renderer could not show the surface of run ${run}.`, message.slice(0, 500));
        return { status: 204 };
      }
      const { approvalId, ...decision } = meant(run, actionIn(body));
      const subject = await finders.approval({ context, caller, params: { approval: approvalId }, heavy });
      if (subject.row.run !== run) throw missing('approval', approvalId);
      const decided = await decideApproval(context, caller, { ...subject, body: decision });
      const { approval, isHeard } = decided;
      const json = { run, approval: approval.approval, decision: decision.decision, heard: isHeard };
      return { status: isHeard ? 200 : 202, json };
    },
  }),
];

function actionIn({ userAction, action, version }: RendererMessage): SurfaceAction {
  if (action && version === undefined)
    throw malformed('version', 'name it beside «action», or send «userAction», as A2UI 0.8 does');
  const acted = action ?? userAction;
  if (acted && !(action && userAction)) return acted;
  throw malformed('action', 'send one «action» with its «version», or one «userAction»');
}

function meant(run: string, { name, surfaceId, context }: SurfaceAction): z.infer<typeof Context> {
  if (surfaceId !== run)
    throw malformed('surfaceId', `«${surfaceId.slice(0, 100)}» is not the surface of this run, «${run}»`);
  if (name !== decideAction)
    throw malformed(
      'name',
      `«${name.slice(0, 60)}» is no action of this surface; there is «${decideAction}»`,
    );
  return parsed(Context, context, 'The context of the action');
}

function malformed(field: string, message: string): RunError {
  return new RunError('malformed', `The action does not fit: ${field}: ${message}.`);
}
