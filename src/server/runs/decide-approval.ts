import { misfitOfFields, type Command, type DecisionRequest } from '../../run/commands.ts';
import { decisionTold } from '../../run/decided.ts';
import { RunError } from '../../run/failure.ts';
import { type Approval, present } from '../../run/tree.ts';
import { isBlobRef } from '../../run/values.ts';
import { blobName } from '../../stores/blob-name.ts';
import type { RunRow } from '../../stores/store.ts';
import { sameAgain } from '../../front/same-again.ts';
import type { Caller } from '../access/honest.ts';
import { expectDecider } from '../access/deciders.ts';
import type { ServerContext } from '../context.ts';
import type { Subjects } from './quotas.ts';

/** What became of a decision: the approval as it stands, and whether anybody has heard it yet. */
export interface Deciding {
  readonly approval: Approval;
  readonly isHeard: boolean;
}

/** Decide what a run asks, for somebody, whichever way they came in. The same decision again is the same. */
export async function decideApproval(
  context: ServerContext,
  caller: Caller,
  { body, ...subject }: Wanted,
): Promise<Deciding> {
  const wanted = await expectDecidable(context, caller, { ...subject, body });
  return decide(context, subject, { ...wanted, by: caller.who });
}

type Wanted = Subjects['approval'] & { readonly body: DecisionRequest };

/** Each is a look at its whole run. */
const mostDecisions = 100;

/** Before any of them is looked up. */
export function expectFewDecisions(count: number, field: string): void {
  if (count <= mostDecisions) return;
  const message = `${field}: ${count} questions are decided at once: decide at most ${mostDecisions} in a request.`;
  throw new RunError('too-large', message);
}

/** All of it is looked at before any of it happens: a request that is refused has done nothing. */
export async function decideTogether(
  context: ServerContext,
  caller: Caller,
  wanted: readonly Wanted[],
): Promise<readonly Deciding[]> {
  const names = wanted.map(({ approval }) => approval.approval);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined)
    throw new RunError('malformed', `Question ${twice} is decided more than once: decide each once.`);
  for (const each of wanted) await expectDecidable(context, caller, each);
  return Promise.all(wanted.map((each) => decideApproval(context, caller, each)));
}

/** Fails for a decision that would be refused as things stand; gives it with what was left out. */
async function expectDecidable(
  context: ServerContext,
  caller: Caller,
  { body, ...subject }: Wanted,
): Promise<DecisionRequest> {
  await expectDecider(context, caller, { row: subject.row, question: subject.approval.approval });
  expectAhead(body, context.now());
  const wanted = meant(subject, body);
  const { decided, lapsedAt } = subject.approval;
  if (decided || lapsedAt !== undefined) settled(subject.approval, context.home.secrets.cleanAll(wanted));
  return wanted;
}

/** To put something off until then is to put it off; seconds taken for milliseconds lie in 1970. */
function expectAhead({ decision, until }: DecisionRequest, now: number): void {
  if (decision !== 'defer' || until === undefined || until > now) return;
  const message = 'It is over already: give a time to come, in milliseconds since 1970.';
  throw new RunError('malformed', `The body does not fit: until: ${message}`);
}

type Decided = DecisionRequest & { readonly by: string };

/** A decision says what was shown, and nothing that is not used. */
function meant(
  { approval, named }: { readonly approval: Approval; readonly named?: string },
  body: DecisionRequest,
): DecisionRequest {
  const { fingerprint = named, ...rest } = body;
  const wanted = { ...rest, ...present({ fingerprint }) };
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
  { by, ...given }: Decided,
): Promise<Deciding> {
  // As it will be recorded, or what held a secret would be taken for another decision than the one that was made.
  const wanted = context.home.secrets.cleanAll(given);
  const { approval: id, decided, lapsedAt } = approval;
  if (decided || lapsedAt !== undefined) return settled(approval, wanted);
  const command: Command = { type: 'decide', by, approval: id, ...wanted };
  const sent = { command, id: sameAgain('decide', id, wanted) };
  const { receipt, entry } = await context.home.front.command(row, sent);
  const now = await currentApproval(context, row.run, id);
  if (receipt.used === null) return { approval: now ?? approval, isHeard: false };
  if (now?.decided || now?.lapsedAt !== undefined) return settled(now, wanted);
  if (entry?.event.type === 'notice.posted') throw new RunError('rejected', entry.event.message);
  if (entry?.event.type === 'approval.decided') return { approval: now ?? approval, isHeard: true };
  throw new RunError('rejected', `Run ${row.run} ended before approval ${id} was decided.`);
}

/** Who decided, when and what: for the same answer the result, for any other the reason why not. */
function settled(approval: Approval, wanted: Omit<Decided, 'by'>): Deciding {
  const { decided, lapsedAt, lapsedBecause = 'What it was about has ended.' } = approval;
  if (lapsedAt !== undefined) {
    const when = new Date(lapsedAt).toISOString();
    throw new RunError('rejected', `It lapsed at ${when} and cannot be decided: ${lapsedBecause}`);
  }
  if (!decided) throw new RangeError('an approval that was not decided cannot be told as decided');
  if (isSame(decided, wanted)) return { approval, isHeard: true };
  throw new RunError('rejected', `${decisionTold(decided)}; it cannot be decided again.`);
}

function isSame(decided: NonNullable<Approval['decided']>, wanted: Omit<Decided, 'by'>): boolean {
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
