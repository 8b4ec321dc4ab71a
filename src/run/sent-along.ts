import type { EarlierMessage } from './events.ts';
import { exactLines, visible } from './visible.ts';
import type { Attachment } from './values.ts';

/** An attachment for people: what it is called, what it is and how large, then what it says as far as that is at hand. */
export function attachmentText(attachment: Attachment): string {
  const { data, url, blob } = attachment;
  const said = data === undefined ? [] : exactLines(data);
  const where = url === undefined ? [] : [exactLines(url).join('')];
  const kept = blob ? [`${exactLines(blob.preview ?? '').join('\n')}… (GET /api/files/${blob.blob})`] : [];
  return [nameOf(attachment), ...said, ...where, ...kept].join('\n');
}

/** Messages for people, each with who says it and what hangs on it. */
export function historyText(history: readonly EarlierMessage[]): string {
  return history
    .map(({ role, text, attachments = [], calls }) => {
      const asked = calls === undefined ? [] : exactLines(calls);
      const said = [`${role}: ${visible(text)}`, ...asked, ...attachments.map(attachmentText)];
      return said.join('\n');
    })
    .join('\n');
}

function nameOf({ title, type, data, blob }: Attachment): string {
  const size = data === undefined ? blob && `${blob.size} bytes` : `${data.length} characters`;
  const about = [type, ...(size === undefined ? [] : [size])].join(', ');
  return visible(title === undefined ? about : `${title} (${about})`).replaceAll('\n', ' ');
}
