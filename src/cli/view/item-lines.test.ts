import { expect, test } from 'vitest';
import type { Item, Json } from '../../run/values.ts';
import { itemLines } from './item-lines.ts';
import { widthOf } from '../terminal/width.ts';

const text = (item: Item, width = 40): string[] =>
  itemLines(item, { width, rows: 2 }).map((line) => line.map(([piece]) => piece).join(''));
const drawn = (shape: 'graph' | 'table' | 'documents' | 'chart', data: Json): Item => ({
  kind: 'visualization',
  shape,
  data,
});

test('a table shows its first rows, numbers below each other, and how many more there are', () => {
  const columns = ['link', 'loss'].map((name) => ({ name, type: 'string' }));
  const rows = [
    { link: 'A-B', loss: 0.5 },
    { link: 'A-CDE', loss: 100 },
    { link: 'X', loss: null },
  ];
  expect(text(drawn('table', { columns, rows }))).toEqual([
    '+ table: 3 rows',
    '  link   loss',
    '  A-B     0.5',
    '  A-CDE   100',
    '  … 1 more row',
  ]);
});

test('however wide a table is, its lines fit', () => {
  const names = Array.from({ length: 30 }, (_, i) => `column ${i}`);
  const rows = [Object.fromEntries(names.map((name) => [name, '宽'.repeat(40)]))];
  const columns = names.map((name) => ({ name, type: 'string' }));
  for (const line of text(drawn('table', { columns, rows }), 50))
    expect(widthOf(line)).toBeLessThanOrEqual(50);
});

test.for([
  { item: drawn('graph', { nodes: [{}, {}], edges: [{}] }), says: '+ graph: 2 nodes, 1 edge' },
  { item: drawn('graph', { columns: [], data: [{}] }), says: '+ graph: 1 row' },
  { item: drawn('documents', { content: 'x', searchHits: [{}, {}] }), says: '+ documents: 2 passages' },
  { item: drawn('documents', { content: 'x' }), says: '+ documents' },
  {
    item: drawn('chart', { data: [{ y: [0, 5, 10] }], layout: { title: { text: 'Energy' } } }),
    says: '+ chart: Energy ▁▅█',
  },
  { item: drawn('chart', 'no chart at all'), says: '+ chart' },
  { item: { kind: 'citation', title: 'RB-001', url: 'https://a' } as const, says: '+ RB-001 https://a' },
  { item: { kind: 'attachment', attachment: { type: 'text/plain' } } as const, says: '+ text/plain' },
])('$says', ({ item, says }) => {
  expect(text(item)).toEqual([says]);
});
