import { cut } from '../preferences/cut.ts';

/** The longest block, in characters: no more than this is sent again when more text comes. */
const longest = 1_200;

/**
 * Where the first block of a text ends, or 0 while it has not: after a paragraph, or where it gets too long. It depends on
 * how the text begins and on nothing else, so that text in pieces has the same blocks as all of it.
 */
export function blockEnd(text: string): number {
  const head = text.slice(0, longest);
  let isCode = false;
  for (let at = 0; ;) {
    const line = head.indexOf('\n', at);
    if (line < 0) break;
    if (head.startsWith('```', at)) isCode = !isCode;
    if (!isCode && head[line + 1] === '\n') return line + 2;
    at = line + 1;
  }
  if (text.length < longest) return 0;
  const space = head.lastIndexOf(' ');
  return space > longest / 2 ? space + 1 : cut(text, longest).length;
}

export function blocksOf(text: string): string[] {
  const blocks: string[] = [];
  let rest = text;
  for (let end = blockEnd(rest); end > 0; end = blockEnd(rest)) {
    blocks.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return rest === '' ? blocks : [...blocks, rest];
}
