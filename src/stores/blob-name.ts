import { hash } from 'node:crypto';

/** What a store calls a text that it keeps: the SHA-256 of its bytes. Half a surrogate pair has no bytes of its own. */
export function blobName(text: string): string {
  return hash('sha256', text.toWellFormed());
}
