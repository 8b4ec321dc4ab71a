import { tailOf } from './folded.ts';
import { merged, type Found, type Guard, type Stretch } from './guard.ts';

/** How many characters are looked at at once. */
export const partLength = 16 * 1024;

/** What is found in a text, looked at part by part: the same as if it were looked at whole. Between two of them it rests. */
export async function findInParts(guard: Guard, text: string, rest: () => Promise<void>): Promise<Found> {
  const { part: length = partLength } = guard;
  const stretches: Stretch[] = [];
  let before = '';
  for (let from = 0, to = length; ; to += length) {
    const found = guard.find(text.slice(from, to), before);
    const cut = to < text.length ? to - found.open : text.length;
    for (const { start, end, of } of found.stretches)
      if (from + start < cut) stretches.push({ start: from + start, end: from + end, of });
    if (cut === text.length) return { ...found, stretches: merged(stretches) };
    // Something may begin before the cut and go on, as in a text that is still arriving.
    if (cut > from) before = tailOf(text.slice(from, cut), before);
    from = cut;
    await rest();
  }
}
