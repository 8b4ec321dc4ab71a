import { sentenceOf } from '../../run/failure.ts';
import { isOpen, type Approval, type RunTree, type Step } from '../../run/tree.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import { exact, visible } from '../../run/visible.ts';
import { visibleLine } from '../terminal/escape.ts';
import { declinedIn } from './declined.ts';
import { itemLines } from './item-lines.ts';
import type { Line, Style } from '../terminal/line.ts';
import { readable } from './readable.ts';
import { wrap } from '../terminal/width.ts';

export interface Room {
  readonly width: number;
  /** Lines of text for a step that works, and for one that is over. */
  readonly tail: number;
  readonly kept: number;
  /** At most so many notices, the last ones. */
  readonly notices: number;
}

/** What stands below the line of a step: what it says, what came of it, what went wrong. */
export function stepBody(tree: RunTree, step: Step, room: Room): Line[] {
  const lines = isOpen(step) ? working(step, room) : room.kept > 0 ? over(tree, step, room) : [];
  const declined = declinedIn(tree, step);
  for (const { message } of room.notices > 0 ? step.notices.slice(-room.notices) : [])
    if (declined === undefined || !message.includes(declined))
      lines.push(...folded(`! ${visibleLine(message)}`, { ...room, lines: 2 }, ['yellow']));
  return lines;
}

function working(step: Step, { width, tail }: Room): Line[] {
  if (tail === 0) return [];
  const enough = width * (tail + 1) * 2;
  const text = spoken(step.text.content, tailOf(step.text.content, enough));
  if (text.trim() !== '') return last(text, width, tail).map((line) => [[line]]);
  const asked = [...(step.requests?.values() ?? [])].at(-1);
  if (asked) return [[[`→ ${visibleLine(asked.tool)} ${visibleLine(tailOf(asked.pieces, enough))}`, 'dim']]];
  const thought = tailOf(step.text.reasoning, enough) || tailOf(step.text.log, enough);
  return last(thought, width, Math.min(2, tail)).map((line) => [[line, 'dim']]);
}

/** Of an answer in sections only the analysis is for people; what comes before it is shown when it is whole. */
function spoken(pieces: readonly string[] | undefined, tail: string): string {
  const analysis = tail.lastIndexOf('---ANALYSIS---');
  if (analysis >= 0) return tail.slice(analysis + '---ANALYSIS---'.length);
  return /^\s*---(?:QUERY|RESULTS|CITATIONS)\b/.test(pieces?.[0] ?? '') && isData(tail) ? '' : tail;
}

/** Not yet at the analysis, or so far beyond it that its mark is out of sight. */
function isData(tail: string): boolean {
  return /---(?:QUERY|RESULTS|CITATIONS)---|[[{"]\S*":/.test(tail);
}

function over(tree: RunTree, step: Step, { width, kept }: Room): Line[] {
  const lines: Line[] = [];
  const text = step.text.content?.join('') ?? '';
  // The answer stands below the tree, whole.
  if (text.trim() !== '' && text !== tree.ended?.answer)
    lines.push(...shortened(readable(text, width), kept, ['dim']));
  for (const { tool, pieces } of step.requests?.values() ?? [])
    lines.push([[`→ ${visibleLine(tool)} ${visibleLine(pieces.join(''))}`, 'dim']]);
  if (step.kind === 'call' && step.result !== undefined) lines.push([[`→ ${shown(step.result)}`, 'dim']]);
  for (const item of step.items) lines.push(...itemLines(item, { width, rows: kept * 2 }));
  for (const approval of tree.approvals.values())
    if (approval.step === step.id) lines.push(...fateOf(approval, step));
  if (step.failure && step.id !== 0 && declinedIn(tree, step) === undefined)
    lines.push(...folded(visibleLine(sentenceOf(step.failure)), { width, lines: 3 }, ['red']));
  return lines;
}

/** What became of a question, as far as something has. */
function fateOf(approval: Approval, step: Step): Line[] {
  const { decided, lapsedBecause } = approval;
  const lines: Line[] = [];
  if (decided) lines.push([[`${about(approval, step)}${decisionOf(decided)}`, 'dim']]);
  // The arguments of a call stand in its line, as they are now.
  if (decided?.arguments !== undefined && !step.call) lines.push([[`→ ${shown(decided.arguments)}`, 'dim']]);
  if (lapsedBecause !== undefined)
    lines.push([[`${about(approval, step)}lapsed: ${visibleLine(lapsedBecause)}`, 'yellow']]);
  return lines;
}

/** A step may be asked about more than once, and not only whether it may begin. */
function about({ title }: Approval, step: Step): string {
  return title === step.title ? '' : `${visibleLine(title)} `;
}

const words = {
  approve: 'approved',
  reject: 'rejected',
  edit: 'edited',
  defer: 'deferred',
  expire: 'expired',
};

function decisionOf({ decision, by, rationale }: NonNullable<Approval['decided']>): string {
  const why = rationale === undefined ? '' : `: ${visibleLine(rationale)}`;
  return `${words[decision]} by ${visibleLine(by)}${why}`;
}

function shown(result: Json | BlobRef): string {
  if (isBlobRef(result)) return `${visibleLine(result.preview ?? '')}… (${result.size} bytes)`;
  return typeof result === 'string' ? visibleLine(result) : exact(result, 0);
}

/** The first lines of a text, and a mark if there are more. */
function folded(text: string, { width, lines }: { width: number; lines: number }, styles: Style[]): Line[] {
  return shortened(wrap(text, width), lines, styles);
}

function shortened(all: readonly string[], lines: number, styles: readonly Style[]): Line[] {
  const kept = all.slice(0, lines);
  const last = kept.at(-1) ?? '';
  if (all.length > lines && !last.endsWith('…')) kept[lines - 1] = `${last}…`;
  return kept.map((line) => [[line, ...styles]]);
}

function last(text: string, width: number, lines: number): string[] {
  const shown = visible(text).trim();
  return shown === '' ? [] : wrap(shown, width).slice(-lines);
}

/** The end of a text that may be very long and is added to many times a second. */
function tailOf(pieces: readonly string[] | undefined, characters: number): string {
  let text = '';
  for (let i = (pieces?.length ?? 0) - 1; i >= 0 && text.length < characters; i -= 1)
    text = pieces?.[i] + text;
  return text.slice(-characters);
}
