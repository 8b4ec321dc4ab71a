import type { Attachment } from '../../run/values.ts';
import type { AttachmentPiece, DialAttachment } from '../../wire/dial.ts';

/** What DIAL means when it names no type. */
const unnamedType = 'text/markdown';

/** An attachment of ours as DIAL takes it; undefined when its content is not in our hands. */
export function dialAttachment(attachment: Attachment): DialAttachment | undefined {
  const { type, title, data, url, referenceUrl, referenceType } = attachment;
  const where = data ? { data } : url ? { url } : undefined;
  if (where === undefined) return undefined;
  return {
    type: type || unnamedType,
    title: title || undefined,
    ...where,
    reference_url: referenceUrl || undefined,
    reference_type: referenceType || undefined,
  };
}

/** An attachment of DIAL as ours; undefined when there is nothing in it. */
export function attachmentOf(piece: AttachmentPiece): Attachment | undefined {
  const { type, title, data, url, reference_url: referenceUrl, reference_type: referenceType } = piece;
  if (!title && !data && !url && !referenceUrl) return undefined;
  return {
    type: (type || unnamedType).toWellFormed(),
    title: title?.toWellFormed() || undefined,
    data: data?.toWellFormed() || undefined,
    url: url?.toWellFormed() || undefined,
    referenceUrl: referenceUrl?.toWellFormed() || undefined,
    referenceType: referenceType?.toWellFormed() || undefined,
  };
}
