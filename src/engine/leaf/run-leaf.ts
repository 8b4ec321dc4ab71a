import { type Failure, type FailureCode, RunError } from '../../run/failure.ts';
import { isOpen, type RunTree, type Step, present } from '../../run/tree.ts';
import { leaveLine } from '../conversation/line.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import { loadLarge } from '../record/recordable.ts';
import { meet } from '../recovery/recorded.ts';
import { failureIn } from '../scope/broken.ts';
import { settleDoubt } from './doubt.ts';
import { closeLeaf, lastEdit, type Leaf, type LeafOutcome, askToBegin, permit } from './leaf.ts';
import { expectWithin } from '../time/deadlines.ts';
import type { Verdict } from '../../policies/policy.ts';
import type { EventOf, RunEvent } from '../../run/events.ts';
import type { Refusal } from '../scope.ts';
import { openStep } from '../scope/composite.ts';
import { tellUnchecked } from '../question/put-question.ts';
const maxAttempts = 3;
const firstPause = 200;

/**
 * Run a leaf, or recall how it ended. The intent is durable before the effect begins, and the outcome is recorded before
 * anything can be built on it. What may be repeated is tried again when the failure says that it could help.
 */
export async function runLeaf(execution: Execution, parent: number, leaf: Leaf): Promise<Step> {
  const { kind, agent, call } = leaf.opening;
  const known = meet(execution, { parent, key: leaf.key, kind, agent, call });
  if (known instanceof Promise) return known;
  expectWithin(leaf.opening.title, leaf.opening.within);
  const step = known ?? (await openLeaf(execution, parent, leaf));
  const { deadlines } = execution;
  const working = deadlines.keep(step, () => work(execution, step, { leaf, isDoubtful: known?.started }));
  // What it is called for learns of the end of its time from the step.
  await working.catch((thrown: unknown) => (deadlines.hasCut(step.id) ? undefined : Promise.reject(thrown)));
  if (!deadlines.hasCut(step.id)) return step;
  if (leaf.exclusive !== undefined) await execution.busy(leaveLine(execution, step, leaf.exclusive));
  return deadlines.hasCut(parent) ? forever() : step;
}

async function work(
  execution: Execution,
  step: Step,
  { leaf, isDoubtful = false }: { readonly leaf: Leaf; readonly isDoubtful?: boolean | undefined },
): Promise<void> {
  if (isOpen(step)) {
    if (isDoubtful) await settleDoubt(execution, step, { leaf });
    else if (!step.started) await permit(execution, step, leaf);
  }
  const first = step.attempt;
  while (isOpen(step)) {
    const attempt = perform(execution, step, { leaf, first });
    const failed = await execution.busy(execution.deadlines.unlessCut(step.id, attempt));
    if (!failed) break;
    if (isInDoubt(leaf, failed)) await settleDoubt(execution, step, { leaf, why: failed.failure?.message });
    else await tryAgain(execution, step, { leaf, first, failed });
  }
}

interface Trying {
  readonly leaf: Leaf;
  /** The attempt this worker began with: those a gateway makes by itself count as well. */
  readonly first: number;
}

/** What may happen once and was lost on the way is not known to have failed. */
function isInDoubt({ effect }: Leaf, { isLost = false }: LeafOutcome): boolean {
  return isLost && effect === 'once';
}

/** One attempt. How it failed, if that is not the end of it; whatever else came of it is recorded. */
async function perform(execution: Execution, step: Step, trying: Trying): Promise<LeafOutcome | undefined> {
  const { leaf } = trying;
  const signal = execution.deadlines.signalAt(step.id);
  const begin = async (): Promise<boolean> => {
    await execution.barrier(leaf.opening.kind === 'turn' ? 'some' : 'great');
    return execution.mayAct();
  };
  // What will run: what the flow asked for, or what a person made of it.
  const edit = lastEdit(execution.tree, step.id);
  const bytes = edit === undefined ? leaf.bytes : await loadLarge(execution, edit);
  const outcome = await leaf.perform(step, bytes, begin).catch((thrown: unknown) => {
    const isBug = !(thrown instanceof RunError) && !signal.aborted;
    if (isBug) execution.world.log.error({ run: execution.run, cause: thrown }, 'An effect broke.');
    return { outcome: 'failed', failure: failureIn(step.title, thrown) } satisfies LeafOutcome;
  });
  if (!outcome) return undefined;
  // Cut off: by a stop, and the end of the run closes it with its doubt, or by the end of its time, which has closed it.
  if (outcome.outcome === 'failed' && signal.aborted) return undefined;
  if (isOpen(step) && isInDoubt(leaf, outcome)) return outcome;
  if (isOpen(step) && isWorthAnother(execution, step, { ...trying, failed: outcome })) return outcome;
  await settle(execution, step, { leaf, outcome });
  return undefined;
}

