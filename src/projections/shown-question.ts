import type { EventOf, Exchange } from '../run/events.ts';
import { attachmentText, historyText } from '../run/sent-along.ts';
import { exactLines, visible } from '../run/visible.ts';
import { isBlobRef, type BlobRef } from '../run/values.ts';

type Requested = EventOf<'approval.requested'>;

/** What a person is asked about, as text in which every character can be seen. */
export interface ShownQuestion {
  readonly arguments?: string;
  /** What the words refer to. */
  readonly exchange?: { readonly asked: string; readonly answered: string; readonly outcome?: string };
  /** What is sent with them, also after an edit. */
  readonly attachments?: readonly string[];
  /** What is sent before them. */
  readonly history?: string;
  /** The agent knows nothing of what was said before. */
  readonly forgotten?: true;
}

export function shownQuestion(requested: Requested): ShownQuestion {
  const { arguments: given, exchange, attachments, history, forgotten } = requested;
  return {
    ...(given === undefined || given === null ? {} : { arguments: textOf(given) }),
    ...(exchange ? { exchange: exchanged(exchange) } : {}),
    ...(attachments ? { attachments: attachments.map(attachmentText) } : {}),
    ...(history ? { history: isBlobRef(history) ? beginning(history) : historyText(history) } : {}),
    ...(forgotten ? { forgotten } : {}),
  };
}

function exchanged({ asked, answered, outcome }: Exchange): NonNullable<ShownQuestion['exchange']> {
  const ended = outcome === undefined ? {} : { outcome: visible(outcome) };
  return { asked: said(asked), answered: said(answered), ...ended };
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
