import { termsFor } from '../../run/facts.ts';
import type { RunFilter } from '../../stores/store.ts';
import type { QueryOf } from '../../wire/native/endpoint.ts';
import type { listRuns } from '../../wire/native/runs.ts';

/** Which runs somebody wants to see, in the words of the API. */
export type RunQuery = QueryOf<typeof listRuns>;

/** The same in the words of a store. */
export function runFilter(tenant: string, query: RunQuery): RunFilter {
  const { waiting, agent, tool, label = [], text, ...same } = query;
  const terms = termsFor({ agent, tool, labels: [label].flat(), text });
  return { tenant, ...same, withApprovals: waiting, terms };
}
