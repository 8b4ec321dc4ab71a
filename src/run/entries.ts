import {
  foldApproval,
  lapse,
  appendText,
  appendTitle,
  attach,
  enterPhase,
  keepPrompt,
  begin,
  closeBelow,
  open,
  plan,
  retry,
  settle,
} from './steps.ts';
import type { Entry, EventOf, RunEvent } from './events.ts';
import { post, refuse, unknownNotice } from './notices.ts';
import { emptyTree, isAtWork, stepOf, touch, wholeLimits, type RunTree } from './tree.ts';
import { upcast } from './upcast.ts';

/** Fold one entry into the tree. Entries at or below `tree.seq` are ignored, so replaying is harmless. */
export function fold(tree: RunTree, entry: Entry): void {
  const { seq, event } = entry;
  if (seq <= tree.seq) return;
  tree.seq = seq;
  if (tree.ended) return refuse(tree, event, 'came after the end of the run');
  passTime(tree, entry);
  apply(tree, event);
}

export function foldAll(entries: Iterable<Entry>, tree: RunTree = emptyTree()): RunTree {
  for (const entry of entries) fold(tree, entry);
  return tree;
}

function apply(tree: RunTree, event: RunEvent): void {
  switch (event.type) {
    case 'run.started':
      return start(tree, event);
    case 'run.paused':
    case 'run.resumed':
      return setPaused(tree, event.type === 'run.paused');
    case 'run.ended':
      return end(tree, event);
    case 'worker.took':
      return takeOver(tree, event);
    case 'stop.requested':
      return setStopping(tree, event);
    case 'phase.entered':
      return enterPhase(tree, event);
    case 'step.planned':
      return plan(tree, event);
    case 'step.opened':
      return open(tree, event);
    case 'step.started':
      return begin(tree, event);
    case 'title.appended':
      return appendTitle(tree, event);
    case 'text.appended':
      return appendText(tree, event);
    case 'item.attached':
      return attach(tree, event);
    case 'prompt.recorded':
      return keepPrompt(tree, event);
    case 'step.closed':
      return settle(tree, event);
    case 'step.retried':
      return retry(tree, event);
    case 'notice.posted':
      return post(tree, event.step, event);
    case 'approval.requested':
    case 'approval.decided':
    case 'approval.lapsed':
    case 'approval.returned':
      return foldApproval(tree, event);
    case 'state.saved':
      return save(tree, event);
    case 'message.queued':
      return queue(tree, event);
    case 'message.taken':
      return take(tree, event);
    case 'unknown':
      return post(tree, 0, unknownNotice(event));
  }
}

/**
 * Time counts against the budget only while somebody works: not while parked, paused or waiting for a person or a time, nor
 * while the machine slept.
 */
function passTime(tree: RunTree, { at, jump = 0, event }: Entry): void {
  const isAtRest = !isAtWork(tree) || (tree.stopping && tree.working === 0);
  const idle = isAtRest || event.type === 'worker.took' || event.type === 'run.started';
  if (!idle && tree.at > 0) tree.spent.milliseconds += Math.max(0, at - tree.at - jump);
  tree.at = Math.max(tree.at, at);
}

function start(tree: RunTree, event: EventOf<'run.started'>): void {
  if (tree.started) return refuse(tree, event, 'was recorded twice');
  tree.started = event;
  tree.limits = wholeLimits(event.limits);
  tree.startedAt = tree.at;
  const root = stepOf(tree, 0);
  root.title = typeof event.input.text === 'string' ? event.input.text : (event.input.text.preview ?? '');
  root.openedAt = tree.at;
  touch(root);
}

function setPaused(tree: RunTree, paused: boolean): void {
  tree.paused = paused;
  touch(stepOf(tree, 0));
}

/** What is under way may take a while to come to its end; nobody waits for an answer meanwhile. */
function setStopping(tree: RunTree, event: EventOf<'stop.requested'>): void {
  tree.stopping = true;
  tree.stop ??= event;
  for (const { step } of tree.approvals.values()) lapse(tree, stepOf(tree, step));
  touch(stepOf(tree, 0));
}

