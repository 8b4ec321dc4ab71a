import { foldedText } from './folded.ts';
import type { Sought } from './pattern.ts';

/** Letters and digits of any language: what a word is made of. */
const wordCharacter = /[\p{L}\p{N}_]/u;

/** Any of these words or sentences, whole, in letters of either case, however its spaces are. */
export function wordPattern(words: readonly string[]): Omit<Sought, 'of'> {
  const any = words.map((word) => foldedText(word).trim().split(/\s+/).map(quoted).join('\\s{1,3}'));
  return { pattern: `(?i)(?:${any.join('|')})`, notAfter: wordCharacter, notBefore: wordCharacter };
}

function quoted(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
