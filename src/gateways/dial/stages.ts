import { RunError } from '../../run/failure.ts';
import { stageKind } from '../../run/own-kinds.ts';
import type { Attachment, Item } from '../../run/values.ts';
import { readAttachment, readStage, type PeerNews, type StagePiece } from '../../wire/dial.ts';
import { unreadable } from '../../wire/salvage.ts';
import type { Complaints } from '../http/event-channel.ts';
import { attachmentOf } from './attachment.ts';
import type { AgentEvent } from '../gateway.ts';
import { WholeText } from '../http/http-exchange.ts';
import { present } from '../../run/tree.ts';

interface Text {
  readonly stage: string;
  readonly part: 'title' | 'content';
  readonly text: string;
}

/** Stages, and attachments, of one answer: whoever sends more than this is not telling anybody anything. */
const most = 10_000;
/** Pieces of stages and attachments in one event: they are read in one go. */
const mostAtOnce = 500;

/**
 * The stages of one answer. A stage goes by its index; pieces of several may come mixed, and every piece may carry
 * anything. What does not fit is told as it came, so that whoever mirrors it can say what is wrong with it.
 */
export class DialStages {
  readonly #who: string;
  readonly #complaints: Complaints;
  readonly #largest: number;
  readonly #stages = new Map<number, { isOpen: boolean; parent: number | undefined }>();
  readonly #whole = new WholeText();
  #about: NonNullable<PeerNews['stage']> = {};
  #attached = 0;
  #opened = 0;

  /** `largest`: characters of one part. */
  constructor(who: string, complaints: Complaints, largest: number) {
    this.#who = who;
    this.#complaints = complaints;
    this.#largest = largest;
  }

  /** `about`: what a Vitrine says of them besides. */
  takeAll(given: readonly unknown[], events: AgentEvent[], about: PeerNews['stage'] = {}): void {
    this.#expectFew(given);
    this.#about = about;
    for (const one of given) this.take(one, events);
  }

  take(given: unknown, events: AgentEvent[]): void {
    const { value: piece, faults } = readStage(given);
    if (faults.length > 0)
      this.#complaints.sent(`${unreadable('a stage', faults)}: ${excerpt(given)}`, events);
    if (piece !== undefined) this.#tell(piece, events);
  }

