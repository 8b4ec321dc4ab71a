// What the terminal does with texts, for browsers: a test holds the two together, character by character.
const harmless = new Set(['\n', '\u200c', '\u200d']);

/** Text in which what would hide, or turn the reading order around, is written out. */
export function visible(text) {
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replaceAll('\t', '  ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (found) => (harmless.has(found) ? found : written(found)));
}

/** A message as it is sent, anything else as JSON, with every character to be seen. */
export function exactText(value) {
  if (typeof value !== 'string') return exact(value);
  const lines = value.split('\n').map((line) => exact(line).slice(1, -1).replaceAll('\\"', '"'));
  return lines.join('\n');
}

function exact(value) {
  return (JSON.stringify(value, null, 2) ?? 'null')
    .replaceAll(wordsInJson, (word) => (isMixed(word) ? word.replaceAll(lookalikes, escapedUnits) : word))
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}]/gu, (found) =>
      found === ' ' || found === '\n' ? found : escapedUnits(found),
    );
}

const wordsInJson = /\\(?:u[\da-f]{4}|.)|[\p{L}\p{M}\p{N}\p{Cf}_]+/gu;
const lookalikes = /[\p{Script=Cyrillic}\p{Script=Greek}]/gu;

/** Whether a word is Latin with letters of Cyrillic or Greek in it, as no language writes one. */
function isMixed(word) {
  return /\p{Script=Latin}/u.test(word) && word.search(lookalikes) >= 0;
}

function escapedUnits(character) {
  let escaped = '';
  for (let i = 0; i < character.length; i += 1)
    escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return escaped;
}

function written(character) {
  const code = character.codePointAt(0) ?? 0;
  if (code === 13) return '\\r';
  if (code < 256) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 65_536 ? escapedUnits(character) : `\\u{${code.toString(16)}}`;
}
