import type { EventOf } from '../../run/events.ts';
import type { Failure } from '../../run/failure.ts';
import { calledBy } from '../called.ts';
import { stepOrRun } from '../nested.ts';
import { cutWith } from '../preferences/cut.ts';
import type { Scene } from '../story-projection.ts';
import type { OpenStep } from '../story.ts';
import type { Happening } from './names.ts';
import { lengths, type Part } from './part.ts';
import { part, unparted } from './thinking-tags.ts';

export type Step = OpenStep<Part>;

/** What a console must remember of a run beside its open steps. */
export interface Memory {
  readonly run: string;
  /** The number of the last card of the conversation's earlier runs: numbers never begin again. */
  readonly before: number;
  /** How many cards were opened; the next one gets the next number, also in a new attempt. */
  cards: number;
  /** What the orchestrator said last, for the card it opens next. */
  thought: string;
  /** The last message, whole. */
  message: string;
  /** What was being said to the person when it was stopped. */
  partial: string;
  /** The last line of thinking: nothing is said twice in a row. */
  line: string;
}

/** A run while one entry is told, before it has the names of a generation. */
export type Draft = Scene<Memory, Part, Happening>;

export const orchestrator = 'Orchestrator';

/** A line of thinking for people to read; nothing where it was just said, be it in other clothes. */
function freshLine({ memory }: Draft, status: string): string {
  const line = cutWith(status.replace(/^\s*\*\*System notice\*\*: /, '').trim(), lengths.reasoning, '…');
  if (line === memory.line) return '';
  if (line !== '') memory.line = line;
  return line;
}

export function think(draft: Draft, agent: string, status: string): void {
  const line = freshLine(draft, status);
  if (line !== '') draft.frames.push({ type: 'thought', agent, status: line });
}

export function thinkAt(draft: Draft, step: Step, status: string): void {
  if (status.trim() === '') return;
  tellFailure(draft, step, status);
  think(draft, agentAt(draft, step), status);
}

/** What failed in a step is told by what the step makes of it, if it says so, and by itself if it does not. */
export function tellFailure(draft: Draft, step: Step, instead = ''): void {
  const { failed } = step.own;
  step.own.failed = undefined;
  if (failed && !isTold(failed, instead)) think(draft, agentAt(draft, step), failedText(failed));
}

export function failedText({ code, message }: Failure): string {
  return `FAILED: [${code}] ${message}`;
}

/** Whoever tells of a failure may take it up in a longer sentence. */
export function isTold({ message }: Failure, text: string): boolean {
  return text.includes(message.trim().replace(/\.$/, ''));
}

/** Who is at work there: the agent of the card, or the orchestrator. */
export function agentAt(draft: Draft, step: Step): string {
  return step.own.owner === 0 ? orchestrator : nameOf(ownerOf(draft, step));
}

/** As people call it; a card of nobody goes by its title, which may still be arriving. */
export function nameOf({ opening, title }: Step): string {
  return calledBy(opening) ?? opening.call?.tool ?? (title.trim() === '' ? 'Step' : title);
}

/** The card a step belongs to, or the run. */
export function ownerOf({ story }: Draft, { own }: Step): Step {
  return stepOrRun(story, own.owner);
}

/** What people are told of steps that are no cards, by their kind: of some nothing. */
const activities: ReadonlyMap<string, string> = new Map([
  ['route', 'Deciding who works on this…'],
  ['turn', 'Thinking…'],
  ['answer', 'Writing the answer…'],
  ['registration', ''],
  ['verdict', ''],
  ['facts', ''],
]);

/** What goes on when a step opens that is no card. Names of steps and agents mean nothing to people. */
export function activityOf({ kind, title, key, parent }: EventOf<'step.opened'>, role: Part['role']): string {
  const isInner = kind === 'turn' && (role !== 'message' || parent !== 0);
  if (role === 'part' || isInner) return '';
  return activities.get(kind) ?? (title === key ? '' : title);
}

/** After a card somebody is at work again, and that is said again. */
export function quieten({ memory }: Draft): void {
  if ([...activities.values()].includes(memory.line)) memory.line = '';
}

/** Notices about how the step they stand at ends: where that is a card, its end tells it. */
export const toldByCards: ReadonlySet<string> = new Set([
  'AGENT_FAILED',
  'BUDGET_EXHAUSTED',
  'CALL_MALFORMED',
  'CALL_REFUSED',
  'CALL_SKIPPED',
  'DUPLICATE_BLOCKED',
  'TOOLS_DISABLED',
]);

/** Plans and the like, which models write for us. */
export function isForMachines(text: string): boolean {
  return /^\s*(?:```json\b|[[{])/.test(text);
}

/** A piece of a message to the person. It begins with the first text that is for them. */
export function speak(draft: Draft, step: Step, text: string): void {
  const { own } = step;
  const id = `${draft.memory.run}-s${step.id}${own.speeches === 0 ? '' : `-${own.speeches + 1}`}`;
  own.speech ??= { id, text: '', parted: unparted, hasBegun: false };
  own.speech.parted = part(own.speech.parted, text);
  grow(draft, step, own.speech.parted.shown);
}

function grow({ frames }: Draft, { own: { speech } }: Step, text: string): void {
  if (!speech || text === '') return;
  const { id } = speech;
  if (!speech.hasBegun) frames.push({ type: 'speech.begun', id });
  frames.push({ type: 'speech.grew', id, text });
  speech.text += text;
  speech.hasBegun = true;
}

/** A new attempt says it anew, under the same id: whoever has had the former one begins again. */
export function restartSpeech({ frames }: Draft, { own: { speech } }: Step): void {
  if (speech?.hasBegun) frames.push({ type: 'speech.begun', id: speech.id });
  if (speech) Object.assign(speech, { text: '', parted: unparted });
}

/** An aside is said by the run itself between its steps. */
export function endSpeech(draft: Draft, step: Step, how: 'whole' | 'stopped' | 'aside'): void {
  const { own } = step;
  if (!own.speech) return;
  if (!own.speech.parted.isInside) grow(draft, step, own.speech.parted.held);
  const { id, text, hasBegun } = own.speech;
  if (how === 'aside') tellFailure(draft, step, text);
  const aside = how === 'aside' && hasBegun ? freshLine(draft, text) : '';
  if (hasBegun) draft.frames.push({ type: 'speech.ended', id, text, aside });
  own.speech = undefined;
  own.speeches += 1;
  if (text === '') return;
  draft.memory.message = text;
  draft.memory.partial = how === 'stopped' ? text : '';
}
