import type { Along, EarlierMessage } from '../../run/events.ts';
import { isBlobRef, type Attachment, type Json } from '../../run/values.ts';

/**
 * What goes out with a message beside its words, so that it can be compared: in one order of fields, whoever wrote it
 * down. Undefined where there is nothing.
 */
export function alongOf({ attachments = [], history = [], forgotten = false }: Along): Json | undefined {
  if (attachments.length === 0 && !isBlobRef(history) && history.length === 0 && !forgotten) return undefined;
  return [attachedAs(attachments), isBlobRef(history) ? history.blob : history.map(saidAs), forgotten];
}

/** What hangs on a message, in one order of fields. */
export function attachedAs(attachments: readonly Attachment[]): Json {
  return attachments.map(({ type, title, data, url, blob, referenceUrl, referenceType }) =>
    [type, title, data, url, blob?.blob, referenceUrl, referenceType].map((field) => field ?? null),
  );
}

function saidAs({ role, text, attachments = [], calls = null }: EarlierMessage): Json {
  return [role, text, attachedAs(attachments), calls];
}
