import type { EarlierOutcome, Intent } from '../../policies/policy.ts';
import type { Call, EventOf, StepId } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { type Step, isOpen, type RunTree, stepOf, type Approval, present } from '../../run/tree.ts';
import type { Source } from '../../run/untrusted.ts';
import type { BlobRef, Effect, Json, Usage } from '../../run/values.ts';
import type { Asking, Audience } from '../../tools/tool.ts';
import type { Standing } from '../conversation/standing.ts';
import type { Execution } from '../execution.ts';
import { keepClean, keepLarge, loadLarge, cleanResult } from '../record/recordable.ts';
import type { Refusal } from '../scope.ts';
import { isAbout, ask } from '../question/put-question.ts';
import type { Decided } from '../question/questions.ts';
import { alongOf } from '../question/along.ts';

/** How an effect came out. */
export interface LeafOutcome {
  readonly outcome: 'completed' | 'failed';
  readonly result?: Json;
  readonly failure?: Failure;
  readonly usage?: Usage;
  /** Whoever was asked was lost on the way: nobody knows whether it happened. */
  readonly isLost?: boolean;
}

/** What the one who was asked remembers of it. */
export interface Recalled {
  /** Whether it arrived there; undefined when nobody can tell. */
  readonly arrived: boolean | undefined;
  readonly answer?: string | undefined;
}

type Opening = Omit<EventOf<'step.opened'>, 'type' | 'step' | 'parent' | 'key' | 'started' | 'attempt'>;

/** A turn or a call: the only things that have effects. */
export interface Leaf {
  readonly key: string;
  readonly opening: Opening;
  readonly effect: Effect;
  readonly intent: Intent;
  /** The flow shows it and does not want it run. */
  readonly refusal?: Refusal | undefined;
  /** What the same call gave earlier in the conversation. */
  readonly earlier?: EarlierOutcome | undefined;
  /** What others wrote and other runs of the conversation have read. */
  readonly inherited?: readonly Source[] | undefined;
  /** Known to fail before anything is asked of anyone: arguments that do not fit. */
  readonly misfit?: Failure | undefined;
  /** What of the arguments is not checked, each in words. */
  readonly unchecked?: readonly string[] | undefined;
  /** How a person is asked, where one must agree. */
  readonly asking?: Asking | undefined;
  /** What a person sees and agrees to, exactly. */
  readonly bytes: Json;
  /** The same as an entry carries it, where it is large. */
  readonly shown?: BlobRef | Json | undefined;
  /** The call as it is after a person has edited it. */
  edited(bytes: Json): Promise<Call | undefined>;
  /** Where the agent stands in its conversation, or what a tool says of itself: an agreement holds as long as that is so. */
  standing?(step: Step): Promise<Standing>;
  /** The same as it was just before this was opened, where a person may be asked. */
  readonly stood?: Standing | undefined;
  /** Whether the agent itself has lost the conversation; undefined when nobody can tell. */
  hasForgotten?(step: Step): Promise<boolean | undefined>;
  /** Only one at a time may be under way under this name. */
  readonly exclusive?: string | undefined;
  /** `begin` is awaited before anything is done outside; without its leave nothing is, and there is no outcome. */
  perform(step: Step, bytes: Json, begin: () => Promise<boolean>): Promise<LeafOutcome | undefined>;
  /** Looks into the history of whoever is asked, where there is one. */
  recall?(step: Step, bytes: Json): Promise<Recalled>;
}

/** Record how an effect came out. */
export function closeLeaf(execution: Execution, step: Step, outcome: LeafOutcome): Promise<void> {
  return execution.recording(async () => {
    const { result: given, isLost: _, ...known } = outcome;
    const result = given === undefined ? {} : { result: await kept(execution, step, given) };
    if (isOpen(step)) execution.emit({ type: 'step.closed', step: step.id, ...known, ...result });
    else
      tellLate(execution, step, `«${step.title}» ended after it had been closed; its outcome is not used.`);
  });
}

async function kept(execution: Execution, step: Step, given: Json): Promise<BlobRef | Json> {
  if (!isOpen(step)) return keepLarge(execution, given);
  const clean = cleanResult(execution, step, given);
  return keepClean(execution, clean instanceof Promise ? await clean : clean);
}

/** What comes when nobody waits for it any more is shown all the same. */
export function tellLate(execution: Execution, step: Step, message: string): void {
  execution.emit({ type: 'notice.posted', step: step.id, code: 'LATE_RESULT', message });
}

/** What a person made of the work of a step, if anyone did and it still holds. */
export function lastEdit({ approvals }: RunTree, step: StepId): BlobRef | Json | undefined {
  let edited: BlobRef | Json | undefined;
  for (const { step: about, decided, lapsedAt } of approvals.values()) {
    if (about !== step || decided?.decision !== 'edit' || lapsedAt !== undefined) continue;
    if (decided.arguments !== undefined) edited = decided.arguments;
  }
  return edited;
}

