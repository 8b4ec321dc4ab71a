import type { Key } from './keyboard.ts';
import type { Line } from './line.ts';
import { visibleLine } from './escape.ts';
import { widthOf } from './width.ts';

/** A line somebody is writing: its characters, and where the next one goes. */
export interface TextEntry {
  readonly letters: readonly string[];
  readonly place: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

export function textEntry(text = ''): TextEntry {
  const letters = [...graphemes.segment(text)].map(({ segment }) => segment);
  return { letters, place: letters.length };
}

export function entered({ letters }: TextEntry): string {
  return letters.join('');
}

/** The line after a key. Keys that mean nothing here change nothing. */
export function typed(entry: TextEntry, { name, text, ctrl }: Key): TextEntry {
  const { letters, place } = entry;
  if (name === 'backspace') return removed(entry, Math.max(0, place - 1), place);
  if (name === 'delete' || (ctrl && name === 'd')) return removed(entry, place, place + 1);
  if (name === 'left') return { letters, place: Math.max(0, place - 1) };
  if (name === 'right') return { letters, place: Math.min(letters.length, place + 1) };
  if (name === 'home' || (ctrl && name === 'a')) return { letters, place: 0 };
  if (name === 'end' || (ctrl && name === 'e')) return { letters, place: letters.length };
  if (ctrl && name === 'u') return removed(entry, 0, place);
  if (ctrl && name === 'k') return removed(entry, place, letters.length);
  if (ctrl && name === 'w') return removed(entry, wordBefore(entry), place);
  if (text === '') return entry;
  const added = textEntry(text.replaceAll(/\p{Cc}/gu, ' ')).letters;
  return { letters: letters.toSpliced(place, 0, ...added), place: place + added.length };
}

/** The line with its cursor, moved along so that the cursor can be seen. */
export function entryLine({ letters, place }: TextEntry, width: number): Line {
  const shown = letters.map((letter) => visibleLine(letter) || ' ');
  let from = place;
  for (let used = 1; from > 0; from -= 1) {
    used += widthOf(shown[from - 1] ?? '');
    if (used > width - 1) break;
  }
  return [
    [shown.slice(from, place).join('')],
    [shown[place] ?? ' ', 'inverse'],
    [shown.slice(place + 1).join('')],
  ];
}

function removed({ letters }: TextEntry, from: number, to: number): TextEntry {
  return { letters: letters.toSpliced(from, to - from), place: from };
}

function wordBefore({ letters, place }: TextEntry): number {
  let from = place;
  while (from > 0 && letters[from - 1] === ' ') from -= 1;
  while (from > 0 && letters[from - 1] !== ' ') from -= 1;
  return from;
}
