/** Joiners that scripts and emoji need; alone they do no harm. */
const harmless = new Set(['\n', '\u200c', '\u200d']);

/**
 * Text from outside as it may be shown: what would act on the terminal, turn the reading order around or hide is
 * written out (`\x1b`, `\u202e`). Line breaks stay.
 */
export function visible(text: string): string {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => (harmless.has(found) ? found : written(found)));
}

/** The same on one line. */
export function visibleLine(text: string): string {
  const lines = visible(text)
    .split('\n')
    .map((line) => line.trim());
  return lines.filter((line) => line !== '').join(' ');
}

/**
 * A value as JSON in which every character can be seen: whoever approves it approves exactly this. Spaces that are not
 * the usual one, marks without a width and characters without a meaning are escaped as JSON escapes them.
 */
export function exact(value: unknown, indent = 2): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replaceAll(
    /[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu,
    (found) => (found === ' ' || found === '\n' ? found : escapedUnits(found)),
  );
}

/** A line of JSON for programs, which a person may look at in a terminal. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapedUnits);
}

function written(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code === 13) return '\\r';
  if (code < 256) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 65_536 ? escapedUnits(character) : `\\u{${code.toString(16)}}`;
}

function escapedUnits(character: string): string {
  let escaped = '';
  for (let i = 0; i < character.length; i += 1)
    escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escaped;
}