/** The same for every attempt of the same work, and different once a person has changed what will run. */
export function idempotencyKey({ world, run, tree }: Execution, step: Step, bytes: Json): string {
  const work = step.call ? step.call.signature : JSON.stringify([step.agent, bytes]);
  return `${run}-${firstTry(tree, step).id}-${world.hash(work).slice(0, 12)}`;
}

/** A call in a step `try` is the work of the same call in the step around it, once more. */
function firstTry(tree: RunTree, step: Step): Step {
  const within = stepOf(tree, step.parent);
  if (!step.call || within.kind !== 'try') return step;
  const { signature } = step.call;
  const before = stepOf(tree, within.parent).children.map((id) => stepOf(tree, id));
  return before.find(({ call }) => call?.signature === signature) ?? step;
}

/** Bring a leaf that is open and has not begun to its beginning, or close it if a person says no. */
export async function permit(execution: Execution, step: Step, leaf: Leaf): Promise<void> {
  for (;;) {
    const approval = lastAsked(execution, step);
    if (!approval) {
      await clearWay(execution, step, leaf);
      return execution.emit({ type: 'step.started', step: step.id });
    }
    if (!isAbout(execution, approval, { step: step.id, attempt: 1, purpose: 'begin', bytes: leaf.bytes }))
      return execution.diverge(`«${step.key}» would do something else than was asked.`);
    const asked = { leaf, approval };
    const decided = await agreement(execution, step, asked);
    if (!decided) continue;
    if (!isYes(decided)) return decline(execution, step, decided);
    const call = await editedCall(execution, leaf, decided);
    await clearWay(execution, step, leaf);
    if (leaf.standing && !(await stillHolds(execution, step, asked))) continue;
    return execution.emit({ type: 'step.started', step: step.id, ...(call ? { call } : {}) });
  }
}

interface AskedLeaf {
  readonly leaf: Leaf;
  readonly approval: Approval;
}

/** What a person says to it; undefined once it was asked anew. */
async function agreement(
  execution: Execution,
  step: Step,
  { leaf, approval }: AskedLeaf,
): Promise<Decided | undefined> {
  const { questions, line } = execution;
  const { news } = line;
  if (!leaf.standing) return questions.decision(approval.approval);
  if (approval.decided && approval.lapsedAt === undefined) return approval.decided;
  const standing = await execution.busy(leaf.standing(step));
  // What is under way tells when it is over; asked now, the question would only have to be asked once more.
  const isHeld = standing.isBusy || changeIn(step, approval, standing) === undefined;
  if (approval.lapsedAt === undefined && (approval.decided || isHeld))
    return questions.decisionUnless(approval.approval, news);
  askAnew(execution, step, { leaf, approval, standing });
  await execution.busy(execution.barrier());
  return undefined;
}

/**
 * Whoever stands first in line is alone with the agent: where it stands now is where it will stand when the work begins.
 * If it is not where it was when a person agreed, they agreed to something else.
 */
async function stillHolds(execution: Execution, step: Step, { leaf, approval }: AskedLeaf): Promise<boolean> {
  const stood = await execution.busy(Promise.resolve(leaf.standing?.(step)));
  const standing = stood && (await asRemembered(execution, step, { leaf, approval, stood }));
  const hasChanged = standing && changeIn(step, approval, standing) !== undefined;
  if (!hasChanged && !execution.isGated) return true;
  if (hasChanged) askAnew(execution, step, { leaf, approval, standing });
  if (leaf.exclusive !== undefined) await execution.line.stepAside(execution, leaf.exclusive);
  return false;
}

/** What its words refer to may be gone where the agent is: that is asked there, as late as can be. */
async function asRemembered(
  execution: Execution,
  step: Step,
  { leaf, approval, stood }: AskedLeaf & { readonly stood: Standing },
): Promise<Standing> {
  // Agreed to as the first words of a new conversation, they are sent as such.
  if (!leaf.hasForgotten || stood.exchange === undefined || approval.forgotten) return stood;
  const isForgotten = await execution.busy(leaf.hasForgotten(step));
  return isForgotten ? { ...stood, exchange: undefined, forgotten: true } : stood;
}

/** Why what was agreed to is not what would happen now, if so. */
function changeIn(step: Step, approval: Approval, standing: Standing): string | undefined {
  if (standing.position !== approval.position) return step.call ? changed(step) : goneOn(step);
  const { forgotten = approval.forgotten } = standing;
  if (forgotten === true && approval.forgotten !== true) return lost(step);
  const isSame = JSON.stringify(alongOf(approval)) === JSON.stringify(alongOf({ ...standing, forgotten }));
  return isSame
    ? undefined
    : `What is sent with «${step.title}» has changed since this was asked: look at it now.`;
}

