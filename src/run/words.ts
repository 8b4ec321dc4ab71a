/** The most words that are kept of one text, and the most characters of one word: an index must not outgrow what it finds. */
const mostWords = 200;
const longestWord = 40;

/** Scripts that put no spaces between words: any two neighbours are a word, so that whatever is part of a text is found. */
const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]+/gu;

/**
 * The words of a text, each once, as they are kept and looked for: this function cuts both, so a store only compares. Case,
 * accents and forms of a letter make no difference.
 */
export function wordsOf(text: string): readonly string[] {
  return /^[\x20-\x7e\n\r\t]*$/.test(text) ? plainWords(text) : anyWords(text);
}

/** Nearly all texts of programs, and most of people: no marks, no scripts, and nothing to normalize. */
function plainWords(text: string): readonly string[] {
  const words = new Set<string>();
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    words.add(word.length > longestWord ? word.slice(0, longestWord) : word);
    if (words.size >= mostWords) break;
  }
  return [...words];
}

function anyWords(text: string): readonly string[] {
  const plain = foldedText(text);
  const words = new Set<string>();
  for (const [piece] of plain.matchAll(/[\p{Letter}\p{Number}]+/gu)) {
    for (const word of cut(piece)) words.add(word);
    if (words.size >= mostWords) break;
  }
  return [...words].slice(0, mostWords);
}

/**
 * Without forms, marks and case. A letter may have several small forms, or none that is as long as its capital one: only through
 * both cases do «ß», «ẞ» and «SS», the two small sigmas, and «i» with and without its dot become the same.
 */
export function foldedText(text: string): string {
  const folded = text.normalize('NFKD').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll(/\p{Mark}+/gu, '').replaceAll('ς', 'σ');
}

function cut(piece: string): readonly string[] {
  const spaced = piece.split(unspaced).filter((word) => word !== '');
  const pairs = [...piece.matchAll(unspaced)].flatMap(([run]) => neighbours(Array.from(run)));
  return [...spaced.map((word) => Array.from(word).slice(0, longestWord).join('')), ...pairs];
}

function neighbours(letters: readonly string[]): readonly string[] {
  if (letters.length === 1) return letters;
  return letters.slice(1).map((letter, i) => `${letters[i] ?? ''}${letter}`);
}
