import { nothing, type Found, type Guard, type Kind } from '../../guards/guard.ts';
import { guardValue } from '../../guards/guard-value.ts';
import { HeldText } from '../../guards/held-text.ts';
import type { Secrets } from '../../guards/secrets.ts';
import { streamOf, titleOf, type TextPiece as Piece } from '../../guards/clean-value.ts';
import type { EventOf, RunEvent, StepId } from '../../run/events.ts';
import type { RunTree } from '../../run/tree.ts';
import { guardedEvent, guardNotice } from './guarded-event.ts';
import { guardAt, type RunGuards, redactedCode } from './recordable.ts';

type Text = EventOf<'text.appended'>;

/** A text that arrives in pieces, with the piece that came last. */
interface Stream {
  readonly held: HeldText;
  last: Piece;
}

export function redactedNotice(step: StepId): EventOf<'notice.posted'> {
  const message = 'A secret was taken out of what is recorded here; «[redacted]» stands in its place.';
  return { type: 'notice.posted', step, code: redactedCode, message };
}

/**
 * Stands before the journal of a run: sees every event before it is recorded, and lets no known secret pass, and nothing
 * that guards of the run find. A text that arrives in pieces waits while its end could begin one. All else of its step goes on; what waits and says nothing yet is
 * told before it, so that the order stays what it was.
 */
export class HoldBack {
  readonly #secrets: Secrets;
  readonly #tree: RunTree;
  readonly #record: (event: RunEvent) => void;
  readonly #streams = new Map<string, Stream>();
  #guards: RunGuards | undefined;

  constructor(secrets: Secrets, tree: RunTree, record: (event: RunEvent) => void) {
    this.#secrets = secrets;
    this.#tree = tree;
    this.#record = record;
  }

  /** From now on. */
  guardBy(guards: RunGuards | undefined): void {
    this.#guards = guards;
  }

  /** Whether something ended what a step says. */
  isEnded(step: StepId): boolean {
    return this.#guards !== undefined && (this.#streams.get(contentOf(step))?.held.isEnded ?? false);
  }

  /** Record an event as it may be recorded, after what has waited for it. */
  pass(event: RunEvent): void {
    switch (event.type) {
      case 'text.appended':
        return this.#passText(event);
      case 'title.appended':
        return this.#tell(event, this.#take(event, 'whole'));
      case 'step.opened':
        return event.origin === undefined ? this.#passWhole(event) : this.#open(event, titleOf(event));
      case 'step.closed':
      case 'step.retried':
        this.#end((step) => this.#isWithin(step, event.step));
        return this.#passWhole(event);
      case 'run.ended':
        this.#end(() => true);
        return this.#passWhole(event);
      case 'run.started':
      case 'run.paused':
      case 'run.resumed':
      case 'worker.took':
      case 'stop.requested':
      case 'phase.entered':
      case 'step.planned':
      case 'step.started':
      case 'item.attached':
      case 'prompt.recorded':
      case 'notice.posted':
      case 'approval.requested':
      case 'approval.decided':
      case 'approval.lapsed':
      case 'approval.returned':
      case 'state.saved':
      case 'message.queued':
      case 'message.taken':
      case 'unknown':
        return this.#passWhole(event);
    }
  }

  /** Record what is said in one go. It becomes one event, whatever of it waits: what a flow says is numbered. */
  say(event: Text): void {
    this.#tellCrumbs(event.step, streamOf(event));
    this.#tell(event, this.#take(event, 'whole'));
  }

  /** What is said now was recorded by an earlier worker: what waited then waits again. */
  sayAgain(event: Text): void {
    this.#take(event, 'whole');
  }

