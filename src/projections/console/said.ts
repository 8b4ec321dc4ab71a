import type { Failure } from '../../run/failure.ts';
import { noSection, readPiece, type InSection } from '../../wire/section-reader.ts';
import { gathered } from '../preferences/cut.ts';

/** How much of a text a console shows. Characters. */
export const lengths = { query: 500, response: 2_000, reasoning: 500, summary: 200 } as const;

/** What was said in a step, as far as a card will show it. Of an answer in sections that is its analysis. */
export interface Said {
  readonly plain: string;
  readonly analysis: string;
  readonly place: InSection;
}

export const unsaid: Said = { plain: '', analysis: '', place: noSection };

export function withText(said: Said, text: string, length: number = lengths.response): Said {
  const [place, pieces] = readPiece(said.place, text);
  let { plain, analysis } = said;
  for (const piece of pieces) {
    if (piece.section === undefined) plain = gathered(plain, piece.text, length);
    else if (piece.section === 'ANALYSIS')
      analysis = gathered(analysis, analysis === '' ? piece.text.trimStart() : piece.text, length);
  }
  return { plain, analysis, place };
}

/** What a part of a card said is said by the card. */
export function withShown(said: Said, text: string): Said {
  const where = said.place.section === undefined ? 'plain' : 'analysis';
  return { ...said, [where]: gathered(said[where], text, lengths.response) };
}

/** What people read of it; undefined where all that was said are queries and their results. */
export function shownText({ plain, analysis, place }: Said): string | undefined {
  if (place.section === undefined) return plain + place.held;
  const read = place.section === 'ANALYSIS' ? analysis + place.held : analysis;
  return read.trim() || plain.trim() || undefined;
}

/** The same for a text that is there whole, and however long. */
export function readable(text: string): string {
  return shownText(withText(unsaid, text, Infinity)) ?? text;
}

export function failed({ code, message }: Failure): string {
  return `FAILED: [${code}] ${message}`;
}
