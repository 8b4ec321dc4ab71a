import type { Entry, RunEvent, StepId } from '../run/events.ts';
import { nothing } from './guard.ts';
import { HeldText } from './held-text.ts';
import type { Secrets } from './secrets.ts';
import { streamOf, titleOf, type TextPiece } from './clean-value.ts';

/** A text that arrives in pieces, and where its last piece stands among the entries that leave together. */
interface Stream {
  readonly step: StepId;
  readonly held: HeldText;
  place: number | undefined;
}

/**
 * Entries of one run on their way out, in order. The journal may be older than what is known to be secret, and have one
 * in pieces. What leaves are the same entries, one for one: a text that began like a secret and turns out to be none is
 * told by a later entry of its stream, or by the last one when its step ends.
 */
export class Outgoing {
  readonly #secrets: Secrets;
  readonly #streams = new Map<string, Stream>();
  /** What leaves next. */
  #told: Entry[] = [];

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** One more entry that leaves with those before it. */
  take(entry: Entry): void {
    const { event } = entry;
    if (event.type === 'step.closed' || event.type === 'step.retried')
      this.#end(({ step }) => step === event.step);
    else if (event.type === 'run.ended') this.#end(() => true);
    const clean = this.#clean(event);
    this.#told.push(clean === event ? entry : { ...entry, event: clean });
  }

  /** All that were taken, each itself if nothing had to be taken out of it. What is open at their end is hidden. */
  leave(): readonly Entry[] {
    for (const stream of this.#streams.values()) {
      this.#append(stream.place, stream.held.takeMark());
      stream.place = undefined;
    }
    const told = this.#told;
    this.#told = [];
    return told;
  }

  #clean(given: RunEvent): RunEvent {
    if (given.type === 'text.appended' || given.type === 'title.appended') {
      const text = this.#take(given);
      return this.#withCleanNames(text === given.text ? given : { ...given, text });
    }
    const piece = titleOf(given);
    const title = piece && this.#take(piece);
    const isSame = piece === undefined || title === piece.text;
    return this.#secrets.cleanAll(isSame ? given : ({ ...given, title } as RunEvent));
  }

  #take(piece: TextPiece): string {
    const name = streamOf(piece);
    const known = this.#streams.get(name);
    if (!known && this.#secrets.find(piece.text) === nothing) return piece.text;
    const held = known?.held ?? new HeldText(this.#secrets);
    const text = held.take(piece.text) + held.takeCrumb();
    if (held.isEmpty) this.#streams.delete(name);
    else this.#streams.set(name, { step: piece.step, held, place: this.#told.length });
    return text;
  }

  #withCleanNames(event: TextPiece): TextPiece {
    if (event.type === 'title.appended' || event.call === undefined) return event;
    const { call, tool } = event;
    const names = this.#secrets.cleanAll({ call, tool });
    return names.call === call && names.tool === tool ? event : { ...event, ...names };
  }

  #end(isOver: (stream: Stream) => boolean): void {
    for (const [name, stream] of this.#streams) {
      if (!isOver(stream)) continue;
      this.#streams.delete(name);
      this.#append(stream.place, stream.held.end());
    }
  }

  /** Nothing is told twice: what an entry that has left already had to hide stays hidden. */
  #append(place: number | undefined, text: string): void {
    const entry = place === undefined ? undefined : this.#told[place];
    if (!entry || place === undefined || text === '') return;
    const { event } = entry;
    if (event.type === 'text.appended' || event.type === 'title.appended')
      this.#told[place] = { ...entry, event: { ...event, text: event.text + text } };
    else if (event.type === 'step.opened')
      this.#told[place] = { ...entry, event: { ...event, title: event.title + text } };
  }
}
