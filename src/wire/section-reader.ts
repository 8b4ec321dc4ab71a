/** Where a text stands that arrives in pieces and may have sections. */
export interface InSection {
  /** Undefined before the first one. */
  readonly section: string | undefined;
  readonly isLineStart: boolean;
  /** The beginning of a line that may become a marker. */
  readonly held: string;
}

export const noSection: InSection = { section: undefined, isLineStart: true, held: '' };

export interface SectionPiece {
  readonly section: string | undefined;
  readonly text: string;
}

const marker = /^[ \t]*---[ \t]*(QUERY|RESULTS|CITATIONS|ANALYSIS)[ \t]*---/;
const maybeMarker = /^[ \t]*(?:-{0,3}|---[ \t]*[A-Z]{0,9}[ \t]*-{0,3})$/;
/** A line that is no marker by then is none. */
const longestMarker = 64;

/** What each piece of a text belongs to: any cut of it gives the same. */
export function readPiece(before: InSection, text: string): readonly [InSection, readonly SectionPiece[]] {
  const pieces: SectionPiece[] = [];
  let { section, isLineStart } = before;
  let rest = before.held + text;
  while (rest !== '') {
    const [mark, name] = isLineStart ? (marker.exec(rest) ?? []) : [];
    if (mark !== undefined) {
      section = name;
      isLineStart = false;
      rest = rest.slice(mark.length);
      continue;
    }
    if (isLineStart && rest.length <= longestMarker && maybeMarker.test(rest))
      return [{ section, isLineStart, held: rest }, pieces];
    const end = rest.indexOf('\n') + 1 || rest.length;
    pieces.push({ section, text: rest.slice(0, end) });
    isLineStart = rest.endsWith('\n', end);
    rest = rest.slice(end);
  }
  return [{ section, isLineStart, held: '' }, pieces];
}
