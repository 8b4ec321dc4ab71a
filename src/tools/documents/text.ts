import type { Block } from './block.ts';
import { csvBlocks } from './csv.ts';
import { htmlBlocks } from './html.ts';

/** Stands between the pages of a document that has pages. */
export const pageBreak = '\f';

/** What a document says, in order. */
export function blocksOf(path: string, text: string): Block[] {
  if (isPdf(path)) return text.split(pageBreak).flatMap(pageBlocks);
  if (/\.html?$/i.test(path)) return htmlBlocks(text);
  return (/\.csv$/i.test(path) ? csvBlocks(text) : undefined) ?? markdownBlocks(text);
}

/** Whether a file is one of those that are searched. */
export function isDocument(path: string): boolean {
  return /\.(md|markdown|mdx|txt|text|rst|html?|csv|json|pdf)$/i.test(path);
}

export function isPdf(path: string): boolean {
  return /\.pdf$/i.test(path);
}

/** What stands on a page is found by its number. */
function pageBlocks(text: string, i: number): Block[] {
  const page = { from: i + 1, to: i + 1 };
  return markdownBlocks(text).map(({ text: said }, at) => ({ text: said, ...page, isFirst: at === 0 }));
}

// Plain text is read as Markdown: without marks, all that is left of it are paragraphs.
function markdownBlocks(text: string): Block[] {
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  let fence = '';
  const close = (line: number): void => {
    if (paragraph.length > 0)
      blocks.push({ text: paragraph.join('\n'), from: line - paragraph.length, to: line - 1 });
    paragraph = [];
  };
  const lines = text.split(/\r\n|\r|\n/);
  for (const [i, line] of lines.entries()) {
    const number = i + 1;
    const mark = /^\s{0,3}(```|~~~)/.exec(line)?.[1] ?? '';
    const heading = /^\s{0,3}(#{1,6})\s+(.*)$/.exec(line);
    if (fence !== '') {
      paragraph.push(line);
      if (mark === fence) fence = '';
    } else if (mark !== '') {
      paragraph.push(line);
      fence = mark;
    } else if (heading) {
      close(number);
      const [, marks = '#', title = ''] = heading;
      blocks.push({ text: title.replace(/[\s#]+$/, ''), from: number, to: number, level: marks.length });
    } else if (/^(=+|-+)\s*$/.test(line) && paragraph.length === 1) {
      blocks.push({
        text: paragraph.join(),
        from: number - 1,
        to: number,
        level: line.startsWith('=') ? 1 : 2,
      });
      paragraph = [];
    } else if (line.trim() === '') close(number);
    else paragraph.push(line);
  }
  close(lines.length + 1);
  return blocks;
}