  /** The attachments of a stage, or of the answer itself, as items. */
  items(given: readonly unknown[], events: AgentEvent[]): Item[] {
    this.#expectFew(given);
    this.#attached += given.length;
    if (this.#attached > most)
      throw new RunError('too-large', `${this.#who} sent more than ${most} attachments.`);
    return given.flatMap((one) => {
      const { value, faults } = readAttachment(one);
      const attachment = value && attachmentOf(value);
      const isEmpty = faults.length === 0 && attachment === undefined;
      if (isEmpty) this.#complaints.sent(`an attachment with nothing in it: ${excerpt(one)}`, events);
      if (faults.length > 0)
        this.#complaints.sent(`${unreadable('an attachment', faults)}: ${excerpt(one)}`, events);
      if (attachment === undefined || this.#isTooLarge(attachment, events)) return [];
      return [{ kind: 'attachment', attachment }];
    });
  }

  /** Characters that were cut in two and never completed. */
  finish(events: AgentEvent[]): void {
    for (const [stream, text] of this.#whole.finish()) {
      const [stage = '', part] = stream.split(' ');
      events.push({ type: part === 'title' ? 'stage.titled' : 'stage.appended', stage, text });
    }
  }

  #expectFew(given: readonly unknown[]): void {
    if (given.length <= mostAtOnce) return;
    const what = `${this.#who} sent ${given.length} stages or attachments in one event`;
    throw new RunError('too-large', `${what}; ${mostAtOnce} are allowed.`);
  }

  #tell(piece: StagePiece, events: AgentEvent[]): void {
    const { index, content, status } = piece;
    const stage = String(index);
    const known = this.#stages.get(index);
    const attachments = piece.attachments ?? [];
    if (this.#isOpening(piece)) this.#open(piece, events);
    else {
      // The mirror opens what is written to; from here on it is open.
      if (!known && (content || attachments.length > 0)) this.#know(index, undefined);
      this.#append({ stage, part: 'title', text: piece.name ?? '' }, events);
    }
    if (known?.isOpen) this.#comparePlace(piece, known.parent, events);
    if (!this.#isTooLong(piece, events))
      this.#append({ stage, part: 'content', text: content ?? '' }, events);
    for (const item of this.items(attachments, events)) events.push({ type: 'stage.attached', stage, item });
    if (isFinal(status)) this.#close(index, status, events);
  }

  /**
   * The piece that opens a stage has a name, perhaps null. A mere close, and text for a stage that nobody opened, are left
   * for the mirror to complain of. While a stage is open a name is more of its title, unless it says `open`.
   */
  #isOpening(piece: StagePiece): boolean {
    const { name, content, status, attachments, parent_stage_index: parent } = piece;
    if (this.#stages.get(piece.index)?.isOpen) return status === 'open' && Boolean(name);
    if (name || typeof parent === 'number') return true;
    if (isFinal(status)) return false;
    return name !== undefined || status === 'open' || (!content && !attachments?.length);
  }

  #open({ index, name, parent_stage_index: parent }: StagePiece, events: AgentEvent[]): void {
    this.#know(index, parent ?? undefined);
    const title = this.#whole.take(`${index} title`, name ?? '');
    const { kind } = this.#about;
    events.push({
      type: 'stage.opened',
      stage: String(index),
      parent: typeof parent === 'number' ? String(parent) : undefined,
      title: title || undefined,
      ...present({ ...this.#about, kind: kind && stageKind(kind), channel: undefined }),
    });
  }

  #append({ stage, part, text }: Text, events: AgentEvent[]): void {
    const whole = text === '' ? '' : this.#whole.take(`${stage} ${part}`, text);
    if (whole === '') return;
    if (part === 'title') events.push({ type: 'stage.titled', stage, text: whole });
    else
      events.push({
        type: 'stage.appended',
        stage,
        text: whole,
        ...present({ channel: this.#about.channel }),
      });
  }

  #isTooLarge({ type, title, data = '', url = '' }: Attachment, events: AgentEvent[]): boolean {
    const size = data.length + url.length;
    if (size <= this.#largest) return false;
    this.#refuse(`the attachment «${title ?? type}» of ${size} characters`, events);
    return true;
  }

  #isTooLong({ index, name, content }: StagePiece, events: AgentEvent[]): boolean {
    const size = content?.length ?? 0;
    if (size <= this.#largest) return false;
    this.#refuse(`${size} characters for stage ${name ? `«${name}»` : index}`, events);
    return true;
  }

  #refuse(what: string, events: AgentEvent[]): void {
    this.#complaints.refuse(what, `${this.#largest} characters (limits.part)`, events);
  }

  #close(index: number, outcome: 'completed' | 'failed', events: AgentEvent[]): void {
    const stage = String(index);
    const known = this.#stages.get(index);
    if (known) known.isOpen = false;
    const title = this.#whole.end(`${stage} title`);
    const content = this.#whole.end(`${stage} content`);
    if (title !== '') events.push({ type: 'stage.titled', stage, text: title });
    if (content !== '') events.push({ type: 'stage.appended', stage, text: content });
    events.push({ type: 'stage.closed', stage, outcome });
  }

  #know(index: number, parent: number | undefined): void {
    this.#stages.set(index, { isOpen: true, parent });
    this.#opened += 1;
    if (this.#opened > most) throw new RunError('too-large', `${this.#who} opened more than ${most} stages.`);
  }

  #comparePlace(piece: StagePiece, before: number | undefined, events: AgentEvent[]): void {
    const { index, parent_stage_index: parent } = piece;
    if (typeof parent !== 'number' || parent === before) return;
    this.#complaints.sent(`stage ${index} again, now below stage ${parent}; it stays where it was`, events);
  }
}

function isFinal(status: StagePiece['status']): status is 'completed' | 'failed' {
  return status === 'completed' || status === 'failed';
}

function excerpt(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 200) ?? 'nothing';
}
