import { inScopes } from '../scope/notice-codes.ts';
import type { Entry, EventOf, StepId, Call, RunEvent } from '../../run/events.ts';
import { isOpen, stepOf, type RunTree, type Step, present } from '../../run/tree.ts';
import { isBlobRef, type BlobRef, type Json } from '../../run/values.ts';
import type { Loaded } from './load.ts';
import { turnAfter } from '../turn/turn-after.ts';
import type { Execution } from '../execution.ts';
import { forever } from '../forever.ts';
import type { Moment } from '../time/deadlines.ts';
import { redactedNotice } from '../record/hold-back.ts';
import { type Failure, sentenceOf } from '../../run/failure.ts';
import type { SentCommand } from '../../stores/store.ts';
import { entryFor } from './control.ts';
import { misfitOfDecision } from '../question/misfit-of-decision.ts';
import { editedFingerprint } from '../question/fingerprint.ts';
import { isLarge, keepLarge } from '../record/recordable.ts';

/**
 * What an earlier worker recorded, as the flow meets it again. It is taken once, when a run is loaded; what this worker
 * adds is in the tree only.
 */
export interface Recorded {
  child(parent: StepId, key: string): Step | undefined;
  /** A step this worker has only planned: opening it must find it, as a recovery would. */
  plan(step: Step): void;
  visit(step: Step): void;
  /** The first recorded step of a scope that the flow has not come to (again), but for those that have no order. */
  ahead(parent: StepId, among?: ReadonlySet<string>): Step | undefined;
  /** Whether the flow is still going over what was recorded, anywhere. */
  isReplaying(): boolean;
  /** A step as it was opened; a person may have edited it since. */
  opening(step: StepId): EventOf<'step.opened'> | undefined;
  /** What a person had made of the work when it was last begun, if anyone had. */
  ran(step: StepId): BlobRef | Json | undefined;
  /** How many things the flow said, attached, noticed or saved in this scope. */
  said(step: StepId): number;
  /** The message a scope took the n-th time it looked. */
  taken(step: StepId, poll: number): string | undefined;
  /** The last time a scope looked and took a message. */
  lastPoll(step: StepId): number;
}

export function recordedIn(tree: RunTree, entries: Iterable<Entry>): Recorded {
  const children = new Map<StepId, Map<string, Step>>();
  const ahead = new Map<StepId, Set<Step>>();
  const said = new Map<StepId, number>();
  const taken = new Map<string, string>();
  const lastPolls = new Map<StepId, number>();
  const openings = new Map<StepId, EventOf<'step.opened'>>();
  const place = (step: Step): void => {
    let siblings = children.get(step.parent);
    if (!siblings) children.set(step.parent, (siblings = new Map()));
    siblings.set(step.key, step);
  };
  for (const step of inOrder(tree)) {
    if (step.id === 0 || isMirrored(step)) continue;
    place(step);
    if (step.status === 'pending') continue;
    let unvisited = ahead.get(step.parent);
    if (!unvisited) ahead.set(step.parent, (unvisited = new Set()));
    unvisited.add(step);
  }
  const edits = editsIn(entries);
  for (const { event } of entries) {
    if (event.type === 'step.opened') openings.set(event.step, event);
    else if (event.type === 'message.taken') {
      taken.set(`${event.step}#${event.poll ?? 0}`, event.message);
      lastPolls.set(event.step, event.poll ?? 0);
    } else if (isSaid(event)) said.set(event.step, (said.get(event.step) ?? 0) + 1);
  }
  return {
    child: (parent, key) => children.get(parent)?.get(key),
    plan: place,
    visit: (step) => visit(tree, ahead, step),
    isReplaying: () => ahead.size > 0,
    ahead: (parent, among) =>
      ahead
        .get(parent)
        ?.values()
        .find(({ key }) => !among?.has(key)),
    opening: (step) => openings.get(step),
    ran: (step) => edits.get(step),
    said: (step) => said.get(step) ?? 0,
    taken: (step, poll) => taken.get(`${step}#${poll}`),
    lastPoll: (step) => lastPolls.get(step) ?? 0,
  };
}

/** The entry at which a flow came to a step: ids are given when it is planned, which may be long before. */
function reachedAt({ openedSeq, closedSeq }: Step): number {
  return openedSeq ?? closedSeq ?? 0;
}

/** Planned, and then left out. */
export function isSkipped({ status, openedSeq }: Step): boolean {
  return status === 'skipped' && openedSeq === undefined;
}

function inOrder({ steps }: RunTree): readonly Step[] {
  return [...steps.values()].sort((a, b) => reachedAt(a) - reachedAt(b));
}

function visit(tree: RunTree, ahead: Map<StepId, Set<Step>>, step: Step): void {
  const unvisited = ahead.get(step.parent);
  if (unvisited?.delete(step) && unvisited.size === 0) ahead.delete(step.parent);
  if (isOpen(step)) return;
  // What is closed is recalled as a whole: the flow does not come to what is below.
  const closed = [step];
  for (const { id, children: below } of closed) {
    ahead.delete(id);
    for (const child of below) closed.push(stepOf(tree, child));
  }
}

