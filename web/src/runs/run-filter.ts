import type { ListedRun } from '../../../src/client/client.ts';

const statuses = ['running', 'waiting', 'paused', 'completed', 'failed', 'stopped'] as const;

/** What can be looked for in the list of runs, as it stands in its address. */
export interface ListFilter {
  readonly text?: string;
  readonly status?: (typeof statuses)[number];
  readonly app?: string;
  readonly agent?: string;
  readonly tool?: string;
  readonly label?: string;
}
export const filterStatuses = statuses;

const words = ['text', 'app', 'agent', 'tool', 'label'] as const;

/** `status=failed&text=fibre cut`. What is none of it is left out. */
export function readFilter(written = ''): ListFilter {
  const given = new URLSearchParams(written);
  const status = statuses.find((one) => one === given.get('status'));
  const named = words.flatMap((name) => {
    const value = given.get(name)?.trim() ?? '';
    return value === '' ? [] : [[name, value]];
  });
  return { ...(Object.fromEntries(named) as ListFilter), ...(status ? { status } : {}) };
}

export function writeFilter(filter: ListFilter): string {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined && value !== '');
  return new URLSearchParams(given as [string, string][]).toString();
}

/** The newest first; of what is known twice, what was told last. */
export function newestFirst(...lists: readonly Iterable<ListedRun>[]): ListedRun[] {
  const runs = new Map<string, ListedRun>();
  for (const list of lists)
    for (const run of list) if (run.seq >= (runs.get(run.run)?.seq ?? 0)) runs.set(run.run, run);
  return [...runs.values()].toSorted((one, other) => other.createdAt - one.createdAt);
}
