import type { EventOf } from '../run/events.ts';
import { questionId } from '../run/question-id.ts';
import { exactLines, visible } from '../run/visible.ts';
import { isBlobRef, type BlobRef } from '../run/values.ts';

type Requested = EventOf<'approval.requested'>;

/** What a person is asked about, as text in which every character can be seen. */
export interface ShownQuestion {
  readonly arguments?: string | undefined;
  /** What the words refer to. */
  readonly exchange?: { readonly asked: string; readonly answered: string } | undefined;
}

export function shownQuestion({ arguments: given, exchange }: Requested): ShownQuestion {
  return {
    arguments: given === undefined || given === null ? undefined : textOf(given),
    exchange: exchange && { asked: said(exchange.asked), answered: said(exchange.answered) },
  };
}

/** The name of the question that was decided, as far as is known what was asked. */
export function decidedQuestion({ approval, shown: fingerprint }: EventOf<'approval.decided'>): string {
  return fingerprint === undefined ? approval : questionId({ approval, fingerprint });
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
