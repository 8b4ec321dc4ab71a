const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const ascii = /^[\u0020-\u007e]*$/;
const emoji = /\p{Emoji_Presentation}|\p{Regional_Indicator}|\ufe0f/u;
const noWidth = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const wide =
  /^[\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u;

/** How many columns a text without control characters takes. */
export function widthOf(text: string): number {
  if (ascii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += columnsOf(segment);
  return width;
}

/** As much of a text as fits, with a mark where it was cut. */
export function cut(text: string, width: number): string {
  if (text.length <= width && ascii.test(text)) return text;
  if (widthOf(text) <= width) return text;
  return width < 1 ? '' : `${head(text, width - 1)}…`;
}

/** The text in lines that fit, broken at spaces where there are any. */
export function wrap(text: string, width: number): string[] {
  const room = Math.max(1, width);
  return text.split('\n').flatMap((line) => wrapLine(line, room));
}

/** The text in pieces that fit, broken after a space if there is one near, so that not even that is lost. */
export function chop(text: string, width: number): string[] {
  const room = Math.max(1, width);
  const pieces: string[] = [];
  let rest = text;
  while (widthOf(rest) > room) {
    // A character wider than the whole line still has to go somewhere.
    const most = head(rest, room) || firstOf(rest);
    const space = most.lastIndexOf(' ') + 1;
    const piece = space > most.length / 2 ? most.slice(0, space) : most;
    pieces.push(piece);
    rest = rest.slice(piece.length);
  }
  return [...pieces, rest];
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let current = '';
  for (const word of line.split(/(?<= )/)) {
    if (widthOf((current + word).trimEnd()) <= width) {
      current += word;
      continue;
    }
    if (current !== '') lines.push(current.trimEnd());
    const pieces = chop(word.trimEnd(), width);
    lines.push(...pieces.slice(0, -1));
    current = `${pieces.at(-1) ?? ''} `;
  }
  if (current.trimEnd() !== '') lines.push(current.trimEnd());
  return lines;
}

function head(text: string, width: number): string {
  let taken = '';
  let used = 0;
  for (const { segment } of graphemes.segment(text)) {
    used += columnsOf(segment);
    if (used > width) break;
    taken += segment;
  }
  return taken;
}

function firstOf(text: string): string {
  for (const { segment } of graphemes.segment(text)) return segment;
  return text;
}

function columnsOf(grapheme: string): number {
  if (ascii.test(grapheme)) return grapheme.length;
  if (emoji.test(grapheme) || wide.test(grapheme)) return 2;
  return noWidth.test(grapheme) ? 0 : 1;
}
