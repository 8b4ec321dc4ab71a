import { expect, test } from 'vitest';
import { asCsv, asTabs } from './save.ts';
import type { TableData } from './shapes.ts';

const table: TableData = {
  columns: [
    { name: 'name', isNumber: false },
    { name: 'n', isNumber: true },
  ],
  rows: [
    ['a "quoted", b\nc', 1],
    ['=HYPERLINK("http://x")', -2],
    [null, 3.5],
  ],
};

test('[W6] a table that is taken along is quoted, and no cell of it is a formula', () => {
  expect(asCsv(table).split('\r\n')).toEqual([
    'name,n',
    '"a ""quoted"", b\nc",1',
    `"'=HYPERLINK(""http://x"")",-2`,
    ',3.5',
  ]);
  expect(asTabs(table).split('\n')).toEqual([
    'name\tn',
    'a "quoted", b c\t1',
    '=HYPERLINK("http://x")\t-2',
    '\t3.5',
  ]);
});
