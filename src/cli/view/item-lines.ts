import type { Item, Json } from '../../run/values.ts';
import { visibleLine } from '../terminal/escape.ts';
import type { Line } from '../terminal/line.ts';
import { cut, widthOf } from '../terminal/width.ts';

/** What hangs on a step, a line each; of a table also its first rows. */
export function itemLines(
  item: Item,
  { width, rows }: { readonly width: number; readonly rows: number },
): Line[] {
  const head: Line = [[`+ ${nameOf(item)}`, 'dim']];
  if (item.kind !== 'visualization' || item.shape !== 'table') return [head];
  return [
    head,
    ...tableLines(item.data, { width: width - 2, rows }).map((line): Line => [[`  ${line}`, 'dim']]),
  ];
}

function nameOf(item: Item): string {
  switch (item.kind) {
    case 'attachment':
      return visibleLine(item.attachment.title ?? item.attachment.url ?? item.attachment.type);
    case 'visualization':
      return `${item.shape}${aboutOf(item)}`;
    case 'citation':
      return visibleLine(item.url === undefined ? item.title : `${item.title} ${item.url}`);
    case 'action':
      return visibleLine(item.name);
  }
}

function aboutOf({ shape, data }: Extract<Item, { kind: 'visualization' }>): string {
  switch (shape) {
    case 'graph': {
      const [nodes, edges, rows] = ['nodes', 'edges', 'data'].map((name) => listIn(data, name).length);
      return nodes
        ? `: ${count(nodes, 'node')}, ${count(edges ?? 0, 'edge')}`
        : `: ${count(rows ?? 0, 'row')}`;
    }
    case 'table':
      return `: ${count(listIn(data, 'rows').length, 'row')}`;
    case 'documents': {
      const hits = listIn(data, 'searchHits').length;
      return hits === 0 ? '' : `: ${count(hits, 'passage')}`;
    }
    case 'chart':
      return chartAbout(data);
  }
}

/** The shape of the values is what a line of text can show of a chart. */
function chartAbout(data: Json): string {
  const [first] = listIn(data, 'data');
  const values = listIn(first, 'y').filter((value) => typeof value === 'number');
  const title = fieldOf(fieldOf(fieldOf(data, 'layout'), 'title'), 'text');
  const name = typeof title === 'string' ? `: ${visibleLine(title)}` : '';
  if (values.length === 0 || values.length > 60) return name;
  const high = Math.max(...values.map(Math.abs)) || 1;
  const bars = values.map((value) => '▁▂▃▄▅▆▇█'[Math.round((Math.abs(value) / high) * 7)] ?? '▁');
  return `${name} ${bars.join('')}`;
}

/** The first rows below their names, as many columns as fit. Numbers stand below each other. */
function tableLines(data: Json, { width, rows: most }: { width: number; rows: number }): string[] {
  const all = listIn(data, 'rows');
  const names = listIn(data, 'columns').map((column) => cellOf(fieldOf(column, 'name') ?? column));
  const shown = all.slice(0, most);
  if (shown.length === 0 || names.length === 0) return [];
  const cells = [names, ...shown.map((row) => names.map((name) => cellOf(fieldOf(row, name) ?? null)))];
  const widths = names.map((_, i) => Math.max(...cells.map((row) => widthOf(row[i] ?? ''))));
  const isNumber = names.map((name) => shown.every((row) => typeof fieldOf(row, name) !== 'string'));
  const lines = cells.map((row) => {
    const line = row
      .map((cell, i) => pad(cell, { to: widths[i] ?? 0, isRight: isNumber[i] ?? false }))
      .join('  ');
    return cut(line.trimEnd(), width);
  });
  return all.length > most ? [...lines, `… ${count(all.length - most, 'more row')}`] : lines;
}

const widest = 28;

function cellOf(value: Json): string {
  return cut(
    value === null ? '' : visibleLine(typeof value === 'string' ? value : JSON.stringify(value)),
    widest,
  );
}

function pad(text: string, { to, isRight }: { readonly to: number; readonly isRight: boolean }): string {
  const space = ' '.repeat(Math.max(0, to - widthOf(text)));
  return isRight ? space + text : text + space;
}

export function count(number: number, word: string): string {
  return `${number} ${number === 1 ? word : `${word}s`}`;
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isObject && Object.hasOwn(value, name) ? (value as Readonly<Record<string, Json>>)[name] : undefined;
}

function listIn(value: Json | undefined, name: string): readonly Json[] {
  const found = fieldOf(value, name);
  return Array.isArray(found) ? found : [];
}
