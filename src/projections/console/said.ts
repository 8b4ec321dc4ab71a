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

export function withText(said: Said, text: string): Said {
  const [place, pieces] = readPiece(said.place, text);
  let { plain, analysis } = said;
  for (const piece of pieces) {
    if (piece.section === undefined) plain = gathered(plain, piece.text, lengths.response);
    else if (piece.section === 'ANALYSIS')
      analysis = gathered(analysis, analysis === '' ? piece.text.trimStart() : piece.text, lengths.response);
  }
  return { plain, analysis, place };
}

/** What a part of a card said is said by the card. */
export function withShown(said: Said, text: string): Said {
  return isSectioned(said)
    ? { ...said, analysis: gathered(said.analysis, text, lengths.response) }
    : { ...said, plain: gathered(said.plain, text, lengths.response) };
}

/** What people read of it; undefined where all that was said are queries and their results. */
export function shownText(said: Said): string | undefined {
  const { plain, analysis, place } = said;
  if (!isSectioned(said)) return plain + place.held;
  const read = place.section === 'ANALYSIS' ? analysis + place.held : analysis;
  return read.trim() || plain.trim() || undefined;
}

/** The same for a text that is there whole, and however long. */
export function readable(text: string): string {
  const [place, pieces] = readPiece(noSection, text);
  if (place.section === undefined) return text;
  const all = place.section === 'ANALYSIS' ? [...pieces, { section: 'ANALYSIS', text: place.held }] : pieces;
  const of = (section: string | undefined): string =>
    all
      .filter((piece) => piece.section === section)
      .map((piece) => piece.text)
      .join('')
      .trim();
  return of('ANALYSIS') || of(undefined) || text;
}

function isSectioned({ place }: Said): boolean {
  return place.section !== undefined;
}
