const tag = /<(\/?)(?:think|thinking|reasoning)\s*>/gi;

/**
 * A model's answer without what it thought aloud, as models write that into their text. Some leave out where a thought
 * begins: what stands before its end is one. A thought that never ends is all there is.
 */
export function withoutThoughts(text: string): string {
  let said = '';
  let from: number | undefined = 0;
  for (const { 0: whole, 1: slash, index } of text.matchAll(tag)) {
    if (slash === '/') {
      if (from !== undefined) said = '';
      from = index + whole.length;
    } else if (from !== undefined) {
      said += text.slice(from, index);
      from = undefined;
    }
  }
  return from === undefined ? said : said + text.slice(from);
}
