import type { Verdict } from '../../policies/policy.ts';
import type { EventOf, RunEvent } from '../../run/events.ts';
import type { Failure, FailureCode } from '../../run/failure.ts';
import { present } from '../../run/present.ts';
import { isOpen, type RunTree, type Step } from '../../run/tree.ts';
import type { Execution } from '../execution.ts';
import type { Refusal } from '../scope.ts';
import { openStep } from '../scope/open-step.ts';
import type { Leaf } from './leaf.ts';
import { tellUnchecked } from '../question/put-question.ts';
import { askToBegin } from './permit.ts';

/** Refusals a flow must tell from others, to end with an answer. */
const failureCodes: Readonly<Record<string, FailureCode>> = {
  BUDGET_EXHAUSTED: 'over-budget',
  TOOLS_DISABLED: 'disabled',
};

/**
 * Open a leaf that was not recorded. The verdict is given here, once, and what follows from it is recorded in the same
 * breath, so that a recovery reads it and never judges again.
 */
export async function openLeaf(execution: Execution, parent: number, asked: Leaf): Promise<Step> {
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
export function judge({ tree, world, writer, space }: Execution, leaf: Leaf): Verdict {
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
