import { marked, type Token, type Tokens } from 'marked';
import type { Line, Span, Style } from '../terminal/line.ts';
import { chop, widthOf, wrap } from '../terminal/width.ts';

/** What a parser of Markdown may be given: some texts take it longer than they are long. */
const longest = 20_000;

/**
 * An answer as a person reads it in a terminal: headings, lists and code look like such, links say where they lead. The
 * text must be fit for a terminal already. All that was written is there; of Markdown only the marks are gone.
 */
export function markdownLines(text: string, width: number): Line[] {
  const room = Math.max(20, width);
  const tokens = text.length > longest ? undefined : tokensOf(text);
  return tokens ? blocks(tokens, room) : wrap(text, room).map((line): Line => [[line]]);
}

/** Undefined for what is nested deeper than the parser can go. */
function tokensOf(text: string): readonly Token[] | undefined {
  try {
    return marked.lexer(text);
  } catch (thrown) {
    if (thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function blocks(tokens: readonly Token[], width: number): Line[] {
  const lines: Line[] = [];
  let isApart = false;
  for (const token of tokens) {
    if (token.type !== 'space') {
      // A list right below the text of an item belongs to it.
      const isTight = !isApart && (token.type === 'text' || token.type === 'list');
      if (lines.length > 0 && !isTight) lines.push([]);
      lines.push(...block(token, width));
    }
    isApart = token.raw.endsWith('\n\n');
  }
  return lines;
}

function block(token: Token, width: number): Line[] {
  switch (token.type) {
    case 'heading':
      return flow(inline(token.tokens ?? [], ['bold']), width);
    case 'paragraph':
    case 'text':
      return flow(inline(token.tokens ?? [token], []), width);
    case 'list':
      return list(token as Tokens.List, width);
    case 'code':
      return indented(
        String(token.text)
          .split('\n')
          .flatMap((line) => chop(line, width - 2))
          .map((line): Line => [[line, 'cyan']]),
        ['  ', '  '],
      );
    case 'blockquote':
      return indented(blocks(token.tokens ?? [], width - 2), ['│ ', '│ ']);
    case 'hr':
      return [[['─'.repeat(Math.min(width, 40)), 'dim']]];
    case 'table':
      return table(token as Tokens.Table, width);
    default:
      return wrap(token.raw.trimEnd(), width).map((line): Line => [[line]]);
  }
}

function list({ items, ordered, start }: Tokens.List, width: number): Line[] {
  return items.flatMap((item, i) => {
    const number = `${(start || 1) + i}. `;
    const mark = item.task ? (item.checked ? '☑ ' : '☐ ') : ordered ? number : '• ';
    const inner = blocks(
      item.tokens.filter(({ type }) => type !== 'checkbox'),
      width - mark.length,
    );
    return indented(inner.length === 0 ? [[]] : inner, [mark, ' '.repeat(mark.length)]);
  });
}

function indented(lines: readonly Line[], [first, rest]: readonly [string, string]): Line[] {
  return lines.map((line, i): Line => [[i === 0 ? first : rest], ...line]);
}

/** In columns where they fit; otherwise each row as its cells with their names. */
function table({ header, rows }: Tokens.Table, width: number): Line[] {
  const cells = [header, ...rows].map((row) => row.map(({ tokens }) => inline(tokens, [])));
  const columns = header.map((_, i) => Math.max(...cells.map((row) => lengthOf(row[i] ?? []))));
  const total = columns.reduce((sum, column) => sum + column + 2, -2);
  if (total > width) return list(listOf(header, rows), width);
  return cells.map((row, at) =>
    row.flatMap((spans, i): Span[] => {
      const styled = at === 0 ? spans.map(([text]): Span => [text, 'bold']) : spans;
      return [...styled, [' '.repeat((columns[i] ?? 0) - lengthOf(spans) + (i === row.length - 1 ? 0 : 2))]];
    }),
  );
}

function listOf(header: readonly Tokens.TableCell[], rows: readonly Tokens.TableCell[][]): Tokens.List {
  const text = rows
    .map((row) => `- ${row.map((cell, i) => `${header[i]?.text ?? ''}: ${cell.text}`).join('; ')}`)
    .join('\n');
  return (marked.lexer(text)[0] ?? marked.lexer('- ')[0]) as Tokens.List;
}

function inline(tokens: readonly Token[], styles: readonly Style[]): Span[] {
  return tokens.flatMap((token): Span[] => {
    switch (token.type) {
      case 'strong':
        return inline(token.tokens ?? [], [...styles, 'bold']);
      case 'em':
        return inline(token.tokens ?? [], [...styles, 'italic']);
      case 'del':
        return inline(token.tokens ?? [], [...styles, 'strikethrough']);
      case 'codespan':
        return [[String(token.text), ...styles, 'cyan']];
      case 'link':
        return link(token as Tokens.Link, styles);
      case 'image':
        return [[`${token.text} (${token.href})`, ...styles]];
      case 'br':
        return [['\n']];
      case 'text':
      case 'escape':
        return 'tokens' in token && token.tokens
          ? inline(token.tokens, styles)
          : [[String(token.text), ...styles]];
      default:
        return [[token.raw, ...styles]];
    }
  });
}

/** What is behind words is said beside them: a terminal has nothing to hover over. */
function link({ href, text, tokens }: Tokens.Link, styles: readonly Style[]): Span[] {
  const words = inline(tokens, [...styles, 'underline']);
  const isSaid = href === text || href === `mailto:${text}` || href === `http://${text}`;
  return isSaid ? words : [...words, [` (${href})`, ...styles, 'dim']];
}

/** Spans in lines that fit, broken at spaces and where the text breaks. */
function flow(spans: readonly Span[], width: number): Line[] {
  const lines: Span[][] = [[]];
  let used = 0;
  for (const atom of atoms(spans)) {
    if (atom === 'break') {
      lines.push([]);
      used = 0;
      continue;
    }
    const size = lengthOf(atom) - (atom.at(-1)?.[0].endsWith(' ') ? 1 : 0);
    if (used > 0 && used + size > width) {
      lines.push([]);
      used = 0;
    }
    for (const [text, ...styles] of atom) {
      const [head = '', ...more] = chop(text, width);
      lines.at(-1)?.push([head, ...styles]);
      for (const piece of more) lines.push([[piece, ...styles]]);
      used = more.length === 0 ? used + widthOf(head) : widthOf(more.at(-1) ?? '');
    }
  }
  return lines.map(trimmed);
}

/** Whoever copies the lines gets no space where one was broken. */
function trimmed(line: readonly Span[]): Line {
  const last = line.at(-1);
  if (!last) return line;
  const [text, ...styles] = last;
  return [...line.slice(0, -1), [text.trimEnd(), ...styles]];
}

/** What stays together: words, with what is written right beside them. */
function atoms(spans: readonly Span[]): (Span[] | 'break')[] {
  const all: (Span[] | 'break')[] = [];
  let current: Span[] = [];
  const close = (): void => {
    if (current.length > 0) all.push(current);
    current = [];
  };
  for (const [text, ...styles] of spans) {
    for (const piece of text.split(/(?<= )|(\n)/).filter((part) => part !== undefined && part !== '')) {
      if (piece === '\n') {
        close();
        all.push('break');
        continue;
      }
      current.push([piece, ...styles]);
      if (piece.endsWith(' ')) close();
    }
  }
  close();
  return all;
}

function lengthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, [text]) => sum + widthOf(text), 0);
}
