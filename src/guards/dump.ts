import { merged, type Found, type Stretch } from './guard.ts';
import { endOf, leavingOut, tightOf, type Tight } from './tight.ts';

/** Where a line of a dump of bytes may end. */
const seam = /[\da-f]{2}(?: {2}| ?\r?\n| ?\r$)/i;
/** What stands beside the bytes of a line: what they are as text. */
const column = String.raw` {2,60}(?! )[^\r\n]{0,66}`;
const bars = String.raw` {2,60}[|>][^\r\n]{0,66}`;
/**
 * What stands between the last byte of a line and the first of the next: `xxd` sets its column apart by spaces alone, and
 * a colon behind the address; `hexdump -C` and `od` have bars, or nothing. Where the text ends, it may be about to.
 */
const layouts = [gap(column, ':', ' {1,2}'), gap(bars, '', ' {1,3}')];
/** From the last byte of a match to the end of its line, and what may come to be that. */
const rest = /(?: {0,2}[\da-f]{2}){0,48} {2,60}(?! )[^\r\n]{1,66}/iy;
const restBegun = /(?: {0,2}[\da-f]{2}){0,48} {0,60}[\da-f]?$/iy;
/** Whether a match ends in bytes. */
const bytesAtEnd = /(?:^|\n)[\da-f: ]+$/i;

function gap(beside: string, colon: string, spaces: string): RegExp {
  const next = String.raw`\n[\da-f]{4,16}${colon}${spaces}(?=[\da-f]{2}|[\da-f]?$)`;
  const begun = String.raw`(?:\n(?:[\da-f]{1,16}${colon && `${colon}?`} {0,3})?)?$`;
  return new RegExp(String.raw`(?<=[\da-f]{2})(?:${beside}| ?)\r?(?:${next}|${begun})`, 'gi');
}

/** A text without what a dump puts between the bytes of two lines, one for each layout; none for nearly all texts. */
export function dumpsIn(text: string): readonly Tight[] {
  // Nearly every text is through here, and a pattern takes longer to say no.
  if (!text.includes('  ') && !text.includes('\n') && !text.endsWith('\r')) return [];
  if (!seam.test(text)) return [];
  return layouts.flatMap((layout) => {
    const gaps = [...text.matchAll(layout)].flatMap(({ index, 0: { length } }) =>
      length === 0 ? [] : [index, index + length],
    );
    return gaps.length === 0 ? [] : tightened(leavingOut(gaps, text));
  });
}

function tightened(bytes: Tight): Tight {
  const tight = tightOf(bytes.text);
  return tight ? { text: tight.text, placeOf: (place) => bytes.placeOf(tight.placeOf(place)) } : bytes;
}

/** What was found in bytes reaches to the end of its line, where the same stands beside them as text. */
export function toLineEnds(text: string, { stretches, open, isSparse = false }: Found): Found {
  let from = text.length - open;
  const whole = stretches.map((stretch): Stretch => {
    const { start, end } = stretch;
    if (!bytesAtEnd.test(text.slice(start, end))) return stretch;
    const lineEnd = endOf(rest, text, end);
    if (lineEnd === text.length || (lineEnd === 0 && endOf(restBegun, text, end) > 0))
      from = Math.min(from, start);
    return { start, end: Math.max(end, lineEnd) };
  });
  return { stretches: merged(whole), open: text.length - from, isSparse };
}
