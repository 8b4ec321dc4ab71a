import type { StepId } from '../../run/events.ts';
import type { StepStatus } from '../../run/tree.ts';
import type { FlatRow } from '../../wire/a2ui.ts';
import { cutWith } from '../preferences/cut.ts';
import { deeper } from './surface.ts';

/** All rows are sent with each change, so there are at most so many: those that changed last. */
const most = 30;
const detailLength = 120;
const labelLength = 80;

/** A row, where it stands among all there were, and the entry that changed it last. */
export interface Row {
  readonly row: FlatRow;
  readonly order: number;
  readonly seq: number;
}

export interface ShownStep {
  readonly id: StepId;
  readonly depth: number;
  readonly title: string;
  readonly kind: string;
  readonly icon?: string | undefined;
  readonly detail: string;
  readonly status: StepStatus;
}

export function flatRow({ id, depth, title, kind, icon, detail, status }: ShownStep): FlatRow {
  return {
    id: `step_${id}`,
    icon: icon !== undefined && known.has(icon) ? icon : (icons[kind] ?? 'circle'),
    label: deeper.repeat(Math.max(0, depth - 1)) + cutWith(title || kind, labelLength, '…'),
    detail: cutWith(detail, detailLength, '…'),
    status: statuses[status],
  };
}

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
  call: 'build',
  route: 'account_tree',
  turn: 'psychology',
  answer: 'edit_note',
  ask: 'pan_tool',
};

const statuses = {
  pending: 'pending',
  running: 'running',
  waiting: 'interrupted',
  completed: 'completed',
  reused: 'completed',
  skipped: 'skipped',
  failed: 'failed',
  stopped: 'failed',
  abandoned: 'failed',
} as const satisfies Record<StepStatus, FlatRow['status']>;

/** Let go of the rows that have not changed for longest. */
export function trim(rows: Map<StepId, Row>): void {
  if (rows.size <= most) return;
  const oldest = [...rows].toSorted(([, one], [, other]) => one.seq - other.seq || one.order - other.order);
  for (const [id] of oldest.slice(0, rows.size - most)) rows.delete(id);
}

/** The rows as they are shown, and before them how many there were besides. */
export function rowsShown(rows: Iterable<Row>, count: number): FlatRow[] {
  const shown = [...rows].toSorted((one, other) => one.order - other.order).map(({ row }) => row);
  const earlier = count - shown.length;
  if (earlier === 0) return shown;
  const label = earlier === 1 ? 'One more step' : `${earlier} more steps`;
  return [{ id: 'earlier', icon: 'history', label, detail: '', status: 'completed' }, ...shown];
}