function takeOver(tree: RunTree, event: EventOf<'worker.took'>): void {
  tree.epoch = event.epoch;
  if (event.reason === 'recovered') tree.takeovers += 1;
  touch(stepOf(tree, 0));
}

function end(tree: RunTree, event: EventOf<'run.ended'>): void {
  const root = stepOf(tree, 0);
  closeBelow(tree, root, event.outcome === 'stopped' ? 'stopped' : 'abandoned');
  lapse(tree, root);
  tree.ended = event;
  tree.endedAt = tree.at;
  root.status = event.outcome;
  root.closedAt = tree.at;
  touch(root);
}

/** Kept for the agent, and on the turn it came from: an agent may take several in one run, each with a state of its own. */
function save(tree: RunTree, event: EventOf<'state.saved'>): void {
  tree.states.set(event.agent, { ...event, at: tree.at });
  const step = tree.steps.get(event.step);
  if (step?.agent !== event.agent) return;
  step.state = event.state;
  step.strategy = event.strategy;
  touch(step);
}

function queue(tree: RunTree, event: EventOf<'message.queued'>): void {
  if (tree.messages.has(event.message)) return refuse(tree, event, 'was queued already');
  const { message: id, text, attachments = [], by } = event;
  tree.messages.set(id, { id, text, attachments, by });
  touch(stepOf(tree, 0));
}

function take(tree: RunTree, event: EventOf<'message.taken'>): void {
  const message = tree.messages.get(event.message);
  if (!message || message.takenBy !== undefined) return refuse(tree, event, 'is not waiting to be taken');
  message.takenBy = event.step;
  message.takenSeq = tree.seq;
  touch(stepOf(tree, 0));
}

/**
 * Entries as text. The journal keeps exactly the frames the native stream sends, so replaying is concatenation and a
 * cursor is a cut. Streamed text is nearly all of it and has a short form.
 */
export function encode(entry: Entry): string {
  const { seq, at, jump, event } = entry;
  // Nearly all entries are these, and an object would only be made to be read once.
  if (jump === undefined && isPlainText(event))
    return `id: ${seq}\ndata: {"t":${at},"s":${event.step},"x":${JSON.stringify(event.text)}}\n\n`;
  return `id: ${seq}\ndata: ${JSON.stringify(shorten(entry))}\n\n`;
}

export function encodeAll(entries: readonly Entry[]): string {
  let frames = '';
  for (const entry of entries) frames += encode(entry);
  return frames;
}

export function decodeAll(frames: string): Entry[] {
  const entries: Entry[] = [];
  for (const frame of frames.split('\n\n')) if (frame !== '') entries.push(decode(frame));
  return entries;
}

/** The frames after a cursor. No line break can stand inside a frame's JSON, so the next id is found as text. */
export function framesAfter(frames: string, seq: number): string {
  if (seq < Number(frames.slice(4, frames.indexOf('\n')))) return frames;
  const place = frames.indexOf(`\nid: ${seq + 1}\n`);
  return place < 0 ? '' : frames.slice(place + 1);
}

function decode(frame: string): Entry {
  const line = frame.indexOf('\n');
  return entryOf(Number(frame.slice(4, line)), frame.slice(line + 7));
}

/** The entry of a frame: its id, and what stands in its data. */
export function entryOf(seq: number, data: string): Entry {
  const { t, j, s, x, e } = JSON.parse(data) as Short;
  if (x !== undefined && s !== undefined) {
    return { seq, at: t, event: { type: 'text.appended', step: s, channel: 'content', text: x } };
  }
  return j === undefined ? { seq, at: t, event: upcast(e) } : { seq, at: t, jump: j, event: upcast(e) };
}

interface Short {
  readonly t: number;
  readonly j?: number;
  readonly s?: number;
  readonly x?: string;
  readonly e?: RunEvent;
}

function shorten({ at, jump, event }: Entry): Short {
  const e = event.type === 'unknown' ? (event.original as RunEvent) : event;
  return jump === undefined ? { t: at, e } : { t: at, j: jump, e };
}

/** Only what the short form can carry: anything more would be lost in it. */
function isPlainText(event: RunEvent): event is EventOf<'text.appended'> {
  if (event.type !== 'text.appended' || event.channel !== 'content') return false;
  return event.call === undefined && event.tool === undefined;
}
