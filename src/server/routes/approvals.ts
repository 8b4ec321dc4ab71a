import { flatApproval } from '../../run/flat-approval.ts';
import type { Approval } from '../../run/tree.ts';
import type { RunRow } from '../../stores/store.ts';
import * as native from '../../wire/native/approvals.ts';
import type { ApprovalPage, AskedApproval } from '../../wire/native/approvals.ts';
import type { ServerContext } from '../context.ts';
import { isKnown, openQuestions } from '../runs/open-questions.ts';
import { ownRun } from '../runs/quotas.ts';
import { decideApproval } from '../runs/decide-approval.ts';
import { route, pageBytes } from './route.ts';
import { shownRows } from '../apps/hidden-apps.ts';

export const approvalRoutes = [
  route({
    ...native.listApprovals,
    async handle({ context, caller, query: { run, after, limit = 50 }, heavy }) {
      const place = placeAfter(after);
      const first = run ?? place.within;
      const all = [
        ...(first === undefined ? [] : await waitingIn({ context, caller }, first)),
        ...(run === undefined
          ? await context.home.dispatch.list({
              tenant: caller.tenant,
              withApprovals: true,
              limit: limit + 1,
              ...(place.run === undefined ? {} : { after: place.run }),
            })
          : []),
      ];
      const rows = await shownRows(context, caller, all);
      await heavy(Math.max(0, ...rows.map((row) => (isKnown(row) ? 0 : row.bytes))));
      return { status: 200, json: await undecidedPage(context, rows, { limit, after }) };
    },
  }),
  route({
    ...native.readApproval,
    handle: ({ subject: { row, approval } }) => ({ status: 200, json: asked(row, approval) }),
  }),
  route({
    ...native.decideApproval,
    async handle({ context, caller, subject, body }) {
      const { approval, isHeard } = await decideApproval(context, caller, { ...subject, body });
      return { status: isHeard ? 200 : 202, json: asked(subject.row, approval) };
    },
  }),
];

/** A page ends with a run, or, where one run asks more than a page holds, with one of its approvals. */
function placeAfter(after: string | undefined): { readonly run?: string; readonly within?: string } {
  if (after === undefined) return {};
  const [, run] = /^(.+)\.a\d+$/.exec(after) ?? [];
  return run === undefined ? { run: after } : { run, within: run };
}

async function undecidedPage(
  context: ServerContext,
  rows: readonly RunRow[],
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<ApprovalPage> {
  const approvals: AskedApproval[] = [];
  let size = 0;
  for (const [i, row] of rows.entries()) {
    if (i === limit) return { approvals, next: rows[i - 1]?.run ?? null };
    const undecided = await openQuestions(context, row);
    const had = undecided.findIndex(({ approval }) => approval === after);
    for (const approval of undecided.slice(had + 1)) {
      const told = asked(row, approval);
      size += JSON.stringify(told).length;
      if (approvals.length > 0 && size > pageBytes) return { approvals, next: approvals.at(-1)?.id ?? null };
      approvals.push(told);
    }
  }
  return { approvals, next: null };
}

async function waitingIn(sought: Parameters<typeof ownRun>[0], run: string): Promise<readonly RunRow[]> {
  const row = await ownRun(sought, run);
  return row && row.approvals > 0 ? [row] : [];
}

function asked({ run, conversation, app, title }: RunRow, approval: Approval): AskedApproval {
  return { ...flatApproval(approval), run, conversation, app, request: title };
}
