import type { Block } from './block.ts';
import { htmlBlocks } from './html.ts';

/** What a document says, in order. */
export function blocksOf(path: string, text: string): Block[] {
  return /\.html?$/i.test(path) ? htmlBlocks(text) : markdownBlocks(text);
}

/** Whether a file is one of those that are searched. */
export function isDocument(path: string): boolean {
  return /\.(md|markdown|mdx|txt|text|rst|html?)$/i.test(path);
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