  #passText(given: Text): void {
    const event = given.call === undefined ? given : this.#withCleanNames(given);
    const isFirst = this.#streams.size === 0 && this.#guards === undefined;
    const found = isFirst ? this.#secrets.find(event.text) : undefined;
    if (found === nothing) return this.#record(event);
    this.#tellCrumbs(event.step, streamOf(event));
    const text = this.#take(event, found);
    // A call stands where it was first heard of, also when none of its arguments can be told yet.
    if (text !== '' || event.text === '' || event.call !== undefined) this.#tell(event, text);
  }

  #passWhole(event: RunEvent): void {
    const step = stepOf(event, this.#tree);
    this.#tellCrumbs(step);
    if (event.type === 'step.opened') this.#tellCrumbs(event.parent);
    const clean = this.#secrets.cleanAll(event);
    const { guarded, kinds } = this.#guarded(clean, step);
    const isOpening = event.type === 'step.opened' || event.type === 'step.planned';
    if (isOpening) this.#record(guarded);
    if (clean !== event) this.#notice(step);
    for (const kind of kinds) this.noticeOf(step, kind);
    if (!isOpening) this.#record(guarded);
  }

  #guarded(event: RunEvent, step: StepId): { readonly guarded: RunEvent; readonly kinds: readonly Kind[] } {
    const guards = this.#guards;
    const isSaid = event.type !== 'step.opened' && event.type !== 'step.planned';
    const isSeen =
      guards && (guards.covers === 'everything' || (isSaid && guardAt(guards, this.#tree, step)));
    if (!isSeen) return { guarded: event, kinds: [] };
    const found = new Set<Kind>();
    const guarded = guardedEvent(event, (given) => {
      const { value, kinds } = guardValue(guards.values, given);
      for (const kind of kinds) found.add(kind);
      return value;
    });
    return { guarded, kinds: [...found] };
  }

  /** The title of a stage may go on after its opening. */
  #open(event: EventOf<'step.opened'>, piece: Piece | undefined): void {
    if (!piece) return this.#passWhole(event);
    const { step, title } = event;
    const held = new HeldText(this.#guards?.covers === 'everything' ? this.#guards.texts : this.#secrets);
    const told = held.take(title) + held.takeCrumb();
    if (!held.isEmpty) this.#streams.set(streamOf(piece), { held, last: piece });
    this.#passWhole(told === title ? event : { ...event, title: told });
    if (held.marks > 0) this.#notice(step);
    for (const kind of held.takeKinds()) this.noticeOf(step, kind);
  }

  #guardAt(step: StepId): Guard {
    return (this.#guards && guardAt(this.#guards, this.#tree, step)) ?? this.#secrets;
  }

  /** What may be told of a piece. `whole`: nothing that says little waits. */
  #take(event: Piece, how?: 'whole' | Found): string {
    const key = streamOf(event);
    const known = this.#streams.get(key);
    const held = known?.held ?? new HeldText(this.#guardAt(event.step));
    const { marks } = held;
    const text = how === 'whole' ? held.take(event.text) + held.takeCrumb() : held.take(event.text, how);
    if (held.isEmpty) this.#streams.delete(key);
    else if (known) known.last = event;
    else this.#streams.set(key, { held, last: event });
    if (held.marks > marks) this.#notice(event.step);
    for (const kind of held.takeKinds()) this.noticeOf(event.step, kind);
    return text;
  }

  #tell(event: Piece, text: string): void {
    if (text === event.text) return this.#record(event);
    // Nearly all is plain text, and a copy of unknown shape costs more than all the rest.
    const { type, step } = event;
    if (type === 'text.appended' && event.call === undefined)
      return this.#record({ type, step, channel: event.channel, text });
    this.#record({ ...event, text });
  }

  #tellCrumbs(step: StepId, except?: string): void {
    if (this.#streams.size === 0) return;
    for (const [key, { held, last }] of this.#streams)
      if (last.step === step && key !== except) this.#tellRest(last, held.takeCrumb());
  }

  #end(isOver: (step: StepId) => boolean): void {
    if (this.#streams.size === 0) return;
    for (const [key, { held, last }] of this.#streams) {
      if (!isOver(last.step)) continue;
      this.#streams.delete(key);
      const text = held.end();
      if (held.marks > 0) this.#notice(last.step);
      for (const kind of held.takeKinds()) this.noticeOf(last.step, kind);
      this.#tellRest(last, text);
    }
  }

  #tellRest(last: Piece, text: string): void {
    if (text !== '') this.#record({ ...last, text });
  }

  #withCleanNames(event: Text): Text {
    const { call, tool } = event;
    const names = this.#secrets.cleanAll({ call, tool });
    return names.call === call && names.tool === tool ? event : { ...event, ...names };
  }

  #isWithin(step: StepId, above: StepId): boolean {
    for (
      let at: StepId | undefined = step;
      at !== undefined && at !== 0;
      at = this.#tree.steps.get(at)?.parent
    )
      if (at === above) return true;
    return false;
  }

  /** Once for a step: a model that repeats itself is not complained about again and again. */
  #notice(step: StepId): void {
    const isPosted = this.#tree.steps.get(step)?.notices.some(({ code }) => code === redactedCode) ?? false;
    if (!isPosted) this.#record(redactedNotice(step));
  }

  /** Once for each kind. */
  noticeOf(step: StepId, kind: Kind): void {
    const notice = guardNotice(step, kind);
    const { notices = [] } = this.#tree.steps.get(step) ?? {};
    if (!notices.some(({ message }) => message === notice.message)) this.#record(notice);
  }
}

function contentOf(step: StepId): string {
  return streamOf({ type: 'text.appended', step, channel: 'content', text: '' });
}

/** The step an event is about; the run itself where it is about none. */
function stepOf(event: RunEvent, tree: RunTree): StepId {
  if ('step' in event) return event.step;
  return event.type === 'approval.decided' ? (tree.approvals.get(event.approval)?.step ?? 0) : 0;
}
