import { entityAt } from './entities.ts';

/** How often the sign of an escape may be escaped itself: `%252541` is an «A», and so is `\\\\u0041`. */
const mostPercents = 3;
const mostBackslashes = 16;
/** Octal digits of a byte, and the largest number that can take another one. */
const mostOctal = 3;
const largestBegun = 0o37;
/** Digits of `\u{41}`. */
const mostBraced = 6;
/** What stands for itself or something else after a backslash, and how many digits follow where it is a number. */
const escapes = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['"', '"'],
  ['/', '/'],
]);
const numbers = new Map([
  ['u', 4],
  ['x', 2],
]);

const [percent, backslash, ampersand] = [0x25, 0x5c, 0x26];
/** The signs that something spelled out may begin with. */
const signs = /[%\\&]/;

/** A text as it reads: of `\u0041`, `\101`, `%41`, `%2541` and `&#65;` each is an «A», and a backslash that escapes nothing is left out. */
export interface Reading {
  readonly text: string;
  /** Where a character of it begins in the text as it came, and where it ends there. */
  beginOf(place: number): number;
  endOf(place: number): number;
  /** Where the spelling begins that a place of the text as it came is in the middle of; else that place. */
  outside(place: number): number;
  /** Where a spelling begins, in the text as it came, that may go on after its end; its length if none does. */
  readonly unfinished: number;
}

interface Spelled {
  readonly text: string;
  readonly end: number;
}

/** The text ends before what is spelled. */
const unfinished = 'unfinished';

/** Read a text at one look at each character; `undefined` if nothing is spelled out in it. */
export function readingOf(given: string): Reading | undefined {
  if (!signs.test(given)) return undefined;
  const [begins, ends, places, lengths]: [number[], number[], number[], number[]] = [[], [], [], []];
  let [text, at] = ['', 0];
  let open = given.length;
  for (const sign of signsIn(given)) {
    if (sign < at) continue;
    const spelled = spelledAt(given, sign);
    if (spelled === unfinished) {
      open = sign;
      break;
    }
    if (spelled.end === sign + 1 && spelled.text !== '') continue;
    text += given.slice(at, sign);
    begins.push(sign);
    ends.push(spelled.end);
    places.push(text.length);
    lengths.push(spelled.text.length);
    text += spelled.text;
    at = spelled.end;
  }
  if (begins.length === 0 && open === given.length) return undefined;
  const isIn = (i: number, place: number): boolean => place < (places[i] ?? 0) + (lengths[i] ?? 0);
  const after = (i: number, place: number): number =>
    i < 0 ? place : (ends[i] ?? 0) + place - (places[i] ?? 0) - (lengths[i] ?? 0);
  return {
    text: text + given.slice(at, open),
    beginOf(place) {
      const i = lastUpTo(places, place);
      return i >= 0 && isIn(i, place) ? (begins[i] ?? 0) : after(i, place);
    },
    endOf(place) {
      const i = lastUpTo(places, place);
      return i >= 0 && isIn(i, place) ? (ends[i] ?? 0) : after(i, place) + 1;
    },
    outside(place) {
      const i = lastUpTo(begins, place);
      return i >= 0 && place < (ends[i] ?? 0) ? (begins[i] ?? 0) : Math.min(place, open);
    },
    unfinished: open,
  };
}

function* signsIn(text: string): Generator<number> {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === percent || code === backslash || code === ampersand) yield at;
  }
}

/** What begins at a sign. Backslashes may be spelled with percents themselves, as JSON in an address is. */
function spelledAt(text: string, at: number): Spelled | typeof unfinished {
  const first = characterAt(text, at);
  return first === unfinished || first.text !== '\\' ? first : escapedAt(text, first.end);
}

/** After a backslash. */
function escapedAt(text: string, at: number): Spelled | typeof unfinished {
  let next = characterAt(text, at);
  let end = at;
  for (let more = 1; next !== unfinished && next.text === '\\' && more < mostBackslashes; more += 1) {
    ({ end } = next);
    next = characterAt(text, end);
  }
  if (next === unfinished) return unfinished;
  const digits = numbers.get(next.text);
  if (next.text === 'u' && text[next.end] === '{') return bracedAt(text, next.end + 1) ?? { text: '', end };
  if (digits !== undefined) return numberedAt(text, next.end, digits) ?? { text: '', end };
  if (/^[0-7]$/.test(next.text)) return octalAt(text, end);
  const meant = escapes.get(next.text);
  return meant === undefined ? { text: '', end } : { text: meant, end: next.end };
}

