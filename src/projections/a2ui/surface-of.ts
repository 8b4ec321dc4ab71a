import type { StepId } from '../../run/events.ts';
import { stepOf, textOf, undecidedApprovals, type Notice, type RunTree, type Step } from '../../run/tree.ts';
import { saidItem } from './output.ts';
import { placedBelow, theRun, titleAt, type Fields, type Item, type Placed } from './surface.ts';
import { goneIn, voicesIn } from './voices-in.ts';
import { wholeAnswer } from '../../run/answer-text.ts';
import {
  detailOf,
  droppedDetail,
  itemLine,
  messageLine,
  mostQuestions,
  noticeLine,
  questionItem,
  statusLine,
  stepTitle,
  surfaceTitle,
  textItem,
} from './words.ts';

/** A run as it stands, as a surface: what one who was told everything has on the screen. */
export function surfaceOf(tree: RunTree): Fields {
  const run = stepOf(tree, 0);
  const notes = notesByStep(tree);
  const questions = undecidedApprovals(tree);
  const asked = [...tree.approvals.keys()];
  return {
    title: tree.started ? surfaceTitle(tree.started) : '',
    status: statusLine({
      ended: tree.ended,
      stop: tree.stop,
      isPaused: tree.paused,
      takeovers: tree.takeovers,
      undecided: questions.length,
    }),
    messages: [...tree.messages.values()].map((message, i) => textItem(`m${i}`, messageLine(message))),
    steps: stepsOf(tree, notes),
    approvals: questions
      .slice(0, mostQuestions)
      .map((approval) => questionItem(approval, `q${asked.indexOf(approval.approval)}`)),
    output: outputOf(tree),
    items: run.items.map((item, i) => textItem(`i${i}`, itemLine(item))),
    notes: lines(notes.get(0)),
  };
}

/** Steps in the order in which they were first known, also those of former attempts: an item never leaves its place. */
function stepsOf(tree: RunTree, notes: ReadonlyMap<StepId, readonly Notice[]>): Item[] {
  const voices = new Set(voicesIn(tree));
  const placed = new Map<StepId, Placed & { readonly below: Item[] }>([[0, { ...theRun, below: [] }]]);
  for (const step of tree.steps.values()) {
    if (step.id === 0) continue;
    const above = placed.get(step.parent) ?? placed.get(0);
    const host = above && placed.get(above.host);
    if (!above || !host) continue;
    const place = placedBelow(above, { path: host.path, children: host.below.length }, step.id);
    const below: Item[] = [];
    placed.set(step.id, { ...place, below });
    const fields = {
      title: titleAt(stepTitle(step), place),
      status: step.status,
      detail: detailIn(step, voices.has(step.id)),
      items: step.items.map((item, i) => textItem(`i${i}`, itemLine(item))),
      notes: lines(notes.get(step.id)),
      children: below,
    };
    host.below.push({ key: `s${step.id}`, fields });
  }
  return placed.get(0)?.below ?? [];
}

function detailIn(step: Step, speaks: boolean): string {
  if (step.openedAt === undefined) return droppedDetail(step.failure);
  const { kind, query, call, result, failure } = step;
  const log = textOf(step, 'log');
  const reasoning = textOf(step, 'reasoning');
  return detailOf({ kind, query, call, log, reasoning, text: speaks ? '' : textOf(step), result, failure });
}

function outputOf(tree: RunTree): Item[] {
  const answer = wholeAnswer(tree.ended?.answer);
  if (answer !== '') return [saidItem('answer', answer)];
  const gone = goneIn(tree);
  return voicesIn(tree).map((id) => saidItem(`v${id}`, gone.has(id) ? '' : textOf(stepOf(tree, id))));
}

/** A notice about a step that is not open stands at the run. */
function notesByStep(tree: RunTree): ReadonlyMap<StepId, readonly Notice[]> {
  const notes = new Map<StepId, Notice[]>();
  for (const notice of tree.notices) {
    // What the tree itself found to be out of place is no part of the story.
    if (notice.code === 'OUT_OF_PLACE') continue;
    const { openedSeq, closedSeq } = stepOf(tree, notice.step);
    const wasOpen = openedSeq !== undefined && openedSeq < notice.seq && (closedSeq ?? Infinity) > notice.seq;
    const id = wasOpen ? notice.step : 0;
    notes.set(id, [...(notes.get(id) ?? []), notice]);
  }
  return notes;
}

function lines(notices: readonly Notice[] = []): Item[] {
  return notices.map((notice, i) => textItem(`n${i}`, noticeLine(notice)));
}
