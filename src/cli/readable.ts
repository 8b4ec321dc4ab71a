import { readSections } from '../wire/sectioned-text.ts';
import { visible } from './escape.ts';
import { cut, wrap } from './width.ts';

/** What a step said as one reads it in a tree: without the marks of sections and Markdown, and data on one line. */
export function readable(text: string, width: number): string[] {
  const said = readSections(text, '')?.text ?? text;
  const plain = visible(said)
    .replaceAll(/^\s*(?:`{3}|~{3}).*\n?/gm, '')
    .replaceAll(/^#{1,6}\s+(.*?):?\s*\n+(?=\S)/gm, '$1: ')
    .replaceAll(/\*\*(.+?)\*\*/g, '$1')
    .trim();
  return plain
    .split('\n')
    .filter((line) => line.trim() !== '')
    .flatMap((line) => (isData(line) ? [cut(line.trim(), width)] : wrap(line, width)));
}

/** Nobody reads JSON to its end in a tree. */
function isData(line: string): boolean {
  return /^\s*(?:[\w ]{1,40}: )?[[{]["[{\]}]/.test(line);
}
