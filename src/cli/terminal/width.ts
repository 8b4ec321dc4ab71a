import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
/** Latin letters: one column each, and by far the most there is. Control characters never come here. */
const narrow = /^[^\u0300-\u{10ffff}\u007f-\u00a0\u00ad]*$/u;

/** How many columns a terminal has for a line; some do not say. */
export function columnsIn({ columns }: { readonly columns?: number }): number {
  return Math.max(20, (columns || 80) - 1);
}

/** How many columns a text without control characters takes. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += columnsOf(segment);
  return width;
}

/** As much of a text as fits, with a mark where it was cut. */
export function cut(text: string, width: number): string {
  if (text.length <= width && narrow.test(text)) return text;
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
  let from = 0;
  let used = 0;
  let afterSpace = 0;
  for (const { segment, index } of graphemes.segment(text)) {
    const columns = columnsOf(segment);
    // A character wider than the whole line still has to go somewhere.
    while (used + columns > room && index > from) {
      const end = afterSpace - from > (index - from) / 2 ? afterSpace : index;
      pieces.push(text.slice(from, end));
      used = widthOf(text.slice(end, index));
      from = end;
    }
    used += columns;
    if (segment === ' ') afterSpace = index + 1;
  }
  return [...pieces, text.slice(from)];
}

function wrapLine(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  let current: string[] = [];
  let used = 0;
  for (const word of line.split(/(?<= )/)) {
    const said = word.trimEnd();
    if (said === '' || used + widthOf(said) <= width) {
      current.push(word);
      used += widthOf(word);
      continue;
    }
    if (current.length > 0) lines.push(current.join('').trimEnd());
    const pieces = chop(said, width);
    lines.push(...pieces.slice(0, -1));
    current = [`${pieces.at(-1) ?? ''} `];
    used = widthOf(current.join(''));
  }
  const rest = current.join('').trimEnd();
  return rest === '' ? lines : [...lines, rest];
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

function columnsOf(grapheme: string): number {
  return narrow.test(grapheme) ? grapheme.length : Math.min(2, stringWidth(grapheme));
}
