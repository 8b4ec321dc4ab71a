import type { Verdict } from '../policies/policy.ts';
import type { RunEvent } from '../run/events.ts';
import type { Failure } from '../run/failure.ts';
import type { Step } from '../run/tree.ts';
import type { Execution } from './execution.ts';
import type { Leaf } from './leaf.ts';
import { askToBegin } from './permit.ts';
import { strictest } from './verdict.ts';

/**
 * Open a leaf that was not recorded. The verdict is given here, once, and what follows from it is recorded in the same
 * breath, so that a recovery reads it and never judges again.
 */
export async function openLeaf(execution: Execution, parent: number, leaf: Leaf): Promise<Step> {
  for (let gate = execution.gate(); gate; gate = execution.gate()) await gate;
  const { tree, world } = execution;
  const verdict = strictest(
    world.policies.map((policy) => policy({ tree, now: world.clock.now() }, leaf.intent)),
  );
  const id = execution.recorded.child(parent, leaf.key)?.id ?? tree.nextStep;
  const isFree = verdict.verdict === 'allow' && !leaf.misfit && leaf.exclusive === undefined;
  const started = isFree ? { started: true } : {};
  execution.emit({ type: 'step.opened', step: id, parent, key: leaf.key, ...leaf.opening, ...started });
  const step = tree.steps.get(id);
  if (!step) throw new Error(`step ${id} was opened and is not in the tree`);
  if (leaf.misfit) closeWith(execution, step, leaf.misfit);
  else enact(execution, step, { verdict, leaf });
  return step;
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
      const first = execution.tree.steps.get(verdict.step);
      const result = first?.result === undefined ? {} : { result: first.result };
      execution.emit(notice(verdict.code, verdict.reason));
      execution.emit({
        type: 'step.closed',
        step: step.id,
        outcome: 'reused',
        reusedFrom: verdict.step,
        ...result,
      });
      return;
    }
    case 'refuse':
    case 'stop': {
      const code = verdict.code === 'BUDGET_EXHAUSTED' ? 'over-budget' : 'refused';
      execution.emit(notice(verdict.code, verdict.reason));
      execution.emit({
        type: 'step.closed',
        step: step.id,
        outcome: 'skipped',
        failure: { code, message: verdict.reason },
      });
      return;
    }
  }
}

function closeWith(execution: Execution, step: Step, failure: Failure): void {
  execution.emit({ type: 'step.closed', step: step.id, outcome: 'failed', failure });
}
