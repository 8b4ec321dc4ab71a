import { readSections } from '../../wire/sectioned-text.ts';
import { visible } from '../../run/visible.ts';
import { cut, wrap } from '../terminal/width.ts';

/** What a step said as one reads it in a tree: without the marks of sections and Markdown, and data on one line. */
export function readable(text: string, width: number): string[] {
  const said = readSections(text, '')?.text ?? text;
  return joinedToHeadings(visible(said).split('\n'))
    .map((line) => line.replaceAll(/\*\*(.+?)\*\*/g, '$1'))
    .flatMap((line) => (isData(line) ? [cut(line.trim(), width)] : wrap(line, width)));
}

/** The lines that say something; a heading stands before what it is the heading of. */
function joinedToHeadings(lines: readonly string[]): string[] {
  const joined: string[] = [];
  let headings = '';
  for (const line of lines) {
    const said = line.trim();
    if (said === '' || said.startsWith('```') || said.startsWith('~~~')) continue;
    const [, title] = /^#{1,6}\s+(.*)$/.exec(said) ?? [];
    if (title !== undefined) headings += `${title.replace(/:$/, '')}: `;
    else {
      joined.push(headings === '' ? line.trimEnd() : headings + said);
      headings = '';
    }
  }
  return headings === '' ? joined : [...joined, headings.slice(0, -2)];
}

/** Nobody reads JSON to its end in a tree. */
function isData(line: string): boolean {
  return /^\s*(?:[\w ]{1,40}: )?[[{]["[{\]}]/.test(line);
}
