import type { Entry, RunEvent } from '../../run/events.ts';
import type { RunTree, Step } from '../../run/tree.ts';
import { visibleLine } from '../terminal/escape.ts';
import { render, unpainted, type Line } from '../terminal/line.ts';
import { stepBody } from './step-body.ts';
import { stepHead } from './step-head.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { View } from './view.ts';

const width = 100;

export interface PlainOptions {
  readonly run: string;
  readonly signal: AbortSignal;
  /** Entries up to here have been seen before. */
  readonly after?: number;
}

/** A run as lines that are only added: for pipes, files and terminals that cannot be drawn over. */
export function plainView({ say }: Terminal, { run, signal, after = 0 }: PlainOptions): View {
  return {
    signal,
    show(entry, tree) {
      if (entry.seq <= after) return;
      if (entry.event.type === 'run.started') say(`${run}  ${visibleLine(tree.steps.get(0)?.title ?? '')}`);
      else for (const line of linesOf(entry, tree)) say(line.trimEnd());
    },
    isWatched: false,
    expects: () => false,
    close: () => {},
  };
}

/** What one entry adds to the output. */
function linesOf({ event }: Entry, tree: RunTree): string[] {
  const step = tree.steps.get('step' in event ? event.step : 0);
  if (!step) return [];
  if (event.type === 'step.opened' || event.type === 'step.closed') {
    const lines = [stepHead(tree, step, { width: Infinity })];
    if (event.type === 'step.closed')
      lines.push(...stepBody(tree, step, { width, tail: 0, kept: 3, notices: 0 }).map(below));
    return lines.map((line) => indent(step) + render(line, width * 2, unpainted));
  }
  const sentence = sentenceOf(event);
  return sentence === undefined ? [] : [`${indent(step)}${sentence}`];
}

function sentenceOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case 'notice.posted':
      return `! ${visibleLine(event.message)}`;
    case 'step.retried':
      return `  attempt ${event.attempt}: ${visibleLine(event.reason)}`;
    case 'phase.entered':
      return `  ${event.phase.replace('_', ' ')} ${event.cycle}`;
    case 'approval.requested':
      return `◆ asks: ${visibleLine(event.title)} (${event.approval})`;
    case 'approval.lapsed':
      return `! ${event.approval} lapsed: ${visibleLine(event.reason)}`;
    case 'approval.returned':
      return `◆ asks again: ${event.approval}`;
    case 'approval.decided':
      return event.decision === 'defer' ? `  deferred by ${visibleLine(event.by)}` : undefined;
    case 'message.queued':
      return `  message from ${visibleLine(event.by)}: ${visibleLine(event.text)}`;
    case 'run.paused':
    case 'run.resumed':
    case 'stop.requested':
      return `‖ ${words[event.type]} by ${visibleLine(event.by)}${reason(event.reason)}`;
    case 'worker.took':
      return event.reason === 'recovered' ? `  recovered by ${visibleLine(event.worker)}` : undefined;
    case 'run.started':
    case 'run.ended':
    case 'step.planned':
    case 'step.opened':
    case 'step.started':
    case 'step.closed':
    case 'title.appended':
    case 'text.appended':
    case 'item.attached':
    case 'prompt.recorded':
    case 'state.saved':
    case 'message.taken':
    case 'unknown':
      return undefined;
  }
}

const words = { 'run.paused': 'paused', 'run.resumed': 'resumed', 'stop.requested': 'stopped' };

function reason(given: string | undefined): string {
  return given === undefined ? '' : `: ${visibleLine(given)}`;
}

function below(line: Line): Line {
  return [['  '], ...line];
}

function indent({ depth }: Step): string {
  return '  '.repeat(Math.min(depth, 20));
}
