import type { DecideWish, ResumeWish, SentDecision } from '../../projections/door.ts';
import { resumeCommand } from '../../flows/converse/resume.ts';
import { DecisionRequest } from '../../run/commands.ts';
import { type Approval, present } from '../../run/tree.ts';
import { term } from '../../run/facts.ts';
import { RunError } from '../../run/failure.ts';
import { readQuestionId } from '../../run/question-id.ts';
import type { RunRow } from '../../stores/store.ts';
import { expectDecider } from '../access/deciders.ts';
import { decideTogether, expectFewDecisions } from '../runs/decide-approval.ts';
import { missing, ownRun, type Subjects } from '../runs/quotas.ts';
import { beginOf, type Answering } from './answer.ts';
import type { Visitor } from './door-routes.ts';
type Asked = Subjects['approval'];

interface Decided {
  readonly subject: Asked;
  readonly decision: DecisionRequest;
}

type Next = Answering & { readonly run: string };

/** Decide what was asked, all at once, and go on with what the run does then. */
export async function decideAll(visitor: Visitor, wish: DecideWish): Promise<Next> {
  const { decisions } = wish;
  const [first] = decisions;
  if (!first) throw new RunError('malformed', 'Nothing is decided: name a question and what you make of it.');
  expectFewDecisions(decisions.length, wish.field ?? 'decisions');
  const found = await Promise.all(decisions.map((each) => questionOf(visitor, each)));
  const { context, caller } = visitor;
  for (const { subject } of found) await expectFit(visitor, subject.row, wish);
  await decideTogether(
    context,
    caller,
    found.map(({ subject, decision }) => ({ ...subject, body: decision })),
  );
  const { row, approval } = found[0]?.subject ?? missingQuestion(first);
  return goneOn(visitor, row.run, approval.approval);
}

/** What is decided here was asked here, and nothing else is said. */
async function expectFit({ context }: Visitor, row: RunRow, { app, beside }: DecideWish): Promise<void> {
  if (app !== undefined && app !== row.app)
    throw new RunError('unknown', `App «${app}» has no such question: app «${row.app}» asked it.`);
  if (beside === undefined) return;
  const { started } = await context.trees.of(row);
  const { text = '' } = started?.input ?? {};
  const isRepeated =
    typeof text === 'string' ? text === beside.toWellFormed() : beside.startsWith(text.preview ?? '');
  if (!isRepeated)
    throw new RunError(
      'malformed',
      'The request decides and says something at once: send the decision alone, and the message after its answer.',
    );
}

function missingQuestion({ question }: SentDecision): never {
  throw missing('question', question);
}

/** Go on after a tool phase. Asked again, it is the same answer. */
export async function resume(visitor: Visitor, row: RunRow, { batch }: ResumeWish): Promise<Next> {
  const { context, caller } = visitor;
  const tree = await context.trees.of(row);
  const { id, command } = resumeCommand(tree, { run: row.run, by: caller.who, ...batch });
  if (command.type !== 'decide') throw new RangeError('to go on after a tool phase is to decide');
  await expectDecider(context, caller, { row, question: command.approval });
  const { entry } = await context.home.front.command(row, { command, id });
  if (entry?.event.type === 'notice.posted') throw new RunError('rejected', entry.event.message);
  return goneOn(visitor, row.run, command.approval);
}

/** The answer that a decision began. */
async function goneOn(visitor: Visitor, run: string, approval: string): Promise<Next> {
  const { context } = visitor;
  const row = await context.home.dispatch.get(run);
  if (!row) throw missing('run', run);
  const decided = (await context.trees.of(row)).approvals.get(approval)?.decided;
  return { run, answer: decided ? await beginOf(visitor, row, decided.seq) : 'last' };
}

/** A question by its name, or by its fingerprint alone. */
async function questionOf(visitor: Visitor, { question, ...decided }: SentDecision): Promise<Decided> {
  const { approval: id, fingerprint } = readQuestionId(question);
  const [, run] = /^(.+)\.a\d+$/.exec(id) ?? [];
  const found =
    run === undefined
      ? await byFingerprint(visitor, question)
      : await inRun(visitor, { run, is: ({ approval }) => approval === id });
  if (!found) throw missing('question', question);
  const named = fingerprint ?? (run === undefined ? question : undefined);
  const shown = decided.decision === 'reject' ? undefined : named;
  const decision = DecisionRequest.parse(present({ ...decided, fingerprint: shown }));
  return { subject: { ...found, ...present({ named }) }, decision };
}

type Found = Pick<Asked, 'row' | 'approval'>;

interface Sought {
  readonly run: string;
  readonly is: (approval: Approval) => boolean;
}

async function inRun({ context, caller, asker }: Visitor, { run, is }: Sought): Promise<Found | undefined> {
  const row = await ownRun({ context, caller }, run);
  if (!row) return undefined;
  await asker.heavy(row.bytes);
  const approval = [...(await context.trees.of(row)).approvals.values()].find(is);
  return approval && { row, approval };
}

/** In a tenant no two questions have the same fingerprint, so the newest run that asked by it is the one. */
async function byFingerprint(visitor: Visitor, fingerprint: string): Promise<Found | undefined> {
  const { context, caller } = visitor;
  const terms = [term.question(fingerprint)];
  const [row] = await context.home.dispatch.list({ tenant: caller.tenant, terms, limit: 1 });
  return row && inRun(visitor, { run: row.run, is: (each) => each.fingerprint === fingerprint });
}
