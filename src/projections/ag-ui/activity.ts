import type { AddOperation, AgUiEvent } from '../../wire/ag-ui.ts';
import { cut } from '../preferences/cut.ts';

/** A step in the tree that clients draw. */
export interface ActivityStep {
  readonly parent?: string | undefined;
  readonly kind?: string;
  readonly title?: string;
  readonly status?: string;
  readonly agent?: string | undefined;
  readonly attempt?: number;
  readonly detail?: string | undefined;
}

/**
 * The tree of steps as an activity that is patched. Clients pay for each patch by the size of the whole tree, so patches are
 * rationed by the times of the entries: in a flood, what has changed is told together.
 */
export interface Activity {
  /** What has changed and is not told, by step. A step that is new is told whole. */
  readonly changes: Map<string, { isNew: boolean; step: ActivityStep }>;
  /** How many patches may be told at once now. */
  ration: number;
  /** When the ration was last counted. */
  at: number;
}

/** So many patches at once, and so many each second. */
const most = 20;
const perSecond = 10;

const longest = { title: 200, detail: 500 } as const;

const activityType = 'vitrine-steps';

export function newActivity(): Activity {
  return { changes: new Map(), ration: most, at: 0 };
}

function activityId(run: string): string {
  return `${run}-steps`;
}

export function add(activity: Activity, name: string, step: ActivityStep): void {
  activity.changes.set(name, { isNew: true, step: bounded(step) });
}

export function change(activity: Activity, name: string, step: ActivityStep): void {
  const known = activity.changes.get(name);
  const isNew = known?.isNew ?? false;
  activity.changes.set(name, { isNew, step: { ...known?.step, ...bounded(step) } });
}

export function bounded(step: ActivityStep): ActivityStep {
  const { title, detail } = step;
  return {
    ...step,
    ...(title === undefined ? {} : { title: cut(title.toWellFormed(), longest.title) }),
    ...(detail === undefined ? {} : { detail: cut(detail.toWellFormed(), longest.detail) }),
  };
}

/** What has changed, if there is any of the ration left, or if it is the last chance. */
export function patch(activity: Activity, at: number, isLast: boolean): readonly AddOperation[] {
  const passed = Math.max(0, at - activity.at);
  activity.ration = Math.min(most, activity.ration + (passed * perSecond) / 1_000);
  activity.at = at;
  if (activity.changes.size === 0 || (activity.ration < 1 && !isLast)) return [];
  activity.ration = Math.max(0, activity.ration - 1);
  const operations = [...activity.changes].flatMap(([name, { isNew, step }]) =>
    operationsOf(name, step, isNew),
  );
  activity.changes.clear();
  return operations;
}

function operationsOf(name: string, step: ActivityStep, isNew: boolean): AddOperation[] {
  const path = `/steps/${name}`;
  if (isNew) return [{ op: 'add', path, value: step }];
  return Object.entries(step)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => ({ op: 'add', path: `${path}/${field}`, value }));
}

export function activityDelta(run: string, operations: readonly AddOperation[]): AgUiEvent {
  return { type: 'ACTIVITY_DELTA', messageId: activityId(run), activityType, patch: operations };
}

/** Whoever has this activity keeps it, unless it is brought anew. */
export function activitySnapshot(
  run: string,
  steps: Readonly<Record<string, ActivityStep>>,
  replace: boolean,
): AgUiEvent {
  const content = { run, steps };
  return { type: 'ACTIVITY_SNAPSHOT', messageId: activityId(run), activityType, content, replace };
}
