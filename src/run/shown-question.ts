import type { EventOf, Exchange } from './events.ts';
import { questionId } from './question-id.ts';
import { attachmentText, historyText } from './sent-along.ts';
import { exactLines, visible } from './visible.ts';
import { isBlobRef, type BlobRef } from './values.ts';

type Requested = EventOf<'approval.requested'>;

/** What a person is asked about, as text in which every character can be seen. */
export interface ShownQuestion {
  readonly arguments?: string | undefined;
  /** What the words refer to. */
  readonly exchange?:
    | { readonly asked: string; readonly answered: string; readonly outcome?: string }
    | undefined;
  /** What is sent with them, also after an edit. */
  readonly attachments?: readonly string[] | undefined;
  /** What is sent before them. */
  readonly history?: string | undefined;
  /** The agent knows nothing of what was said before. */
  readonly forgotten?: true | undefined;
}

export function shownQuestion(requested: Requested): ShownQuestion {
  const { arguments: given, exchange, attachments, history, forgotten } = requested;
  return {
    arguments: given === undefined || given === null ? undefined : textOf(given),
    exchange: exchange && exchanged(exchange),
    attachments: attachments?.map(attachmentText),
    history: history && (isBlobRef(history) ? beginning(history) : historyText(history)),
    forgotten: forgotten || undefined,
  };
}

function exchanged({ asked, answered, outcome }: Exchange): NonNullable<ShownQuestion['exchange']> {
  const ended = outcome === undefined ? {} : { outcome: visible(outcome) };
  return { asked: said(asked), answered: said(answered), ...ended };
}

/** The name of the question that was decided, as far as is known what was asked. */
export function decidedQuestion({ approval, shown: fingerprint }: EventOf<'approval.decided'>): string {
  return fingerprint === undefined ? approval : questionId({ approval, fingerprint });
}

/** What a person made of what they were asked about: that is what will run. */
export function shownEdit({
  arguments: made,
}: EventOf<'approval.decided'>): Pick<ShownQuestion, 'arguments'> {
  return made === undefined || made === null ? {} : { arguments: textOf(made) };
}

function textOf(value: NonNullable<Requested['arguments']>): string {
  return isBlobRef(value) ? beginning(value) : exactLines(value).join('\n');
}

function said(text: string | BlobRef): string {
  return typeof text === 'string' ? visible(text) : beginning(text);
}

/** What is too large for a frame says where all of it is. */
function beginning({ blob, size, preview = '' }: BlobRef): string {
  return `${visible(preview)}… (${size} bytes in all: GET /api/files/${blob})`;
}
