import type { Entry, FlatStep, FlatTree } from '../../../src/client/client.ts';
import type { Limits } from '../../../src/run/values.ts';
import { shownStatus } from '../steps/shown-status.ts';

/** A run in figures. */
export interface Summary {
  readonly agents: readonly { readonly agent: string; readonly title: string }[];
  /** The steps of the run itself, as they stand. */
  readonly top: readonly FlatStep[];
  readonly done: number;
  /** Tools that this run used; what other agents used is told by their own steps. */
  readonly tools: number;
  /** Steps that were not run since they had been. */
  readonly reused: number;
  readonly isScripted: boolean;
  /** Whether some of its agents worked at the same time. */
  readonly atOnce: boolean;
}

const over = new Set<FlatStep['status']>([
  'completed',
  'failed',
  'skipped',
  'stopped',
  'reused',
  'abandoned',
]);

export function summaryOf(tree: FlatTree): Summary {
  const below = (id: number): FlatStep[] => tree.steps.filter(({ parent }) => parent === id);
  const top = below(0)
    .map(waitingAs(tree))
    .map((step) => {
      const status = shownStatus(step, below);
      return status === step.status ? step : { ...step, status };
    });
  const agents = new Map<string, string>();
  let tools = 0;
  let reused = 0;
  let isScripted = false;
  for (const step of tree.steps) {
    if (step.kind === 'agent' && step.agent !== undefined) agents.set(step.agent, step.title);
    if (step.kind === 'call' && step.origin === undefined) tools += 1;
    if (step.reusedFrom !== undefined) reused += 1;
    if (step.model?.includes('scripted') === true) isScripted = true;
  }
  if (agents.size === 0)
    for (const { agent, title, model } of tree.steps)
      if (agent !== undefined && model === undefined) agents.set(agent, title);
  const done = top.filter(({ status }) => over.has(status)).length;
  return { agents: agentsOf(agents), top, done, tools, reused, isScripted, atOnce: overlap(top) };
}

/** A step of the run waits for a person when anything below it does. */
function waitingAs({ steps }: FlatTree): (step: FlatStep) => FlatStep {
  const asking = steps.filter(({ status }) => status === 'waiting');
  if (asking.length === 0) return (step) => step;
  const parents = new Map(steps.map(({ id, parent }) => [id, parent]));
  const waiting = new Set<number>();
  for (const { id } of asking) for (let at = id; at !== 0; at = parents.get(at) ?? 0) waiting.add(at);
  return (step) =>
    step.status === 'running' && waiting.has(step.id) ? { ...step, status: 'waiting' } : step;
}

function agentsOf(agents: ReadonlyMap<string, string>): Summary['agents'] {
  return [...agents].map(([agent, title]) => ({ agent, title }));
}

function overlap(top: readonly FlatStep[]): boolean {
  const working = top.filter(({ kind, openedAt }) => kind === 'agent' && openedAt !== undefined);
  return (
    working.length > 1 &&
    working.every((step, i) => {
      const before = working[i - 1];
      return before === undefined || (before.closedAt ?? Infinity) > (step.openedAt ?? 0);
    })
  );
}

/** What the run was given and may use, as its first entry says. */
export function beginningOf(entries: readonly Entry[]): Beginning | undefined {
  const event = entries[0]?.event;
  return event?.type === 'run.started' ? event : undefined;
}
export type Beginning = Extract<Entry['event'], { readonly type: 'run.started' }> & {
  readonly limits: Limits;
};

/** Who asked for it last, of pausing or stopping. */
export function askedBy(
  entries: readonly Entry[],
  type: 'run.paused' | 'stop.requested',
): string | undefined {
  const event = entries.findLast((entry) => entry.event.type === type)?.event;
  return event?.type === type ? event.by : undefined;
}
