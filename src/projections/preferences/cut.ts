/** The beginning of a text, never half a character. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

/** The beginning of a text, with a mark if there is more of it. */
export function cutWith(text: string, length: number, mark: string): string {
  return text.length <= length ? text : `${cut(text, length)}${mark}`;
}

/**
 * A text that is gathered only as far as it will be shown, and one character further, so that a cut can be told from an
 * end. What is kept for an open step stays bounded.
 */
export function gathered(before: string, more: string, length: number): string {
  return before.length > length ? before : cut(before + more, length + 1);
}