/** An approval is for one attempt: what a person agreed to is not repeated without asking again. */
function isWorthAnother(
  execution: Execution,
  { id, attempt }: Step,
  { leaf, first, failed }: Trying & { readonly failed: LeafOutcome },
): boolean {
  const { failure } = failed;
  if (leaf.effect === 'once' || failure?.retryable !== true || attempt - first + 1 >= maxAttempts)
    return false;
  // Whoever has waited a whole timeout for a model is not made to wait another one.
  if (leaf.opening.kind === 'turn' && failure.code === 'timed-out') return false;
  for (const { step } of execution.tree.approvals.values()) if (step === id) return false;
  return !isUsedUp(execution, leaf);
}

function isUsedUp(execution: Execution, leaf: Leaf): boolean {
  const verdict = judge(execution, leaf);
  return verdict.verdict === 'refuse' && verdict.code === 'BUDGET_EXHAUSTED';
}

/** After a pause that grows. A stop ends it, and nothing begins anew while the run is paused. */
async function tryAgain(
  execution: Execution,
  step: Step,
  { leaf, first, failed }: Trying & { readonly failed: LeafOutcome },
): Promise<void> {
  const { world, deadlines } = execution;
  const pause = firstPause * 2 ** (step.attempt - first);
  await execution.busy(world.clock.sleep(pause, deadlines.signalAt(step.id)));
  while (execution.isGated) await execution.gate();
  if (isUsedUp(execution, leaf)) return execution.busy(settle(execution, step, { leaf, outcome: failed }));
  const reason = failed.failure?.message ?? 'It failed.';
  const { usage } = failed;
  const paid = usage && { tokens: usage.input + usage.output, ...present({ cost: usage.cost }) };
  const attempt = step.attempt + 1;
  execution.emit({ type: 'step.retried', step: step.id, attempt, reason, ...paid });
}

async function settle(
  execution: Execution,
  step: Step,
  { leaf, outcome }: { readonly leaf: Leaf; readonly outcome: LeafOutcome },
): Promise<void> {
  await closeLeaf(execution, step, outcome);
  const { exclusive } = leaf;
  if (exclusive !== undefined && !execution.deadlines.hasCut(step.id))
    await leaveLine(execution, step, exclusive);
}

/** Refusals a flow must tell from others, to end with an answer. */
const failureCodes: Readonly<Record<string, FailureCode>> = {
  BUDGET_EXHAUSTED: 'over-budget',
  TOOLS_DISABLED: 'disabled',
};

/**
 * Open a leaf that was not recorded. The verdict is given here, once, and what follows from it is recorded in the same
 * breath, so that a recovery reads it and never judges again.
 */
async function openLeaf(execution: Execution, parent: number, asked: Leaf): Promise<Step> {
  const leaf = mayInherit(execution, asked) ? await withInherited(execution, asked) : asked;
  while (execution.isGated) await execution.gate();
  const { tree } = execution;
  let verdict = judge(execution, leaf);
  // What is to be reused is still under way: nothing is recorded before it is over, and then it is judged anew. No
  // await may stand between the verdict and the opening, or two branches could both be allowed the same call.
  for (let first = firstOf(tree, verdict); first && isOpen(first); first = firstOf(tree, verdict)) {
    await execution.steps.over(first);
    while (execution.isGated) await execution.gate();
    verdict = judge(execution, leaf);
  }
  const isFree = verdict.verdict === 'allow' && !leaf.misfit && leaf.exclusive === undefined;
  const started = isFree ? { started: true } : {};
  const step = openStep(execution, { parent, key: leaf.key, ...leaf.opening, ...started });
  if (leaf.unchecked) tellUnchecked(execution, step, leaf.unchecked);
  if (leaf.misfit && !leaf.refusal) closeWith(execution, step, leaf.misfit);
  else enact(execution, step, { verdict, leaf });
  return step;
}

