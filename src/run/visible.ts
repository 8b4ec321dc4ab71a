/** Joiners that scripts and emoji need; alone they do no harm. */
const harmless = new Set(['\n', '\u200c', '\u200d']);

/**
 * Text from outside as it may be shown: what would act on a terminal, turn the reading order around or hide is written
 * out (`\x1b`, `\u202e`). Line breaks stay.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => (harmless.has(found) ? found : written(found)));
}

/**
 * A value as JSON in which every character can be seen: whoever approves it approves exactly this. Spaces that are not
 * the usual one, marks without a width and characters without a meaning are escaped as JSON escapes them, and so are
 * letters that look like those they stand among.
 */
export function exact(value: unknown, indent = 2): string {
  return (JSON.stringify(value, null, indent) ?? 'null')
    .replaceAll(wordsInJson, (word) => (isMixed(word) ? word.replaceAll(lookalikes, escapedUnits) : word))
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu, (found) =>
      found === ' ' || found === '\n' ? found : escapedUnits(found),
    );
}

/** What JSON has escaped already belongs to no word. */
const wordsInJson = /\\(?:u[\da-f]{4}|.)|[\p{L}\p{M}\p{N}\p{Cf}_]+/gu;
const lookalikes = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

/** Whether a word is Latin with letters of Cyrillic or Greek in it, as no language writes one. */
function isMixed(word: string): boolean {
  return /\p{Script=Latin}/u.test(word) && word.search(lookalikes) >= 0;
}

/** A message line by line, as it is sent; anything else as JSON. What cannot be seen is escaped in both. */
export function exactLines(value: unknown): string[] {
  if (typeof value !== 'string') return exact(value).split('\n');
  return value.split('\n').map((line) => exact(line).slice(1, -1).replaceAll('\\"', '"'));
}

export function escapedUnits(character: string): string {
  let escaped = '';
  for (let i = 0; i < character.length; i += 1)
    escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escaped;
}

function written(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 13) return '\\r';
  if (code < 256) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 65_536 ? escapedUnits(character) : `\\u{${code.toString(16)}}`;
}
