import { RunError } from '../../run/failure.ts';

/**
 * A command line as words, without a shell: quotes and backslashes group and escape, and nothing is ever expanded,
 * so `$HOME`, `*`, `;` and `&&` are plain characters and cannot run anything.
 */
export function splitWords(line: string): readonly string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  for (let i = 0; i < line.length; i++) {
    const character = line.charAt(i);
    if (quote === undefined && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (character === quote) {
      quote = undefined;
    } else if (quote === undefined && (character === '"' || character === "'")) {
      quote = character;
      word ??= '';
    } else if (character === '\\' && isEscape(quote, line.charAt(i + 1))) {
      i++;
      word = (word ?? '') + line.charAt(i);
    } else {
      word = (word ?? '') + character;
    }
  }
  if (quote !== undefined) throw unclosed(line, quote);
  if (word !== undefined) words.push(word);
  return words;
}

/** Within single quotes nothing is an escape; within double quotes only the two characters that need one. */
function isEscape(quote: string | undefined, next: string): boolean {
  if (next === '' || quote === "'") return false;
  return quote === undefined || next === '"' || next === '\\';
}

function unclosed(line: string, quote: string): RunError {
  return new RunError(
    'malformed',
    `The command ${line} has a ${quote} that is never closed; close it or escape it.`,
  );
}
