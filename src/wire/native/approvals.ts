import { z } from 'zod';
import { DecisionRequest } from '../../run/commands.ts';
import { FlatApproval } from '../../run/flat-approval.ts';
import { endpoint } from './endpoint.ts';
import { after, limit } from './query.ts';

/** An approval, with the run it belongs to. */
export const AskedApproval = FlatApproval.extend({
  run: z.string(),
  conversation: z.string(),
  app: z.string(),
  /** What the run was asked. */
  request: z.string(),
});
export type AskedApproval = z.infer<typeof AskedApproval>;

/** Some approvals, and the run to go on after if there are more. */
export const ApprovalPage = z.object({ approvals: z.array(AskedApproval), next: z.string().nullable() });
export type ApprovalPage = z.infer<typeof ApprovalPage>;

export const listApprovals = endpoint({
  method: 'GET',
  path: '/api/approvals',
  about: 'What waits for a person, with exactly what would run.',
  tag: 'approvals',
  role: 'viewer',
  addresses: 'tenant',
  query: z.strictObject({ run: z.string().max(200).optional(), after, limit }),
  answers: {
    200: {
      about: 'Undecided approvals of a page of runs, the newest run first: fewer where they are large.',
      schema: ApprovalPage,
    },
  },
});

export const readApproval = endpoint({
  method: 'GET',
  path: '/api/approvals/:approval',
  about: 'One approval, decided or not.',
  tag: 'approvals',
  role: 'viewer',
  addresses: 'approval',
  answers: { 200: { about: 'The approval.', schema: AskedApproval } },
});

export const decideApproval = endpoint({
  method: 'POST',
  path: '/api/approvals/:approval',
  about: 'Decide. The same answer again gets the same result; any other is told who decided what, and when.',
  tag: 'approvals',
  role: 'member',
  addresses: 'approval',
  body: DecisionRequest,
  answers: {
    200: { about: 'It is decided so.', schema: AskedApproval },
    202: { about: 'The decision waits for a process that can work on the run.', schema: AskedApproval },
    403: { about: 'Somebody else has to decide.' },
    409: { about: 'It was decided otherwise, has lapsed, or something else was shown.' },
  },
});
