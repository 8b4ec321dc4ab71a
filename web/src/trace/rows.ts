import type { FlatStep, FlatTree } from '../../../src/client/client.ts';
import { shownStatus } from '../steps/shown-status.ts';
import type { Status } from '../steps/status-mark.tsx';
import { stepsBelow } from './below.ts';
import { isTool } from '../steps/words.ts';

/** A line of the trace: a step, or the run itself, which is 0. */
export interface TraceRow {
  readonly id: number;
  readonly parent: number;
  readonly depth: number;
  readonly title: string;
  readonly status: Status;
  /** How many steps stand right below it. */
  readonly below: number;
  readonly isFolded: boolean;
  /** Somebody looks for something, and this only stands around it. */
  readonly isAside: boolean;
  readonly step?: FlatStep;
}

/** What somebody looks for: words, each perhaps of one kind. */
export type Sought = readonly { readonly in: 'agent' | 'tool' | 'status' | 'text'; readonly word: string }[];

/** `agent:graph status:failed fibre cut`. */
export function soughtIn(text: string): Sought {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .map((piece) => {
      const [, kind, word] = /^(agent|tool|status):(.*)$/.exec(piece) ?? [];
      return kind === undefined
        ? { in: 'text' as const, word: piece }
        : { in: kind as 'agent', word: word ?? '' };
    })
    .filter(({ word }) => word !== '');
}

/** Whether a step is what somebody looks for. */
function isSought(step: FlatStep, sought: Sought): boolean {
  return sought.every(({ in: place, word }) =>
    wordsIn(step, place).some((one) => one.toLowerCase().includes(word)),
  );
}

function wordsIn(step: FlatStep, place: Sought[number]['in']): readonly string[] {
  const { title, agent = '', model = '', query = '', text = '', thinking = '', call, result, failure } = step;
  switch (place) {
    case 'agent':
      return agent === '' ? [] : [agent, title];
    case 'tool':
      return isTool(step) ? [call?.tool ?? '', title] : [];
    case 'status':
      return [step.status];
    case 'text':
      return [
        title,
        model,
        query,
        text,
        thinking,
        JSON.stringify([call?.arguments, result]),
        failure?.message ?? '',
      ];
  }
}

/**
 * The lines of a run from the top: each step below its parent, without what is folded away or not looked for. `before` are
 * the lines that were there, most of which stand where they stood.
 */
export function rowsOf(
  tree: FlatTree,
  { folded, sought }: { readonly folded: ReadonlySet<number>; readonly sought: Sought },
  before: readonly TraceRow[] = [],
): TraceRow[] {
  const below = stepsBelow(tree);
  const { found, around } = foundIn(tree, sought);
  const isShown = (id: number): boolean => sought.length === 0 || around.has(id);
  const root = { id: 0, parent: 0, depth: 0, title: tree.title, status: tree.status };
  const isRootFolded = folded.has(0) && sought.length === 0;
  const rows: TraceRow[] = [
    { ...root, below: below.get(0)?.length ?? 0, isFolded: isRootFolded, isAside: sought.length > 0 },
  ];
  // Lists and no recursion: trees may be deeper than the stack.
  const levels: Level[] = isRootFolded ? [] : [{ steps: below.get(0) ?? [], next: 0 }];
  for (let level = levels.at(-1); level; level = levels.at(-1)) {
    const step = level.steps[level.next];
    level.next += 1;
    if (!step) levels.pop();
    else if (isShown(step.id)) {
      const { id } = step;
      const children = below.get(id);
      const isFolded = children !== undefined && folded.has(id) && sought.length === 0;
      const isAside = sought.length > 0 && !found.has(id);
      const place = { depth: levels.length, below: children?.length ?? 0, isFolded, isAside };
      const status = shownStatus(step, (one) => below.get(one) ?? []);
      rows.push(rowOf(step, { ...place, status }, before[rows.length]));
      if (children && !isFolded) levels.push({ steps: children, next: 0 });
    }
  }
  return rows;
}

/** The steps right below one, and which of them comes next. */
interface Level {
  readonly steps: readonly FlatStep[];
  next: number;
}

type Placed = Pick<TraceRow, 'depth' | 'below' | 'isFolded' | 'isAside' | 'status'>;

const known = new WeakMap<FlatStep, TraceRow>();

/** A line that is as it was is the one it was, so that it is not drawn again: of thousands few change from moment to moment. */
function rowOf(
  step: FlatStep,
  { depth, below, isFolded, isAside, status }: Placed,
  here: TraceRow | undefined,
): TraceRow {
  const was = here?.step === step ? here : known.get(step);
  if (was?.depth === depth && was.below === below && was.isFolded === isFolded && was.isAside === isAside)
    return was;
  const { id, parent, title } = step;
  const row: TraceRow = { id, parent, depth, title, status, below, isFolded, isAside, step };
  known.set(step, row);
  return row;
}

function foundIn({ steps }: FlatTree, sought: Sought): Record<'found' | 'around', ReadonlySet<number>> {
  const found = new Set<number>();
  const around = new Set<number>();
  if (sought.length === 0) return { found, around };
  const parents = new Map(steps.map(({ id, parent }) => [id, parent]));
  for (const step of steps) {
    if (!isSought(step, sought)) continue;
    found.add(step.id);
    for (let at = step.id; at !== 0 && !around.has(at); at = parents.get(at) ?? 0) around.add(at);
  }
  return { found, around };
}
