const marker = /^[^\S\n]*-{3}[^\S\n]*(QUERY|RESULTS|CITATIONS|ANALYSIS)[^\S\n]*-{3}/gm;

/**
 * What an agent that answers in sections means: its analysis, with its sources. Queries and raw results hang on its step
 * as tables and graphs; handed on, they would be a message of fifty pages that nobody can approve.
 */
export function meaningOf(answer: string): string {
  const marks = [...answer.matchAll(marker)];
  const section = (name: string): string[] =>
    marks.flatMap((mark, i) => {
      const text = answer.slice(mark.index + mark[0].length, marks[i + 1]?.index).trim();
      return mark[1] === name && text !== '' ? [text] : [];
    });
  const analysis = section('ANALYSIS');
  if (analysis.length === 0) return answer;
  const before = answer.slice(0, marks[0]?.index).trim();
  const sources = section('CITATIONS').join('\n');
  return [before, ...analysis, sources === '' ? '' : `Sources:\n${sources}`]
    .filter((part) => part !== '')
    .join('\n\n');
}
