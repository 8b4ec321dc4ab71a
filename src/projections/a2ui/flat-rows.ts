import { pipelineStages, stageKind } from '../../run/pipeline-stages.ts';
import type { StepId } from '../../run/events.ts';
import type { StepStatus } from '../../run/tree.ts';
import type { FlatRow } from '../../wire/a2ui.ts';
import { cutWith } from '../preferences/cut.ts';
import { deeper } from './surface.ts';

/** All rows are sent with each change, so there are at most so many: those that changed last. */
const most = 200;
const detailLength = 199;
const labelLength = 80;

/** A row, where it stands among all there were, and the entry that changed it last. */
export interface Row {
  readonly row: FlatRow;
  readonly place: RowPlace;
  readonly seq: number;
}

/** Where the row of a step stands. */
export interface RowPlace {
  readonly name: string;
  /** The name of the row it belongs to, below a skill. */
  readonly parent?: string | undefined;
  /** In a pipeline, from its stage down to it: rows stand below those they belong to. Else they stand as they came. */
  readonly order: readonly number[];
  readonly isStaged?: boolean;
  readonly depth: number;
  /** How far below a skill it is; nothing where it is below none. */
  readonly below?: number | undefined;
}

export const noPlace: RowPlace = { name: '', order: [], depth: 0 };
const skillsName = rowName('execute');
const deepest = 2;

/** The place of a step in that of the step above it. Stages and skills of a pipeline have names of their own. */
export function placeIn(
  above: RowPlace,
  { id, key, kind }: { readonly id: StepId; readonly key: string; readonly kind: string },
): RowPlace {
  const { isStaged = above.name === '' && kind === stageKind } = above;
  const order = isStaged ? [...above.order, id] : [id];
  if (isStaged && above.name === '') return { name: rowName(key), order, depth: 1, isStaged };
  if (above.name === skillsName) return { name: rowName(key), order, depth: above.depth, below: 0, isStaged };
  const below = above.below === undefined ? undefined : above.below + 1;
  return {
    name: rowName(String(id)),
    order,
    depth: above.depth + 1,
    isStaged,
    ...(below !== undefined && { below, parent: above.name }),
  };
}

/** What stands for the skills has no row once they have theirs, and of what is below them two levels do. */
export function isHidden({ name, below = 0 }: RowPlace, hasBelow: boolean): boolean {
  return below > deepest || (name === skillsName && hasBelow);
}

/** Whether more stages of a pipeline are planned with this one. */
export function isBeforeLast({ place, key }: { readonly place: RowPlace; readonly key: string }): boolean {
  return place.isStaged === true && place.order.length === 1 && key !== pipelineStages.at(-1)?.key;
}

/** Whether it is a stage or a skill: what people follow a run by. */
export function isHead({ isStaged = false, order, below }: RowPlace): boolean {
  return isStaged && (order.length === 1 || below === 0);
}

function rowName(name: string): string {
  return `step_${name}`;
}

/** How a step stands: what was asked in it, or below it, and decided is over, and it goes on. */
export type RowStatus = StepStatus | 'resumed';

export interface ShownStep {
  readonly place: RowPlace;
  readonly title: string;
  readonly kind: string;
  readonly icon?: string | undefined;
  readonly detail: string;
  readonly status: RowStatus;
}

export function flatRow({ place, title, kind, icon, detail, status }: ShownStep): FlatRow {
  const { name: id, parent, depth } = place;
  const given = stageIcons.get(id) ?? icon;
  return {
    id,
    icon: given !== undefined && known.has(given) ? given : (icons[kind] ?? 'circle'),
    label: deeper.repeat(Math.max(0, depth - 1)) + cutWith(title || kind, labelLength, '…'),
    detail: cutWith(detail, detailLength, '…'),
    status: statuses[status],
    ...(parent !== undefined && { parent }),
  };
}

const stageIcons: ReadonlyMap<string, string> = new Map(
  pipelineStages.map(({ key, icon }) => [rowName(key), icon]),
);

/** Names of Material icons: where the font has none, people would read the name. */
const known = new Set([
  'shield',
  'auto_fix_high',
  'search',
  'account_tree',
  'play_circle',
  'verified',
  'smart_toy',
]);
const icons: Readonly<Record<string, string>> = {
  agent: 'smart_toy',
  skill: 'play_circle',
  call: 'build',
  route: 'account_tree',
  turn: 'psychology',
  answer: 'edit_note',
  ask: 'pan_tool',
};

const statuses = {
  pending: 'pending',
  running: 'running',
  resumed: 'resumed',
  waiting: 'interrupted',
  completed: 'completed',
  reused: 'completed',
  skipped: 'skipped',
  failed: 'failed',
  stopped: 'failed',
  abandoned: 'failed',
} as const satisfies Record<RowStatus, FlatRow['status']>;

/** Let go of the rows that have not changed for longest. */
export function trim(rows: Map<StepId, Row>): void {
  if (rows.size <= most) return;
  const oldest = [...rows].toSorted(([, one], [, other]) => one.seq - other.seq || byPlace(one, other));
  for (const [id] of oldest.slice(0, rows.size - most)) rows.delete(id);
}

/** The rows as they are shown, and before them how many there were besides. */
export function rowsShown(rows: Iterable<Row>, count: number): FlatRow[] {
  const shown = [...rows].toSorted(byPlace).map(({ row }) => row);
  const earlier = count - shown.length;
  if (earlier === 0) return shown;
  const label = earlier === 1 ? 'One more step' : `${earlier} more steps`;
  return [{ id: 'earlier', icon: 'history', label, detail: '', status: 'completed' }, ...shown];
}

function byPlace({ place: one }: Row, { place: other }: Row): number {
  for (const [i, id] of one.order.entries()) {
    const difference = id - (other.order[i] ?? -1);
    if (difference !== 0) return difference;
  }
  return one.order.length - other.order.length;
}