function numberedAt(text: string, at: number, digits: number): Spelled | typeof unfinished | undefined {
  let [number, end] = [0, at];
  for (let i = 0; i < digits; i += 1) {
    const next = characterAt(text, end);
    if (next === unfinished) return unfinished;
    const digit = digitIn(next.text, 0);
    if (digit < 0) return undefined;
    number = number * 16 + digit;
    ({ end } = next);
  }
  return { text: String.fromCharCode(number), end };
}

/** A byte in up to three octal digits. A number that can be no longer does not wait for another digit. */
function octalAt(text: string, at: number): Spelled | typeof unfinished {
  let [number, end] = [0, at];
  for (let i = 0; i < mostOctal && number <= largestBegun; i += 1) {
    const next = characterAt(text, end);
    if (next === unfinished) return unfinished;
    if (!/^[0-7]$/.test(next.text)) break;
    number = number * 8 + Number(next.text);
    ({ end } = next);
  }
  return { text: String.fromCharCode(number), end };
}

/** After `\u{`. */
function bracedAt(text: string, at: number): Spelled | typeof unfinished | undefined {
  let [number, end] = [0, at];
  while (end < at + mostBraced && digitIn(text, end) >= 0) {
    number = number * 16 + digitIn(text, end);
    end += 1;
  }
  if (end >= text.length) return unfinished;
  if (end === at || text[end] !== '}' || number > 0x10_ffff) return undefined;
  return { text: String.fromCodePoint(number), end: end + 1 };
}

/** A character as it is, as an entity of HTML, or in the percent signs of its bytes. */
function characterAt(text: string, at: number): Spelled | typeof unfinished {
  if (at >= text.length) return unfinished;
  if (text[at] === '&') return entityAt(text, at) ?? { text: '&', end: at + 1 };
  if (text[at] !== '%') return { text: text[at] ?? '', end: at + 1 };
  const first = byteAt(text, at);
  if (first === unfinished) return unfinished;
  if (!first) return { text: '%', end: at + 1 };
  const single = { text: String.fromCharCode(first.byte), end: first.end };
  const more = first.byte < 0xc2 || first.byte > 0xf4 ? 0 : first.byte < 0xe0 ? 1 : first.byte < 0xf0 ? 2 : 3;
  if (more === 0) return single;
  let [code, end] = [first.byte & (0x3f >> more), first.end];
  for (let i = 0; i < more; i += 1) {
    const next = byteAt(text, end);
    if (next === unfinished) return unfinished;
    if (!next || next.byte >> 6 !== 2) return single;
    code = code * 64 + (next.byte & 0x3f);
    ({ end } = next);
  }
  return code > 0x10_ffff ? single : { text: String.fromCodePoint(code), end };
}

function byteAt(
  text: string,
  at: number,
): { readonly byte: number; readonly end: number } | typeof unfinished | undefined {
  if (at >= text.length) return unfinished;
  if (text[at] !== '%') return undefined;
  let end = at + 1;
  for (let i = 0; i < mostPercents && text.startsWith('25', end); i += 1) end += 2;
  const [high, low] = [digitIn(text, end), digitIn(text, end + 1)];
  if (high >= 0 && low >= 0) return { byte: high * 16 + low, end: end + 2 };
  if (end >= text.length || (end === text.length - 1 && high >= 0)) return unfinished;
  return end > at + 1 ? { byte: 0x25, end } : undefined;
}

/** The value of a hexadecimal digit; below zero if it is none. */
function digitIn(text: string, at: number): number {
  const code = text.charCodeAt(at) | 0x20;
  if (text.charCodeAt(at) >= 0x30 && text.charCodeAt(at) <= 0x39) return text.charCodeAt(at) - 0x30;
  return code >= 0x61 && code <= 0x66 && text.charCodeAt(at) >= 0x41 ? code - 0x57 : -1;
}

/** The last of sorted numbers that is no larger; below zero if there is none. */
export function lastUpTo(sorted: readonly number[], value: number): number {
  let [from, to] = [-1, sorted.length - 1];
  while (from < to) {
    const middle = Math.ceil((from + to) / 2);
    if ((sorted[middle] ?? Infinity) <= value) from = middle;
    else to = middle - 1;
  }
  return from;
}
