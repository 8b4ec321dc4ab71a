import type { Gaps } from './beginnings.ts';
import { lastUpTo, readingOf } from './spelled.ts';

/** What nobody sees, or reads over: spaces, line breaks, control and invisible characters, and marks of Markdown. */
export const unread = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}*_~`]/u;
/** What colours a terminal. Where the text ends, it may go on. */
const colour = /\p{Cc}\[[0-?]{0,16}[ -/]{0,4}(?:[@-~]|$)/uy;
/** More of it stands between words of which none goes on in the next. */
const mostUnread = 32;
/** What programs write between two bytes in hexadecimal digits. Where the text ends, it may be about to be. */
const comma = /(?<=[\da-f]{2})[,:;](?=\s{0,2}(?:(?:0x)?[\da-f]{2}|(?:0x?)?[\da-f]?$))/iy;
const prefix = /\b0x(?=[\da-f]{2}|[\da-f]?$)|(?<=[\da-f]{2}[,:;\s]{1,3})0$/iy;

const escape = 0x1b;
const zero = 0x30;
const [isUnread, isComma] = [1, 2];
const kinds = Uint8Array.from({ length: 0x1_0000 }, (_, code) => {
  const character = String.fromCharCode(code);
  return unread.test(character) ? isUnread : ',:;'.includes(character) || code === zero ? isComma : 0;
});

/** A text without whatever is read over, however it is broken, coloured or set apart. */
export interface Tight {
  readonly text: string;
  /** Where a character of it stands in the text it was made of. */
  readonly placeOf: (place: number) => number;
}

export function tightOf(given: string): Tight | undefined {
  const gaps = gapsIn(given);
  return gaps.length === 0 ? undefined : leavingOut(gaps, given);
}

/** What is read over in a text, at one look at each character. */
export function gapsIn(given: string): Gaps {
  const gaps: number[] = [];
  for (let i = 0; i < given.length; i += 1) {
    const kind = kinds[given.charCodeAt(i)];
    if (kind === 0) continue;
    const end = kind === isUnread ? endOfUnread(given, i) : endOfSign(given, i);
    if (end > i && (kind !== isUnread || end - i <= mostUnread)) gaps.push(i, end);
    i = Math.max(i, end - 1);
  }
  return gaps;
}

/** A text without some of its parts. */
export function leavingOut(gaps: Gaps, given: string): Tight {
  const [places, lengths]: [number[], number[]] = [[], []];
  let [text, at, left] = ['', 0, 0];
  for (let i = 0; i < gaps.length; i += 2) {
    const [start = 0, end = 0] = [gaps[i], gaps[i + 1]];
    text += given.slice(at, start);
    left += end - start;
    at = end;
    places.push(text.length);
    lengths.push(left);
  }
  return {
    text: text + given.slice(at),
    placeOf: (place) => place + (lengths[lastUpTo(places, place)] ?? 0),
  };
}

export function tightTextOf(given: string): string {
  return tightOf(given)?.text ?? given;
}

/** How many characters somebody reads in a text. One that has begun counts. */
export function countRead(given: string): number {
  const reading = readingOf(given);
  if (!reading) return tightTextOf(given).length;
  return tightTextOf(reading.text).length + (reading.unfinished < given.length ? 1 : 0);
}

function endOfUnread(text: string, from: number): number {
  let at = from;
  while (kinds[text.charCodeAt(at)] === isUnread)
    at = text.charCodeAt(at) === escape ? endOf(colour, text, at) || at + 1 : at + 1;
  return at;
}

function endOfSign(text: string, at: number): number {
  return endOf(text.charCodeAt(at) === zero ? prefix : comma, text, at);
}

/** Where it ends what begins here; 0 if nothing does. */
export function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : 0;
}
