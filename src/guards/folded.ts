import type { Gaps } from './beginnings.ts';
import { joined } from './guard-joined.ts';
import { nothing, type Found, type Guard } from './guard.ts';
import { leavingOut } from './tight.ts';

/** What text processors, phones and models write in place of a space, of a hyphen, and of a character of ASCII. */
const spaces = String.raw`\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000`;
const hyphens = String.raw`\u2010-\u2013\u2212\ufe58\ufe63`;
const wide = String.raw`\uff01-\uff5e`;
/** What nobody sees: soft hyphens, joiners, marks of direction, variants. Only characters of one unit: no cut goes through them. */
const unseen = String.raw`\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8`;

const anyFolded = new RegExp(`[${spaces}${hyphens}${wide}${unseen}]`);
const [allSpaces, allHyphens, allWide, allUnseen] = [spaces, hyphens, wide, unseen].map(
  (set) => new RegExp(`[${set}]`, 'g'),
) as [RegExp, RegExp, RegExp, RegExp];
const isUnseen = new RegExp(`^[${unseen}]$`);
const fromWide = 0xfee0;

/**
 * The same guard, which also looks at a text as it is read: with plain spaces, hyphens, letters and digits, and without
 * what nobody sees; and once more with a space for each of that, since it may stand between two words. What is found leads
 * back to the text as it came. Each character is read by itself, so it does not matter where the text was cut.
 */
export function readingThrough(guard: Guard): Guard {
  return {
    ...guard,
    find(text, before = '') {
      const found = guard.find(text, before);
      if (!anyFolded.test(text) && !anyFolded.test(before)) return found;
      const { gaps, read, spaced } = foldedOf(text);
      const ahead = foldedOf(before);
      const seen = joined(found, within(text, gaps, guard.find(read, ahead.read)));
      return gaps.length === 0 && ahead.gaps.length === 0
        ? seen
        : joined(seen, guard.find(spaced, ahead.spaced));
    },
  };
}

/** What has to be known of a text before a place to look at what comes next: the last character that is seen, and the last. */
export function tailOf(text: string, before: string): string {
  let at = text.length - 1;
  while (at >= 0 && isUnseen.test(text.charAt(at))) at -= 1;
  const read = at >= 0 ? text.charAt(at) : before.charAt(0);
  return at === text.length - 1 ? read : read + text.charAt(text.length - 1);
}

/** A text as it is read. */
export function foldedText(text: string): string {
  return anyFolded.test(text) ? foldedOf(text).read : text;
}

interface Folded {
  readonly gaps: Gaps;
  readonly read: string;
  readonly spaced: string;
}

function foldedOf(text: string): Folded {
  const plain = text
    .replaceAll(allSpaces, ' ')
    .replaceAll(allHyphens, '-')
    .replaceAll(allWide, (character) => String.fromCharCode(character.charCodeAt(0) - fromWide));
  const gaps = [...text.matchAll(allUnseen)].flatMap(({ index }) => [index, index + 1]);
  if (gaps.length === 0) return { gaps, read: plain, spaced: plain };
  return { gaps, read: plain.replaceAll(allUnseen, ''), spaced: plain.replaceAll(allUnseen, ' ') };
}

/** What was found in a text that leaves gaps out, in the whole. */
function within(text: string, gaps: Gaps, found: Found): Found {
  if (gaps.length === 0 || found === nothing) return found;
  const { text: read, placeOf } = leavingOut(gaps, text);
  const stretches = found.stretches.map((stretch) => ({
    ...stretch,
    start: placeOf(stretch.start),
    end: placeOf(stretch.end - 1) + 1,
  }));
  return {
    ...found,
    stretches,
    open: found.open === 0 ? 0 : text.length - placeOf(read.length - found.open),
  };
}