/** Awaited only where there is something: otherwise opening stays synchronous, and branches keep their order. */
function mayInherit({ tree, world }: Execution, { intent }: Leaf): boolean {
  if (!intent.sends) return false;
  const isRemembered = world.catalog.agents.some(({ state = 'stateless' }) => state !== 'stateless');
  return tree.started?.earlier !== undefined || isRemembered;
}

/** What other runs of the conversation have read may have reached this one, by its history or by what agents remember. */
async function withInherited(execution: Execution, leaf: Leaf): Promise<Leaf> {
  const inherited = await execution.busy(execution.insist(() => execution.remembered.untrusted()));
  return { ...leaf, inherited };
}

/** The verdict of all policies on a leaf as it stands. */
function judge({ tree, world, writer, space }: Execution, leaf: Leaf): Verdict {
  const { intent, refusal, misfit, earlier, inherited } = leaf;
  if (refusal) return { verdict: 'refuse', ...refusal };
  if (misfit) return { verdict: 'allow' };
  const view = { tree, now: writer.now(), earlier, inherited, full: space.used() };
  return strictest(world.policies.map((policy) => policy(view, intent)));
}

function firstOf(tree: RunTree, verdict: Verdict): Step | undefined {
  if (verdict.verdict !== 'reuse' || verdict.step === undefined) return undefined;
  return tree.steps.get(verdict.step);
}

function enact(execution: Execution, step: Step, { verdict, leaf }: { verdict: Verdict; leaf: Leaf }): void {
  const notice = (code: string, message: string): RunEvent => ({
    type: 'notice.posted',
    step: step.id,
    code,
    message,
  });
  switch (verdict.verdict) {
    case 'allow':
      return;
    case 'ask':
      return askToBegin(execution, step, { leaf, reason: verdict.reason });
    case 'reuse': {
      execution.emit(notice(verdict.code, verdict.reason));
      const first = firstOf(execution.tree, verdict);
      const used = first
        ? { ...outcomeOf(first), reusedFrom: first.id }
        : { outcome: 'reused' as const, result: leaf.earlier?.result ?? null };
      return execution.emit({ type: 'step.closed', step: step.id, ...used });
    }
    case 'refuse':
      return refuse(execution, step, verdict);
    case 'stop':
      refuse(execution, step, verdict);
      execution.emit({ type: 'stop.requested', by: 'policy', reason: verdict.reason });
      void execution.stop();
      return;
  }
}

/** What failed before, or was refused, is a failure again: shown as anything else it would look like a success. */
function outcomeOf({ status, result, failure }: Step): Pick<EventOf<'step.closed'>, Used> {
  const isRefusal = failure !== undefined && status === 'skipped';
  const outcome = isRefusal ? 'skipped' : failure ? 'failed' : 'reused';
  return { outcome, ...present({ result, failure }) };
}

type Used = 'outcome' | 'result' | 'failure';

/** Not run, and shown as such. */
function refuse(execution: Execution, step: Step, { code, reason }: Refusal): void {
  const failure = { code: failureCodes[code] ?? 'refused', message: reason };
  execution.emit({ type: 'notice.posted', step: step.id, code, message: reason });
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'skipped', failure });
}

function closeWith(execution: Execution, step: Step, failure: Failure): void {
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'failed', failure });
}

const strictness = { allow: 0, ask: 1, reuse: 2, refuse: 3, stop: 4 } as const;

/** The strictest verdict wins; of equals, the first. Who is asked for several reasons is told all of them. */
function strictest(verdicts: readonly Verdict[]): Verdict {
  let winner: Verdict = { verdict: 'allow' };
  for (const verdict of verdicts) {
    if (strictness[verdict.verdict] > strictness[winner.verdict]) winner = verdict;
    else if (verdict.verdict === 'ask' && winner.verdict === 'ask')
      winner = { verdict: 'ask', reason: `${winner.reason}\n${verdict.reason}` };
  }
  return winner;
}