/** What people had made of steps, as it stood when each was last begun. */
function editsIn(entries: Iterable<Entry>): ReadonlyMap<StepId, BlobRef | Json> {
  const about = new Map<string, StepId>();
  const edited = new Map<StepId, BlobRef | Json>();
  const begun = new Map<StepId, BlobRef | Json>();
  for (const { event } of entries) {
    if (event.type === 'approval.requested') about.set(event.approval, event.step);
    else if (event.type === 'approval.decided' && event.decision === 'edit') {
      const step = about.get(event.approval);
      if (step !== undefined && event.arguments !== undefined) edited.set(step, event.arguments);
    } else if (event.type === 'approval.lapsed') {
      const step = about.get(event.approval);
      if (step !== undefined) edited.delete(step);
    } else if (event.type === 'step.started' || event.type === 'step.retried') {
      const bytes = edited.get(event.step);
      if (bytes !== undefined) begun.set(event.step, bytes);
    }
  }
  return begun;
}

/** Steps a back end opened inside a turn are never looked up: a retried turn opens its own. */
function isMirrored(step: Step): boolean {
  return step.origin !== undefined;
}

type Said = Extract<
  Entry['event'],
  { type: 'text.appended' | 'item.attached' | 'phase.entered' | 'state.saved' | 'notice.posted' }
>;

const saying: ReadonlySet<string> = new Set([
  'text.appended',
  'item.attached',
  'phase.entered',
  'state.saved',
  'notice.posted',
] satisfies Said['type'][]);

function isSaid(event: Entry['event']): event is Said {
  if (event.type === 'notice.posted') return !inScopes.has(event.code);
  return saying.has(event.type);
}

export interface Place {
  readonly parent: StepId;
  readonly key: string;
  readonly kind: string;
  readonly agent?: string | undefined;
  readonly call?: Call | undefined;
  /** Keys of siblings that are come to in any order. */
  readonly among?: ReadonlySet<string> | undefined;
}

const shownLength = 200;

/**
 * The step an earlier worker recorded at this place, if any. A flow that comes to a place with other work, or to a new
 * place while recorded ones are still ahead, is not the flow that was recorded.
 */
export function meet(execution: Execution, place: Place): Step | undefined | Promise<never> {
  const { recorded } = execution;
  if (execution.deadlines.hasCut(place.parent)) return forever();
  const known = recorded.child(place.parent, place.key);
  if (!known || known.status === 'pending') {
    const ahead = recorded.ahead(place.parent, place.among);
    if (ahead) return execution.diverge(`The flow opens «${place.key}» where «${ahead.key}» was recorded.`);
    return undefined;
  }
  recorded.visit(known);
  const why = differenceOf(execution, known, place);
  return why === undefined ? known : execution.diverge(why);
}

/** A scope that returns while recorded steps are still ahead has changed since. */
export function leave(execution: Execution, scope: StepId): Promise<never> | undefined {
  if (execution.deadlines.hasCut(scope)) return forever();
  const ahead = execution.recorded.ahead(scope);
  if (!ahead) return undefined;
  return execution.diverge(`The flow no longer comes to «${ahead.key}», which was recorded.`);
}

function differenceOf({ recorded }: Execution, known: Step, place: Place): string | undefined {
  if (known.kind !== place.kind)
    return `«${place.key}» is a ${place.kind} now, but was recorded as a ${known.kind}.`;
  if (isSkipped(known)) return `The flow comes to «${place.key}», which was skipped when it was recorded.`;
  const before = recorded.opening(known.id);
  if (before && identityOf(before) !== identityOf(place))
    return `«${place.key}» is ${shown(place)} now, but was recorded as ${shown(before)}.`;
  // What is recalled does no harm; what would go on from here must not, without what came before it.
  const left = recorded.ahead(place.parent, place.among);
  if (left && isOpen(known) && reachedAt(left) < reachedAt(known))
    return `The flow comes to «${place.key}» without «${left.key}», which was recorded before it.`;
  return undefined;
}

type Work = Pick<Place, 'agent' | 'call'>;

/** What makes it the same work: the signature of a call, the agent of a turn. */
function identityOf({ call, agent }: Work): string {
  return call?.signature ?? agent ?? '';
}

function shown({ call, agent = 'nobody' }: Work): string {
  return call ? `${call.tool} ${JSON.stringify(call.arguments)}`.slice(0, shownLength) : agent;
}

/** How a run has begun, and when that was asked for. */
export interface Begun {
  readonly entries: readonly Entry[];
  readonly claimed: Moment;
  /** What it runs, where that is data. */
  readonly definition?: Json | undefined;
}

interface Taking {
  /** Who has it in hand from the first moment, if somebody does. */
  readonly worker?: string | undefined;
  readonly at: number;
  /** Whether a secret was taken out of what was asked. */
  readonly isRedacted: boolean;
  /** What of what was asked is not used, and why. */
  readonly notices?: readonly Pick<EventOf<'notice.posted'>, 'code' | 'message'>[];
}

