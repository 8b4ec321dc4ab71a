import { isOpen, stepOf, textOf, type RunTree, type Step } from '../../run/tree.ts';
import { render, type Line, type Paint, type Span } from '../terminal/line.ts';
import { markOf } from './marks.ts';
import { stepBody, type Room } from './step-body.ts';
import { stepHead, type Moment } from './step-head.ts';

export interface DrawOptions extends Moment {
  readonly width: number;
  /** The tree is cut to so many lines, keeping what is running; uncut if absent. */
  readonly height?: number;
  readonly paint: Paint;
}

/** How much is shown: less and less until it fits. */
interface Detail extends Omit<Room, 'width'> {
  /** Steps that are over are one line each, without what is below them. */
  readonly folded: boolean;
  /** Neighbours that are over, or still to come, are one line together. */
  readonly grouped: boolean;
  /** Only what is open is shown. */
  readonly openOnly?: boolean;
}

const everything: Detail = { folded: false, grouped: false, tail: 3, kept: 2, notices: 3 };
const details: readonly Detail[] = [
  everything,
  { folded: false, grouped: false, tail: 3, kept: 0, notices: 3 },
  { folded: true, grouped: false, tail: 3, kept: 0, notices: 2 },
  { folded: true, grouped: true, tail: 2, kept: 0, notices: 1 },
  { folded: true, grouped: true, tail: 0, kept: 0, notices: 0 },
];
const least: Detail = { folded: true, grouped: true, openOnly: true, tail: 0, kept: 0, notices: 0 };

/** A run as a tree of lines, each at most `width` columns. A pure function: the same tree draws the same. */
export function drawTree(tree: RunTree, options: DrawOptions): string[] {
  const { width, height, paint } = options;
  const finish = (lines: readonly Line[]): string[] => lines.map((line) => render(line, width, paint));
  if (height === undefined) return finish(collect(tree, options, everything));
  for (const detail of details) {
    const lines = collect(tree, options, detail);
    if (lines.length <= height) return finish(lines);
  }
  const shown = collect(tree, options, least).slice(0, Math.max(1, height - 1));
  return finish([...shown, [[`⋯ ${tree.steps.size - shown.length} more steps`, 'dim']]]);
}

interface Level {
  readonly rows: readonly Row[];
  readonly guide: string;
  next: number;
}

/** A list, not recursion: trees may be deeper than the stack. Stops once it is clear that it will not fit. */
function collect(tree: RunTree, options: DrawOptions, detail: Detail): Line[] {
  const root = stepOf(tree, 0);
  const { width, height = Infinity } = options;
  const lines: Line[] = [stepHead(tree, root, options)];
  lines.push(...indented(stepBody(tree, root, { ...detail, width: width - 2 }), '  '));
  const levels: Level[] = [{ rows: rowsOf(tree, root, detail), guide: '', next: 0 }];
  for (let level = levels.at(-1); level && lines.length <= height; level = levels.at(-1)) {
    const row = level.rows[level.next];
    level.next += 1;
    if (!row) {
      levels.pop();
      continue;
    }
    const isLast = level.next === level.rows.length;
    const branch = clamp(`${level.guide}${isLast ? '└─ ' : '├─ '}`, width);
    const guide = `${level.guide}${isLast ? '   ' : '│  '}`;
    if (!('step' in row)) {
      lines.push([[branch, 'dim'], ...row.group]);
      continue;
    }
    const rows = rowsOf(tree, row.step, detail);
    const { beginsPhase } = row;
    const isParent = rows.length > 0;
    const place: Placement = { options: { ...options, beginsPhase }, detail, branch, guide, isParent };
    lines.push(...stepLines(tree, row.step, place));
    if (rows.length > 0) levels.push({ rows, guide, next: 0 });
  }
  return lines;
}

interface Placement {
  readonly options: DrawOptions;
  readonly detail: Detail;
  readonly branch: string;
  readonly guide: string;
  readonly isParent: boolean;
}

function stepLines(
  tree: RunTree,
  step: Step,
  { options, detail, branch, guide, isParent }: Placement,
): Line[] {
  const { width } = options;
  const head = stepHead(tree, step, { ...options, width: width - branch.length });
  const isFolded = detail.folded && !isOpen(step);
  const below = clamp(`${guide}${isParent ? '│ ' : '  '}`, width);
  const room: Room = { ...detail, width: Math.max(10, width - below.length) };
  const body = isFolded ? [] : stepBody(tree, step, room);
  return [[[branch, 'dim'], ...head], ...indented(body, below)];
}

type Row = { readonly step: Step; readonly beginsPhase: boolean } | { readonly group: readonly Span[] };

/** The children of a step as they are shown: each on its own, or neighbours that are over as one. */
function rowsOf(tree: RunTree, step: Step, { folded, grouped, openOnly }: Detail): readonly Row[] {
  if (folded && step.id !== 0 && !isOpen(step)) return [];
  const all = step.children.map((id) => unwrapped(tree, stepOf(tree, id)));
  const children = openOnly ? all.filter(isOpen) : all;
  const inherited = step.id === 0 ? undefined : step.phase;
  const rowOf = (child: Step, i: number): Row => ({
    step: child,
    beginsPhase: child.phase !== (children[i - 1]?.phase ?? inherited),
  });
  if (!grouped) return children.map(rowOf);
  const rows: Row[] = [];
  for (let i = 0; i < children.length;) {
    const child = children[i];
    if (!child) break;
    const end = isOpen(child) ? i + 1 : runOf(children, i);
    if (end - i < 2) rows.push(rowOf(child, i));
    else rows.push({ group: groupOf(children.slice(i, end)) });
    i = end;
  }
  return rows;
}

/** A step that only holds one of the same name is shown as that one: nobody needs to read the name twice. */
function unwrapped(tree: RunTree, step: Step): Step {
  const [id, ...others] = step.children;
  const inner = id === undefined || others.length > 0 ? undefined : tree.steps.get(id);
  const isEmpty = step.items.length + step.notices.length === 0 && textOf(step) === '' && !step.failure;
  if (!inner || inner.title !== step.title || !isEmpty) return step;
  return { ...inner, ...(step.query === undefined ? {} : { query: step.query }) };
}

function runOf(children: readonly Step[], from: number): number {
  let end = from;
  for (let child = children[end]; child && !isOpen(child); child = children[end]) end += 1;
  return end;
}

function groupOf(steps: readonly Step[]): readonly Span[] {
  const spans: Span[] = [];
  for (const [status, group] of Map.groupBy(steps, (step) => step.status)) {
    if (spans.length > 0) spans.push(['  ']);
    const word = status === 'pending' ? 'to come' : status;
    spans.push(markOf(status), [` ${group.length} ${word}`, 'dim']);
  }
  return spans;
}

/** However deep a step lies, half of the line is left for what it is. */
function clamp(guide: string, width: number): string {
  const room = Math.max(3, Math.floor(width / 2 / 3) * 3);
  return guide.length <= room ? guide : `…${guide.slice(1 - room)}`;
}

function indented(lines: readonly Line[], guide: string): Line[] {
  return lines.map((line) => [[guide, 'dim'], ...line]);
}
