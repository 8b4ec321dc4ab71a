import type { Attachment, Item } from '../../run/values.ts';
import { present } from '../../run/tree.ts';

/** What hangs on a step as an attachment of DIAL, which has exactly one of `data` and `url`. */
export function attachmentOf(item: Item): object {
  switch (item.kind) {
    case 'attachment':
      return ofAttachment(item.attachment);
    case 'citation': {
      const { title, url, quote } = item;
      const link = url === undefined ? {} : { reference_url: url, reference_type: 'text/html' };
      return { type: 'text/markdown', title, data: quote || title, ...link };
    }
    case 'visualization':
      return shown(item.shape, item.data);
    case 'action':
      return shown(item.name, item.data);
  }
}

/** What only our own clients draw, as what it is. */
function shown(title: string, data: unknown): object {
  return { type: 'application/json', title, data: JSON.stringify(data) };
}

function ofAttachment({ type, title, data, url, blob, referenceUrl, referenceType }: Attachment): object {
  const known = present({
    title: title || undefined,
    reference_url: referenceUrl || undefined,
    reference_type: referenceType || undefined,
  });
  if (data) return { type, ...known, data };
  return { type, ...known, url: url ?? (blob ? `/api/files/${blob.blob}` : 'about:blank') };
}
