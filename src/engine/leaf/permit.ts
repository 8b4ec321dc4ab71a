import type { Failure } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import type { Approval, Step } from '../../run/tree.ts';
import type { Json } from '../../run/values.ts';
import type { Standing } from '../conversation/standing.ts';
import { alongOf } from '../question/along.ts';
import type { Execution } from '../execution.ts';
import { ask, isAbout } from '../question/put-question.ts';
import type { Decided } from '../question/questions.ts';
import { loadLarge } from '../record/large.ts';
import type { Leaf } from './leaf.ts';

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
