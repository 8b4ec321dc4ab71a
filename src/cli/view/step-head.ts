import {
  isOpen,
  runStatus,
  type RunStatus,
  type RunTree,
  type Step,
  type StepStatus,
} from '../../run/tree.ts';
import { exact } from '../../run/visible.ts';
import { visibleLine } from '../terminal/escape.ts';
import type { Line, Span } from '../terminal/line.ts';
import { declinedIn } from './declined.ts';
import { duration, markOf, styleOf, wordOf } from './marks.ts';
import { cut, widthOf } from '../terminal/width.ts';

export interface Moment {
  /** Milliseconds since 1970: what is open lasts until now. Without it, only what is over has a duration. */
  readonly now?: number;
  /** Turns the marks of what runs. Without it nothing moves. */
  readonly frame?: number;
  /** Whether a phase begins with this step. */
  readonly beginsPhase?: boolean;
}

/** Fewer columns than this say nothing. */
const leastAbout = 6;

/** The line of a step: its mark, what it is called, and how it stands. However narrow, the end of it stays visible. */
export function stepHead(tree: RunTree, step: Step, moment: Moment & { readonly width: number }): Line {
  const { width } = moment;
  const status = statusOf(tree, step);
  const mark = markOf(status, moment.frame);
  const ending = endingOf(tree, step, moment);
  const room = width - widthOf(mark[0]) - 1 - ending.reduce((sum, [text]) => sum + widthOf(text), 0);
  const title = cut(visibleLine(step.title) || visibleLine(step.key) || step.kind, Math.max(8, room));
  const rest = room - widthOf(title);
  const about = rest < leastAbout ? '' : cut(aboutOf(tree, step), rest);
  const titled: Span = step.id === 0 ? [title, 'bold'] : status === 'pending' ? [title, 'dim'] : [title];
  return [mark, [' '], titled, [about, 'dim'], ...ending];
}

/** What a person did not want was skipped, and so was what it was for. */
function statusOf(tree: RunTree, step: Step): RunStatus | StepStatus {
  if (step.id === 0) return runStatus(tree);
  return declinedIn(tree, step) === undefined ? step.status : 'skipped';
}

function aboutOf(tree: RunTree, step: Step): string {
  if (step.call) return ` ${exact(step.call.arguments, 0)}`;
  const model = step.model === undefined ? '' : ` · ${visibleLine(step.model)}`;
  // What was asked stands above the whole tree.
  const isSame = step.query === undefined || step.query === tree.steps.get(0)?.title;
  return isSame ? model : `${model} · ${visibleLine(step.query ?? '')}`;
}

function endingOf(tree: RunTree, step: Step, { now, beginsPhase = false }: Moment): Span[] {
  const status = statusOf(tree, step);
  const spans: Span[] = [];
  if (step.phase && beginsPhase)
    spans.push([` ${step.phase.phase.replace('_', ' ')} ${step.phase.cycle}`, 'magenta']);
  if (step.attempt > 1) spans.push([` attempt ${step.attempt}`, 'yellow']);
  if (step.id === 0 && tree.stopping && !tree.ended) spans.push([' stopping', 'red']);
  const word = wordOf(status);
  if (word !== '') spans.push([` ${word}`, ...styleOf(status)]);
  if (step.id === 0 && tree.takeovers > 0) spans.push([` recovered ${times(tree.takeovers)}`, 'yellow']);
  const time = timeOf(step, now);
  if (time !== undefined) spans.push([` ${duration(time)}`, 'dim']);
  return spans;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function timeOf(step: Step, now: number | undefined): number | undefined {
  const began = step.startedAt ?? step.openedAt;
  if (began === undefined) return undefined;
  if (isOpen(step)) return now === undefined ? undefined : now - began;
  return step.closedAt === undefined ? undefined : step.closedAt - began;
}
