import type { TokenUsage } from '@ag-ui/core';
import type { Usage } from '../../run/values.ts';

/** What all models together have used, and each of them. */
export function usageOf(each: readonly TokenUsage[]): Usage {
  const sum = (count: (one: TokenUsage) => number | undefined): number =>
    each.reduce((all, one) => all + Math.max(0, count(one) ?? 0), 0);
  const models = each.flatMap(({ model, inputTokens = 0, outputTokens = 0 }) =>
    model === undefined
      ? []
      : [{ model, input: Math.max(0, inputTokens), output: Math.max(0, outputTokens) }],
  );
  return {
    input: sum(({ inputTokens }) => inputTokens),
    output: sum(({ outputTokens }) => outputTokens),
    ...(models.length === 0 ? {} : { models }),
  };
}
