import type { Attachment } from '../run/values.ts';

/** What cannot be handed over is named, so that the model can say that it has not seen it. */
export function noteOf({ type, title, data, url }: Attachment): string {
  const name = `Attachment ${title === undefined ? '' : `"${title}" `}(${type})`;
  if (data !== undefined && type.startsWith('text/')) return `${name}:\n${data}`;
  return url === undefined ? `${name}, not included.` : `${name}: ${url}`;
}

/** A text, and below it what stands for the attachments that cannot go with it. */
export function withNotes(text: string, attachments: readonly Attachment[]): string {
  return [text, ...attachments.map(noteOf)].filter((part) => part !== '').join('\n\n');
}
