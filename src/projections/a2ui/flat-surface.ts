import { questionId } from '../../run/question-id.ts';
import { stepOf, textOf, undecidedApprovals, type RunTree } from '../../run/tree.ts';
import { visible } from '../../run/visible.ts';
import type { FlatData, FlatMessage, FlatQuestion } from '../../wire/a2ui.ts';
import { flatRow, rowsShown, trim, type Row } from './flat-rows.ts';
import { goneIn, voicesIn } from './voices-in.ts';
import { wholeAnswer } from '../../run/answer-text.ts';
import { detailOf, questionText, type Requested } from './words.ts';

/** What the surface is called while a run goes on, and how it ended. */
export const titles = {
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
  trim(rows);
  const data = {
    title: titleOf(tree, approvals.length),
    steps: rowsShown(rows.values(), tree.steps.size - 1),
    final_output: outputOf(tree),
    ...(tree.approvals.size > 0 && { approvals }),
  };
  return [{ type: 'deleteSurface', surfaceId }, ...flatSurface(surfaceId, data)];
}

function titleOf({ ended, stopping, paused }: RunTree, undecided: number): string {
  if (ended) return titles[ended.outcome];
  if (stopping) return titles.stopping;
  if (undecided > 0) return titles.waiting;
  return paused ? titles.paused : titles.running;
}

function rowsOf(tree: RunTree): Map<number, Row> {
  const voices = new Set(voicesIn(tree));
  const rows = new Map<number, Row>();
  for (const [order, step] of [...tree.steps.values()].slice(1).entries()) {
    const { id, depth, title, kind, icon, status, query, call, result, failure } = step;
    const text = voices.has(id) ? '' : textOf(step);
    const isOpened = step.openedAt !== undefined;
    const detail = isOpened ? detailOf({ query, call, log: '', reasoning: '', text, result, failure }) : '';
    const seq = step.closedSeq ?? step.openedSeq ?? stepOf(tree, step.parent).openedSeq ?? 0;
    rows.set(id, { row: flatRow({ id, depth, title, kind, icon, detail, status }), order, seq });
  }
  return rows;
}

function outputOf(tree: RunTree): string {
  const { ended } = tree;
  const last = voicesIn(tree).at(-1) ?? 0;
  const isGone = goneIn(tree).has(last);
  const said = isGone ? '' : textOf(stepOf(tree, last));
  return wholeAnswer(ended?.answer) || said || (ended?.failure?.message ?? '');
}
