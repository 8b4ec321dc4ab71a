import { misfitOfFields, type Command, type DecisionRequest } from '../../run/commands.ts';
import { decisionTold } from '../../run/decided.ts';
import { RunError } from '../../run/failure.ts';
import { flatApproval } from '../../run/flat-approval.ts';
import type { Approval } from '../../run/tree.ts';
import { isBlobRef } from '../../run/values.ts';
import type { RunRow } from '../../stores/store.ts';
import * as native from '../../wire/native/approvals.ts';
import type { ApprovalPage, AskedApproval } from '../../wire/native/approvals.ts';
import { expectDecider } from '../access/deciders.ts';
import { sameAgain } from '../../front/same-again.ts';
import type { ServerContext } from '../context.ts';
import { isKnown, openQuestions } from '../runs/open-questions.ts';
import { ownRun } from '../runs/owner.ts';
import { blobName } from '../system.ts';
import { route, type Reply } from './route.ts';
import { pageBytes } from './shapes.ts';

export const approvalRoutes = [
  route({
    ...native.listApprovals,
    async handle({ context, caller, query: { run, after, limit = 50 }, heavy }) {
      const place = placeAfter(after);
      const first = run ?? place.within;
      const rows = [
        ...(first === undefined ? [] : await waitingIn({ context, caller }, first)),
        ...(run === undefined
          ? await context.home.dispatch.list({
              tenant: caller.tenant,
              withApprovals: true,
              limit: limit + 1,
              after: place.run,
            })
          : []),
      ];
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
      await expectDecider(context, caller, subject.row);
      expectAhead(body, context.now());
      return decide(context, subject, { ...meant(subject, body), by: caller.who });
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

/** To put something off until then is to put it off; seconds taken for milliseconds lie in 1970. */
function expectAhead({ decision, until }: DecisionRequest, now: number): void {
  if (decision !== 'defer' || until === undefined || until > now) return;
  const message = 'It is over already: give a time to come, in milliseconds since 1970.';
  throw new RunError('malformed', `The body does not fit: until: ${message}`);
}

type Deciding = DecisionRequest & { readonly by: string };

/** A decision says what was shown, and nothing that is not used. */
function meant(
  { approval, named }: { readonly approval: Approval; readonly named?: string },
  body: DecisionRequest,
): DecisionRequest {
  const { fingerprint = named, ...rest } = body;
  const wanted = { ...rest, fingerprint };
  const misfit = misfitOfFields(wanted);
  if (misfit) throw new RunError('malformed', `The body does not fit: ${misfit.field}: ${misfit.message}`);
  const others = [fingerprint, named].filter((each) => each !== undefined && each !== approval.fingerprint);
  if (others.length === 0) return wanted;
  throw new RunError(
    'rejected',
    `What was shown is not what approval ${approval.approval} asks: look at it again.`,
  );
}

async function decide(
  context: ServerContext,
  { row, approval }: { readonly row: RunRow; readonly approval: Approval },
  { by, ...given }: Deciding,
): Promise<Reply> {
  // As it will be recorded, or what held a secret would be taken for another decision than the one that was made.
  const wanted = context.home.secrets.cleanAll(given);
  const { approval: id, decided, lapsedAt } = approval;
  if (decided || lapsedAt !== undefined) return settled(row, approval, wanted);
  const command: Command = { type: 'decide', by, approval: id, ...wanted };
  const sent = { command, id: sameAgain('decide', id, wanted) };
  const { receipt, entry } = await context.home.front.command(row, sent);
  const now = await currentApproval(context, row.run, id);
  if (receipt.used === null) return { status: 202, json: asked(row, now ?? approval) };
  if (now?.decided || now?.lapsedAt !== undefined) return settled(row, now, wanted);
  if (entry?.event.type === 'notice.posted') throw new RunError('rejected', entry.event.message);
  if (entry?.event.type === 'approval.decided') return { status: 200, json: asked(row, now ?? approval) };
  throw new RunError('rejected', `Run ${row.run} ended before approval ${id} was decided.`);
}

/** Who decided, when and what: for the same answer the result, for any other the reason why not. */
function settled(row: RunRow, approval: Approval, wanted: Omit<Deciding, 'by'>): Reply {
  const { decided, lapsedAt, lapsedBecause = 'What it was about has ended.' } = approval;
  if (lapsedAt !== undefined) {
    const when = new Date(lapsedAt).toISOString();
    throw new RunError('rejected', `It lapsed at ${when} and cannot be decided: ${lapsedBecause}`);
  }
  if (!decided) throw new RangeError('an approval that was not decided cannot be told as decided');
  if (isSame(decided, wanted)) return { status: 200, json: asked(row, approval) };
  throw new RunError('rejected', `${decisionTold(decided)}; it cannot be decided again.`);
}

function isSame(decided: NonNullable<Approval['decided']>, wanted: Omit<Deciding, 'by'>): boolean {
  const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);
  if (decided.decision !== wanted.decision) return false;
  if (wanted.decision === 'edit') {
    const kept = decided.arguments;
    const isKept = isBlobRef(kept) && kept.blob === blobName(JSON.stringify(wanted.arguments));
    if (!isKept && !same(kept, wanted.arguments)) return false;
  }
  return same(decided.answer, wanted.answer);
}

async function currentApproval(
  context: ServerContext,
  run: string,
  id: string,
): Promise<Approval | undefined> {
  const row = await context.home.dispatch.get(run);
  return row && (await context.trees.of(row)).approvals.get(id);
}

function asked({ run, conversation, app, title }: RunRow, approval: Approval): AskedApproval {
  return { ...flatApproval(approval), run, conversation, app, request: title };
}