/** Let a question lapse, with the reason, and put it again as things stand now. */
function askAnew(
  execution: Execution,
  step: Step,
  { leaf, approval, standing }: AskedLeaf & { readonly standing: Standing },
): void {
  const { approval: insteadOf, fingerprint, lapsedAt } = approval;
  const reason = changeIn(step, approval, standing) ?? goneOn(step);
  if (lapsedAt === undefined)
    execution.emit({ type: 'approval.lapsed', approval: insteadOf, fingerprint, reason });
  const [first = approval] = [...execution.tree.approvals.values()].filter((each) => each.step === step.id);
  askToBegin(execution, step, {
    leaf: { ...leaf, stood: standing },
    reason: `${approval.lapsedBecause ?? reason} ${leaf.intent.caution ?? first.message ?? ''}`.trim(),
    insteadOf,
  });
}

/** Why a question about a turn lapses. */
export function goneOn({ agent, title }: Pick<Step, 'agent' | 'title'>): string {
  return `«${agent ?? title}» has gone on in this conversation since this was asked: look at what it says now.`;
}

function lost({ agent, title }: Step): string {
  return `«${agent ?? title}» has lost this conversation since this was asked: it knows nothing of what was said in it, and would be told this in a new one.`;
}

function changed({ title }: Step): string {
  return `«${title}» has changed since this was asked: look at what it says of itself now.`;
}

/** Nothing stands in the way: no pause, and nobody before us in line. */
export async function clearWay(execution: Execution, step: Step, { exclusive }: Leaf): Promise<void> {
  for (;;) {
    while (execution.isGated) await execution.gate();
    if (exclusive === undefined) return;
    await execution.line.take(execution, step, exclusive);
    if (!execution.tree.paused) return;
    // Whoever is paused in front of the line must not keep the others.
    await execution.line.stepAside(execution, exclusive);
  }
}

/** Ask a person whether exactly this may begin. */
export function askToBegin(
  execution: Execution,
  step: Step,
  { leaf, reason, insteadOf }: { leaf: Leaf; reason: string; insteadOf?: string },
): void {
  const { priority, expiresIn } = leaf.asking ?? {};
  const { exchange, position, attachments, history, forgotten } = leaf.stood ?? {};
  ask(execution, step, {
    purpose: 'begin',
    bytes: leaf.bytes,
    shown: leaf.shown,
    title: step.title,
    message: reason,
    allowed: ['approve', 'reject', 'edit', 'defer'],
    ...present({ priority, exchange, position, attachments, history, forgotten, insteadOf }),
    ...present({ editSchema: formOf(execution, step) }),
    ...(expiresIn === undefined ? {} : { expiresAt: execution.world.time.now() + expiresIn }),
  });
}

/** Larger ones do not go along with each question: whoever edits then sees the values alone. Characters. */
const largestForm = 8_000;

/** What the call may be edited to. */
function formOf({ world }: Execution, { call }: Step): Json | undefined {
  const schema = world.catalog.tools.find(({ name }) => name === call?.tool)?.schema;
  return JSON.stringify(schema ?? null).length <= largestForm ? schema : undefined;
}

/** What a person agreed to last about a step, as far as it holds. */
export function agreedTo({ tree }: Execution, { id }: Step): Approval | undefined {
  let last: Approval | undefined;
  for (const approval of tree.approvals.values()) {
    const { step, decided, lapsedAt } = approval;
    if (step === id && decided && isYes(decided) && lapsedAt === undefined) last = approval;
  }
  return last;
}

/** The last question about a step, also one that has lapsed. */
function lastAsked({ tree }: Execution, { id }: Step): Approval | undefined {
  let last: Approval | undefined;
  for (const approval of tree.approvals.values()) if (approval.step === id) last = approval;
  return last;
}

export function isYes({ decision }: Decided): boolean {
  return decision === 'approve' || decision === 'edit';
}

/** The call a person made of it. */
export async function editedCall(
  execution: Execution,
  leaf: Leaf,
  { decision, arguments: edited }: Decided,
): Promise<Awaited<ReturnType<Leaf['edited']>>> {
  return decision === 'edit' ? leaf.edited(await loadLarge(execution, edited)) : undefined;
}

export async function decline(execution: Execution, step: Step, decided: Decided): Promise<void> {
  while (execution.isGated) await execution.gate();
  const { decision, by, rationale } = decided;
  const why = rationale === undefined ? '.' : `: ${rationale}`;
  const failure: Failure =
    decision === 'expire'
      ? { code: 'timed-out', message: `Nobody decided on «${step.title}» in time.` }
      : { code: 'refused', message: `${by} rejected «${step.title}»${why}` };
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'skipped', failure });
}

interface Ruled<T> {
  readonly name: string;
  readonly approval?: 'never' | 'always' | ((input: T) => boolean);
}

/** Whether a tool or agent wants a person to agree first. A rule that breaks has not said no. */
export function mustAsk<T>(
  { world, run }: Execution,
  { name, approval = 'never' }: Ruled<T>,
  input: T,
): boolean {
  if (typeof approval !== 'function') return approval === 'always';
  try {
    return approval(input);
  } catch (cause) {
    world.log.error({ run, cause }, `The approval rule of ${name} broke, so a person is asked.`);
    return true;
  }
}

/** For whom the tools of a run are there. */
export function audienceOf({ tree }: Execution): Audience {
  const { tenant = '', approvals } = tree.started ?? {};
  return { tenant, approvals };
}
