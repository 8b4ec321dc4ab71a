import { questionId } from '../../run/question-id.ts';
import { isOpen, stepOf, textOf, undecidedApprovals, type RunTree } from '../../run/tree.ts';
import { visible } from '../../run/visible.ts';
import type { FlatData, FlatMessage, FlatQuestion } from '../../wire/a2ui.ts';
import {
  flatRow,
  isHidden,
  noPlace,
  placeIn,
  rowsShown,
  trim,
  type Row,
  type RowPlace,
  type RowStatus,
} from './flat-rows.ts';
import { goneIn, voicesIn } from './voices-in.ts';
import { answerAsSaid } from '../../run/answer-text.ts';
import { detailOf, droppedDetail, questionText, type Requested } from './words.ts';

/** What the surface is called while a run goes on, and how it ended. */
const titles = {
  running: 'Processing your request...',
  waiting: 'Waiting for a decision',
  paused: 'Paused',
  stopping: 'Stopping',
  completed: 'Completed',
  failed: 'Failed',
  stopped: 'Stopped',
} as const;

const components = [
  { id: 'root', type: 'Column', children: { explicitList: ['header', 'steps', 'output'] } },
  { id: 'header', type: 'Text', content: { path: '/title' }, hint: 'h3' },
  {
    id: 'steps',
    type: 'List',
    children: {
      template: {
        dataPath: '/steps',
        componentType: 'Card',
        childIds: ['step-icon', 'step-label', 'step-detail', 'step-status'],
      },
    },
  },
  { id: 'step-icon', type: 'Icon', name: { path: '/steps[*]/icon' } },
  { id: 'step-label', type: 'Text', content: { path: '/steps[*]/label' }, hint: 'h5' },
  { id: 'step-detail', type: 'Text', content: { path: '/steps[*]/detail' }, hint: 'caption' },
  { id: 'step-status', type: 'Text', content: { path: '/steps[*]/status' }, hint: 'caption' },
  { id: 'output', type: 'Card', children: { explicitList: ['output-text'] } },
  { id: 'output-text', type: 'Text', content: { path: '/final_output' }, hint: 'body' },
];

/** The three messages every surface begins with. */
export function flatSurface(surfaceId: string, data: FlatData): FlatMessage[] {
  return [
    { type: 'surfaceUpdate', surfaceId, catalog: 'std:v1', components },
    { type: 'dataModelUpdate', surfaceId, data },
    { type: 'beginRendering', surfaceId, rootComponentId: 'root' },
  ];
}

export function flatQuestion(requested: Requested): FlatQuestion {
  const { title, allowed } = requested;
  return {
    id: questionId(requested),
    title: visible(title),
    message: questionText(requested),
    allowed_decisions: [...allowed],
  };
}

/** The run as it stands, for one who comes back. */
export function flatPrelude(tree: RunTree, { run }: { readonly run: string }): FlatMessage[] {
  const surfaceId = `exec_${run}`;
  const approvals = undecidedApprovals(tree).map(flatQuestion);
  const rows = rowsOf(tree);
  const count = rows.size;
  trim(rows);
  const data = {
    title: titleOf({
      outcome: tree.ended?.outcome,
      isStopping: tree.stopping,
      isPaused: tree.paused,
      undecided: approvals.length,
    }),
    steps: rowsShown(rows.values(), count),
    final_output: outputOf(tree),
    ...(tree.approvals.size > 0 && { approvals }),
  };
  return [{ type: 'deleteSurface', surfaceId }, ...flatSurface(surfaceId, data)];
}

/** How a run stands, as far as its title says it. */
interface Standing {
  readonly outcome?: 'completed' | 'failed' | 'stopped' | undefined;
  readonly isStopping: boolean;
  readonly isPaused: boolean;
  readonly undecided: number;
}

export function titleOf({ outcome, isStopping, isPaused, undecided }: Standing): string {
  if (outcome) return titles[outcome];
  if (isStopping) return titles.stopping;
  if (isPaused) return titles.paused;
  return undecided > 0 ? titles.waiting : titles.running;
}

function rowsOf(tree: RunTree): Map<number, Row> {
  const voices = new Set(voicesIn(tree));
  const steps = [...tree.steps.values()].slice(1);
  const places = new Map<number, RowPlace>([[0, noPlace]]);
  for (const step of steps) places.set(step.id, placeIn(places.get(step.parent) ?? noPlace, step));
  const hasBelow = new Set(steps.map(({ parent }) => parent));
  const asked = askedIn(tree, places);
  const rows = new Map<number, Row>();
  for (const step of steps) {
    const { id, title, kind, icon, query, call, result, failure } = step;
    const place = places.get(id) ?? noPlace;
    if (isHidden(place, hasBelow.has(id))) continue;
    const text = voices.has(id) ? '' : textOf(step);
    const isOpened = step.openedAt !== undefined;
    const detail = isOpened
      ? detailOf({ kind, query, call, log: '', reasoning: '', text, result, failure })
      : droppedDetail(failure);
    const seq = step.closedSeq ?? step.openedSeq ?? stepOf(tree, step.parent).openedSeq ?? 0;
    const status = isOpen(step) ? (asked.get(id) ?? step.status) : step.status;
    rows.set(id, { row: flatRow({ place, title, kind, icon, detail, status }), place, seq });
  }
  return rows;
}

/** The steps of a pipeline in which, or below which, something is asked, or was and is decided. */
function askedIn(tree: RunTree, places: ReadonlyMap<number, RowPlace>): Map<number, RowStatus> {
  const asked = new Map<number, RowStatus>();
  const mark = (step: number, status: RowStatus): void => {
    for (let each = step; each !== 0; each = stepOf(tree, each).parent)
      if (places.get(each)?.isStaged) asked.set(each, status);
  };
  for (const { step, decided } of tree.approvals.values()) if (decided) mark(step, 'resumed');
  for (const { id, status } of tree.steps.values()) if (status === 'waiting') mark(id, 'waiting');
  return asked;
}

function outputOf(tree: RunTree): string {
  const { ended } = tree;
  const last = voicesIn(tree).at(-1) ?? 0;
  const isGone = goneIn(tree).has(last);
  const said = isGone ? '' : textOf(stepOf(tree, last));
  return answerAsSaid(ended?.answer, said) || said || (ended?.failure?.message ?? '');
}
