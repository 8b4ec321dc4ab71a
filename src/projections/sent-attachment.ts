import { RunError } from '../run/failure.ts';
import type { SentAttachment } from './door.ts';

/** Where in a request it stands, and what it is said to be. */
interface Sent {
  /** As `messages.3`. */
  readonly at: string;
  readonly type?: string | undefined;
}

const dataUrl = /^data:([^;,]*)((?:;[^;,]*)*),(.*)$/s;

/** A thing by its address; one that has its content in it is that content. */
export function linked(url: string, { at, type: said }: Sent): SentAttachment {
  const [whole, type = '', parameters = '', content = ''] = dataUrl.exec(url) ?? [];
  if (whole === undefined) {
    if (/^https?:\/\//.test(url)) return { type: said || 'application/octet-stream', url };
    throw new RunError('malformed', `${at}: an address begins with http://, https:// or data:.`);
  }
  if (/;base64$/i.test(parameters)) return encoded(content, { at, type: said || type });
  return { type: said || type || 'text/plain', data: decodeURIComponent(content) };
}

/** A thing in base64: text is kept as text. */
export function encoded(base64: string, { at, type }: Sent): SentAttachment {
  const isText = type?.startsWith('text/') || type === 'application/json';
  return { type: type || 'application/octet-stream', data: isText ? textOf(base64, at) : base64 };
}

function textOf(base64: string, at: string): string {
  try {
    return new TextDecoder().decode(Uint8Array.from(atob(base64), (each) => each.charCodeAt(0)));
  } catch (cause) {
    throw new RunError('malformed', `${at}: what is attached is no base64.`, { cause });
  }
}
