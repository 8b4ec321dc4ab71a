import type { FlatStep } from '../../../src/client/client.ts';

type Below = (id: number) => readonly FlatStep[];

/** How a step stands for people: a no is not a failure, so what a person said no to was skipped, and so was what it was for. */
export function shownStatus(step: FlatStep, below: Below): FlatStep['status'] {
  return isDeclined(step, below) ? 'skipped' : step.status;
}

function isDeclined({ id, status, failure }: FlatStep, below: Below): boolean {
  if (status !== 'failed' || failure?.code !== 'refused') return false;
  const isNo = (inner: FlatStep): boolean =>
    inner.failure?.message === failure.message && shownStatus(inner, below) === 'skipped';
  return below(id).some((inner) => isNo(inner) || isRejected(inner));
}

/** A question of its own that somebody answered with no. */
function isRejected({ kind, result }: FlatStep): boolean {
  if (kind !== 'ask' || typeof result !== 'object' || result === null) return false;
  return 'decision' in result && result['decision'] === 'reject';
}
