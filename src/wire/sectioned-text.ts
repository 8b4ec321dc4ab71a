import type { Json } from './json.ts';
import { type Citation, readCitations } from './section-citations.ts';
import { readResults, type Results } from './section-results.ts';

/**
 * The text in which agents of the network-operations console answer: `---QUERY---` and `---RESULTS---`, as often as
 * needed, `---CITATIONS---` and `---ANALYSIS---`, each at the start of a line.
 */
export interface SectionedText {
  /** What people read: what stands before the sections, and the analysis. */
  readonly text: string;
  readonly items: readonly SectionItem[];
}

export type SectionItem =
  | { readonly kind: 'visualization'; readonly shape: Results['shape']; readonly data: Json }
  | Citation;

/** Reads the sections of an answer of `agent`; undefined when it has none and is text like any other. */
export function readSections(answer: string, agent: string): SectionedText | undefined {
  const { before, sections } = cut(answer);
  if (sections.length === 0) return undefined;
  const analysis = joined(sections, 'ANALYSIS');
  const cited = joined(sections, 'CITATIONS');
  const found = resultsIn(sections);
  const drawn = found.flatMap(({ query, results }): SectionItem[] =>
    results === undefined || results.shape === 'documents'
      ? []
      : [{ kind: 'visualization', shape: results.shape, data: { ...results.data, query } }],
  );
  const hits = found.flatMap(({ results }) => (results?.shape === 'documents' ? results.hits : []));
  const unread = found.flatMap(({ text, results }) => (results === undefined ? text : []));
  const content = analysis || before || unread.join('\n\n');
  const data = {
    content,
    agent,
    ...(cited === '' ? {} : { citations: cited }),
    ...(hits.length === 0 ? {} : { searchHits: hits }),
  };
  const documents: SectionItem = { kind: 'visualization', shape: 'documents', data };
  const isNeeded = unread.length > 0 || hits.length > 0 || (drawn.length === 0 && content + cited !== '');
  return {
    text: [before, analysis].filter((part) => part !== '').join('\n\n'),
    items: [...drawn, ...(isNeeded ? [documents] : []), ...readCitations(cited)],
  };
}

/**
 * What such an answer means, for whoever works on from it: what stands before the sections, the analysis and its sources.
 * Handed on with its queries and raw results it would be a message of fifty pages that nobody can approve.
 */
export function meaningOf(answer: string): string {
  const { before, sections } = cut(answer);
  const analysis = joined(sections, 'ANALYSIS');
  if (analysis === '') return answer;
  const sources = joined(sections, 'CITATIONS');
  return [before, analysis, sources === '' ? '' : `Sources:\n${sources}`]
    .filter((part) => part !== '')
    .join('\n\n');
}

interface Section {
  readonly name: string;
  readonly text: string;
}

/** Blanks that begin no line: where `^` may stand they would be tried again from each of them. */
const marker =
  /^[^\S\n\r\u2028\u2029]*-{3}[^\S\n\r\u2028\u2029]*(QUERY|RESULTS|CITATIONS|ANALYSIS)[^\S\n\r\u2028\u2029]*-{3}/gm;

function cut(answer: string): { readonly before: string; readonly sections: readonly Section[] } {
  const marks = [...answer.matchAll(marker)];
  const sections = marks.map((mark, i) => ({
    name: mark[1] ?? '',
    text: answer.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim(),
  }));
  return { before: answer.slice(0, marks[0]?.index).trim(), sections };
}

function joined(sections: readonly Section[], name: string): string {
  const texts = sections.flatMap((section) => (section.name === name ? section.text : []));
  return texts.filter((text) => text !== '').join('\n\n');
}

interface Found {
  readonly query: string;
  readonly text: string;
  readonly results: Results | undefined;
}

/** Results belong to the query before them. */
function resultsIn(sections: readonly Section[]): Found[] {
  let query = '';
  const found: Found[] = [];
  for (const { name, text } of sections) {
    if (name === 'QUERY') query = text;
    if (name === 'RESULTS' && text !== '') found.push({ query, text, results: readResults(text) });
  }
  return found;
}
