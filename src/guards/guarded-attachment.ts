import type { Attachment } from '../run/values.ts';

/** What is text by its type, whatever it looks like. */
const textType = /^text\/|json|csv|xml|yaml|markdown|html|javascript/i;
/** How pictures and the like are written. Anything else is read as text, whatever its type says. */
const base64 = /^[\w+/\r\n-]*={0,2}\s*$/;

/** An attachment as guards let it pass: they look at its title, its addresses, and what it says where that can be read. */
export async function guardedAttachment(
  attachment: Attachment,
  clean: (text: string) => Promise<string>,
): Promise<Attachment> {
  let guarded = attachment;
  for (const name of ['title', 'url', 'referenceUrl', 'data'] as const) {
    const text = attachment[name];
    if (text === undefined || (name === 'data' && !isReadable(attachment))) continue;
    const passed = await clean(text);
    if (passed !== text) guarded = { ...guarded, [name]: passed };
  }
  return guarded;
}

/** Whether what it says is text. */
export function isReadable({ type, data = '' }: Attachment): boolean {
  return textType.test(type) || !base64.test(data);
}
