import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/server';
import type { DecisionRequest } from '../../run/commands.ts';
import type { Approval } from '../../run/tree.ts';
import { asking } from '../../run/asking.ts';
import { RunError } from '../../run/failure.ts';
import { Json } from '../../run/values.ts';

/** What came back; nothing of it has been believed yet. */
export interface Elicited {
  readonly action: ElicitResult['action'];
  readonly content?: Readonly<Record<string, unknown>> | undefined;
}

/** A question to a person as a form, which whoever calls puts to them. */
export function elicitation(approval: Approval): ElicitRequestFormParams {
  const choices = approval.allowed.filter((each) => each === 'approve' || each === 'reject');
  return {
    mode: 'form',
    message: asking(approval),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: [...choices] },
        ...(approval.schema === undefined
          ? {}
          : {
              answer: {
                type: 'string',
                title: 'Answer',
                description: `As JSON that fits ${JSON.stringify(approval.schema)}`,
              },
            }),
        rationale: { type: 'string', title: 'Reason' },
      },
      required: ['decision'],
    },
  };
}

/** What a person made of it: to decline is to reject, and who closes the form has not decided. */
export function elicitedDecision(
  { fingerprint, schema }: Approval,
  { action, content = {} }: Elicited,
): DecisionRequest | undefined {
  if (action === 'cancel') return undefined;
  const { decision, rationale: reason, answer } = content;
  const rationale = typeof reason === 'string' && reason !== '' ? { rationale: reason } : {};
  if (action === 'decline' || decision !== 'approve')
    return { decision: 'reject', fingerprint, ...rationale };
  const filled = schema === undefined ? {} : { answer: filledIn(answer) };
  return { decision: 'approve', fingerprint, ...filled, ...rationale };
}

function filledIn(answer: unknown): Json {
  try {
    return Json.parse(JSON.parse(String(answer)));
  } catch (cause) {
    throw new RunError('malformed', 'The answer is not JSON: fill in what the question describes.', {
      cause,
    });
  }
}
