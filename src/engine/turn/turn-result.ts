import { present } from '../../run/present.ts';
import { textOf, type Step } from '../../run/tree.ts';
import type { TurnResult } from '../scope.ts';

/** The result of a turn, from the fold. */
export function turnResult(step: Step): TurnResult {
  const { result, items, usage } = step;
  const finish = (result as { finish?: TurnResult['finish'] } | undefined)?.finish;
  return {
    text: textOf(step),
    reasoning: textOf(step, 'reasoning'),
    calls: [...(step.requests?.values() ?? [])].map(({ id, tool, pieces }) => ({
      id,
      tool,
      arguments: pieces.join(''),
    })),
    finish: finish ?? 'other',
    items: [...items],
    ...present({ usage, takenAsDone: finish === undefined ? wordOf(result) : undefined }),
  };
}

/** What a person left in place of an outcome: an answer of their own, or that they took it as done. */
function wordOf(result: Step['result']): string | undefined {
  if (result === undefined || typeof result === 'string') return result;
  const { note } = result as { readonly note?: unknown };
  return typeof note === 'string' ? note : JSON.stringify(result);
}
