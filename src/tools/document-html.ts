import type { Block } from './document-block.ts';

const dividing =
  /^(address|article|aside|blockquote|body|br|dd|div|dl|dt|figcaption|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|td|th|title|tr|ul)$/;
const silent = /^(script|style|noscript|template|svg)$/;

/**
 * The words of a page, one block for each of its paragraphs and headings, without what is never shown. It goes through the
 * text once and never back, so a page made to be slow is not.
 */
export function htmlBlocks(html: string): Block[] {
  const blocks: Block[] = [];
  let [text, line, from, to, level] = ['', 1, 1, 1, 0];
  const close = (): void => {
    const words = decode(text.replaceAll(/\s+/g, ' ').trim());
    if (words !== '') blocks.push({ text: words, from, to, ...(level > 0 && { level }) });
    [text, level] = ['', 0];
  };
  const hear = (piece: string): void => {
    if (piece.trim() !== '') {
      if (text.trim() === '') from = line + newlines(piece.slice(0, piece.length - piece.trimStart().length));
      to = line + newlines(piece.trimEnd());
    }
    text += piece;
  };
  for (let at = 0; at < html.length;) {
    const next = tagAt(html, at);
    hear(html.slice(at, next.start));
    line += newlines(html.slice(at, next.end));
    at = next.end;
    if (!dividing.test(next.name)) continue;
    close();
    if (!next.isEnd && /^(h[1-6]|title)$/.test(next.name))
      level = next.name === 'title' ? 1 : Number(next.name[1]);
  }
  close();
  return blocks;
}

interface Tag {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  readonly isEnd: boolean;
}

// The next tag from here on, or comment, or thing that is never shown; its end is where reading goes on.
function tagAt(html: string, at: number): Tag {
  const open = /<(?=[a-z/!?])/gi;
  open.lastIndex = at;
  const start = open.exec(html)?.index ?? html.length;
  if (html.startsWith('<!--', start))
    return { start, end: after(html, '-->', start + 4), name: '', isEnd: false };
  const [, slash = '', name = ''] =
    /^<(\/?)([a-z][a-z0-9]{0,20})?/i.exec(html.slice(start, start + 24)) ?? [];
  const lower = name.toLowerCase();
  const end = after(html, '>', start);
  if (slash !== '' || !silent.test(lower)) return { start, end, name: lower, isEnd: slash !== '' };
  const closing = new RegExp(`</${lower}`, 'gi');
  closing.lastIndex = end;
  const closed = closing.exec(html)?.index;
  return {
    start,
    end: closed === undefined ? html.length : after(html, '>', closed),
    name: '',
    isEnd: false,
  };
}

function after(html: string, mark: string, from: number): number {
  const at = html.indexOf(mark, from);
  return at === -1 ? html.length : at + mark.length;
}

function newlines(text: string): number {
  return text.split('\n').length - 1;
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  copy: '©',
  gt: '>',
  hellip: '…',
  laquo: '«',
  ldquo: '“',
  lsquo: '‘',
  lt: '<',
  mdash: '—',
  nbsp: ' ',
  ndash: '–',
  quot: '"',
  raquo: '»',
  rdquo: '”',
  rsquo: '’',
};

function decode(text: string): string {
  return text.replaceAll(
    /&(#?\w{2,8});/g,
    (whole, name: string) => entities[name] ?? characterOf(name) ?? whole,
  );
}

function characterOf(name: string): string | undefined {
  const [, hex, decimal] = /^#(?:x([0-9a-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : undefined;
}
