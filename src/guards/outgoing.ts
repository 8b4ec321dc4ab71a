import type { Entry, RunEvent, StepId } from '../run/events.ts';
import { nothing } from './guard.ts';
import { HeldText } from './held-text.ts';
import type { Secrets } from './secrets.ts';
import { streamOf, titleOf, type TextPiece } from './text-stream.ts';

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

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Entries that leave together, each itself if nothing had to be taken out of it. What is open at their end is hidden. */
  pass(entries: readonly Entry[]): readonly Entry[] {
    const told: Entry[] = [];
    for (const entry of entries) {
      const { event } = entry;
      if (event.type === 'step.closed' || event.type === 'step.retried')
        this.#end(told, ({ step }) => step === event.step);
      else if (event.type === 'run.ended') this.#end(told, () => true);
      const clean = this.#clean(event, told.length);
      told.push(clean === event ? entry : { ...entry, event: clean });
    }
    for (const stream of this.#streams.values()) {
      append(told, stream.place, stream.held.takeMark());
      stream.place = undefined;
    }
    return told;
  }

  #clean(given: RunEvent, place: number): RunEvent {
    if (given.type === 'text.appended' || given.type === 'title.appended') {
      const text = this.#take(given, place);
      return this.#withCleanNames(text === given.text ? given : { ...given, text });
    }
    const piece = titleOf(given);
    const title = piece && this.#take(piece, place);
    const isSame = piece === undefined || title === piece.text;
    return this.#secrets.cleanAll(isSame ? given : ({ ...given, title } as RunEvent));
  }

  #take(piece: TextPiece, place: number): string {
    const name = streamOf(piece);
    const known = this.#streams.get(name);
    if (!known && this.#secrets.find(piece.text) === nothing) return piece.text;
    const held = known?.held ?? new HeldText(this.#secrets);
    const text = held.take(piece.text) + held.takeCrumb();
    if (held.isEmpty) this.#streams.delete(name);
    else this.#streams.set(name, { step: piece.step, held, place });
    return text;
  }

  #withCleanNames(event: TextPiece): TextPiece {
    if (event.type === 'title.appended' || event.call === undefined) return event;
    const { call, tool } = event;
    const names = this.#secrets.cleanAll({ call, tool });
    return names.call === call && names.tool === tool ? event : { ...event, ...names };
  }

  #end(told: Entry[], isOver: (stream: Stream) => boolean): void {
    for (const [name, stream] of this.#streams) {
      if (!isOver(stream)) continue;
      this.#streams.delete(name);
      append(told, stream.place, stream.held.end());
    }
  }
}

/** Nothing is told twice: what an entry that has left already had to hide stays hidden. */
function append(told: Entry[], place: number | undefined, text: string): void {
  const entry = place === undefined ? undefined : told[place];
  if (!entry || place === undefined || text === '') return;
  const { event } = entry;
  if (event.type === 'text.appended' || event.type === 'title.appended')
    told[place] = { ...entry, event: { ...event, text: event.text + text } };
  else if (event.type === 'step.opened')
    told[place] = { ...entry, event: { ...event, title: event.title + text } };
}
