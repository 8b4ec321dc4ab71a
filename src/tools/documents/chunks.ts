import type { Block } from './block.ts';
import { blocksOf } from './text.ts';

/** A piece of a document that is found as a whole. */
export interface Chunk {
  readonly path: string;
  /** The document's title. */
  readonly title: string;
  /** The headings above it, without the title. */
  readonly section: string;
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

const size = 1200;

/** A document in pieces of some paragraphs each; a heading or a page begins a new one. */
export function chunksOf(path: string, text: string): Chunk[] {
  const blocks = blocksOf(path, text);
  const title = blocks.find((block) => block.level !== undefined)?.text ?? nameOf(path);
  const chunks: Chunk[] = [];
  const headings: Block[] = [];
  let waiting: Block[] = [];
  const close = (): void => {
    const [first, last] = [waiting[0], waiting.at(-1)];
    if (!first || !last) return;
    const section = headings.map((heading) => heading.text).filter((heading) => heading !== title);
    const joined = waiting.map((block) => block.text).join('\n\n');
    chunks.push({ path, title, section: section.join(' › '), text: joined, from: first.from, to: last.to });
    waiting = [];
  };
  for (const block of blocks.flatMap(pieces)) {
    const { level } = block;
    if (level !== undefined) {
      close();
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop();
      headings.push(block);
    } else if (block.isFirst || lengthOf(waiting) + block.text.length > size) close();
    waiting.push(block);
  }
  close();
  return chunks;
}

// A paragraph of many pages is cut between its words, so that what is found can be shown.
function pieces(block: Block): Block[] {
  if (block.text.length <= size) return [block];
  const cut: Block[] = [];
  let line = block.from;
  for (let at = 0; at < block.text.length;) {
    const part = partOf(block.text.slice(at, at + size), at + size >= block.text.length);
    at += part.length;
    const ends = Math.min(block.to, line + newlines(part.trimEnd()));
    if (part.trim() !== '') cut.push({ text: part.trim(), from: line, to: ends });
    line = Math.min(block.to, line + newlines(part));
  }
  return cut;
}

function partOf(text: string, isLast: boolean): string {
  if (isLast) return text;
  const space = Math.max(text.lastIndexOf('\n'), text.lastIndexOf(' '));
  if (space > size / 2) return text.slice(0, space + 1);
  return text.isWellFormed() ? text : text.slice(0, -1);
}

function lengthOf(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.text.length, 0);
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