/** The first entries of a run: what was asked, and who has it in hand, if somebody does. */
export function beginningOf(
  started: Omit<EventOf<'run.started'>, 'type'>,
  { worker, at, isRedacted, notices = [] }: Taking,
): Entry[] {
  const events: RunEvent[] = [
    { type: 'run.started', ...started },
    ...(worker === undefined ? [] : [tookFirst(worker)]),
    ...(isRedacted ? [redactedNotice(0)] : []),
    ...notices.map((notice): RunEvent => ({ type: 'notice.posted', step: 0, ...notice })),
  ];
  return events.map((event, i) => ({ seq: i + 1, at, event }));
}

function tookFirst(worker: string): RunEvent {
  return { type: 'worker.took', worker, epoch: 1, reason: 'started' };
}

/** Whoever asked gets an answer also when the work could not be done. */
export function apology(failure: Failure): string {
  return `I could not finish this. ${sentenceOf(failure)}`;
}

/** A run that has only just begun. */
export function newRun(tree: RunTree, definition?: Json): Loaded {
  return { tree, recorded: recordedIn(tree, []), isNew: true, bytes: 0, definition };
}

/** Turns that ended with a question and have not gone on with its answer. */
export function askingIn(tree: RunTree): readonly Step[] {
  const turns = [...tree.steps.values()].filter(({ kind }) => kind === 'turn');
  const begun = new Set(turns.filter(({ started }) => started).map(({ parent, key }) => `${parent} ${key}`));
  return turns.filter(
    ({ parent, key, status, result }) =>
      status === 'completed' && mayAsk(result) && !begun.has(`${parent} ${turnAfter(key)}`),
  );
}

function mayAsk(result: Step['result']): boolean {
  if (isBlobRef(result)) return true;
  return typeof result === 'object' && result !== null && 'questions' in result;
}

/** What must be said before a run can end: every open step is closed, the deepest first. */
export function closings(tree: RunTree, outcome: EventOf<'run.ended'>['outcome']): RunEvent[] {
  const open = [...tree.open].map((id) => tree.steps.get(id)).filter((step) => step !== undefined);
  open.sort((a, b) => b.id - a.id);
  return open.flatMap((step) => closingOf(step, outcome === 'stopped' ? 'stopped' : 'abandoned'));
}

/** An effect that was cut off may have happened all the same: that is said, not hidden. */
export function closingOf(
  step: Step,
  outcome: 'stopped' | 'abandoned' | 'failed' | 'skipped',
  failure?: Failure,
): RunEvent[] {
  const closed: RunEvent = { type: 'step.closed', step: step.id, outcome, ...present({ failure }) };
  if (!isInDoubt(step)) return [closed];
  const what = step.call?.tool ?? step.agent ?? step.title;
  const message = `«${what}» was cut off; it may or may not have happened.`;
  return [{ type: 'notice.posted', step: step.id, code: 'IN_DOUBT', message }, closed];
}

function isInDoubt(step: Step): boolean {
  return isOpen(step) && step.started && (step.call?.effect ?? step.effect) === 'once';
}

/** What was sent to a run, as it becomes entries and has its effect. */
export class Commands {
  readonly #execution: Execution;
  readonly #applied = new Set<string>();
  #resumed = Promise.withResolvers<void>();

  constructor(execution: Execution) {
    this.#execution = execution;
  }

  /** Resolves when the run is resumed the next time. */
  get resumed(): Promise<void> {
    return this.#resumed.promise;
  }

  /** To be called alone. */
  async apply(): Promise<void> {
    const execution = this.#execution;
    if (!execution.isLive) return;
    const { mailbox } = execution.world.store;
    for (const sent of await execution.insist(() => mailbox.pending(execution.run))) {
      if (this.#applied.has(sent.id)) continue;
      const edited = await keptEdit(execution, sent);
      if (!execution.isLive) return;
      this.#applied.add(sent.id);
      this.#record(sent, edited);
    }
  }

  #record(sent: SentCommand, edited: BlobRef | Json | undefined): void {
    const execution = this.#execution;
    const event = entryFor(sent, execution.tree, {
      edited,
      misfit: (approval, decision) => misfitOfDecision(execution, approval, decision),
      fingerprint: (approval, bytes) => editedFingerprint(execution, approval, bytes),
    });
    execution.writer.emit(event, { command: sent.id });
    if (event.type === 'stop.requested') void execution.stop();
    if (event.type === 'approval.decided') execution.questions.settle(event.approval);
    if (event.type === 'approval.lapsed') execution.line.hear();
    if (event.type === 'run.resumed') {
      this.#resumed.resolve();
      this.#resumed = Promise.withResolvers();
    }
    execution.considerParking();
  }
}

/** What a person made of something, as an entry carries it. */
async function keptEdit(execution: Execution, { command }: SentCommand): Promise<BlobRef | Json | undefined> {
  if (command.type !== 'decide' || command.arguments === undefined) return undefined;
  return isLarge(command.arguments) ? keepLarge(execution, command.arguments) : command.arguments;
}
