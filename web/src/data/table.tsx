import {
  columnFilteringFeature,
  createFilteredRowModel,
  createSortedRowModel,
  filterFn_includesString,
  globalFilteringFeature,
  rowSortingFeature,
  sortFn_alphanumeric,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { Copy, Download, Search } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { visible } from '../../../src/run/visible.ts';
import type { Json } from '../../../src/run/values.ts';
import { formatIn } from '../format.ts';
import { useLanguage, useTexts } from '../texts/texts.ts';
import { asCsv, asTabs, save } from './save.ts';
import type { TableData } from './shapes.ts';

const features = tableFeatures({
  columnFilteringFeature,
  globalFilteringFeature,
  rowSortingFeature,
  filteredRowModel: createFilteredRowModel(),
  sortedRowModel: createSortedRowModel(),
  filterFns: { includesString: filterFn_includesString },
  sortFns: { alphanumeric: sortFn_alphanumeric },
});
type Row = readonly Json[];

interface TableProps {
  readonly table: TableData;
  readonly title: string;
  /** The most rows to show at first. */
  readonly shown: number;
  readonly children?: ReactNode;
}

/** A table that can be sorted, filtered, copied and taken along. */
export function Table({ table: data, title, shown, children }: TableProps): ReactNode {
  const t = useTexts();
  const [most, setMost] = useState(shown);
  const table = useRows(data);
  const { rows } = table.getRowModel();
  const all = data.rows.length;
  return (
    <>
      <header>
        <h3 className="cut">{visible(title)}</h3>
        <span className="quiet num">
          {rows.length === all ? t.data.rows(all) : t.data.shownRows(rows.length, all)}
        </span>
        <span className="figure-tools">
          {children}
          <Filter table={table} />
          <TakeAlong
            title={title}
            current={() => ({ ...data, rows: rows.map(({ original }) => original) })}
          />
        </span>
      </header>
      <div className="scroll" tabIndex={0} role="region" aria-label={visible(title)}>
        <Grid data={data} table={table} most={most} />
      </div>
      {rows.length > most && (
        <button type="button" className="button ghost small figure-more" onClick={() => setMost(most + 200)}>
          {t.data.more(rows.length - most)}
        </button>
      )}
    </>
  );
}

function Grid({
  data,
  table,
  most,
}: {
  readonly data: TableData;
  readonly table: ReturnType<typeof useRows>;
  readonly most: number;
}): ReactNode {
  return (
    <table>
      <thead>
        <tr>
          {table.getFlatHeaders().map(({ column, id }, i) => (
            <Head
              key={id}
              column={data.columns[i]}
              sorted={column.getIsSorted()}
              sort={column.getToggleSortingHandler()}
            />
          ))}
        </tr>
      </thead>
      <tbody>
        {table
          .getRowModel()
          .rows.slice(0, most)
          .map(({ id, original }) => (
            <tr key={id}>
              {original.map((value, i) => (
                <Cell key={i} value={value} isNumber={data.columns[i]?.isNumber === true} />
              ))}
            </tr>
          ))}
      </tbody>
    </table>
  );
}

function useRows(data: TableData) {
  const columns = useMemo(() => columnsOf(data), [data]);
  return useTable({
    features,
    columns,
    data: data.rows as Row[],
    globalFilterFn: 'includesString',
    getColumnCanGlobalFilter: () => true,
    enableSortingRemoval: true,
  });
}

function Filter({ table }: { readonly table: ReturnType<typeof useRows> }): ReactNode {
  const t = useTexts();
  const [isOpen, setOpen] = useState(false);
  if (!isOpen)
    return (
      <button type="button" className="button ghost small" onClick={() => setOpen(true)}>
        <Search className="icon small" aria-hidden />
        {t.data.filter}
      </button>
    );
  return (
    <label className="search">
      <Search className="icon small" aria-hidden />
      <input
        autoFocus
        aria-label={t.data.filter}
        value={String(table.state.globalFilter ?? '')}
        onChange={(event) => table.setGlobalFilter(event.target.value)}
      />
    </label>
  );
}

function TakeAlong({
  title,
  current,
}: {
  readonly title: string;
  readonly current: () => TableData;
}): ReactNode {
  const t = useTexts();
  return (
    <>
      <button
        type="button"
        className="button ghost small square"
        aria-label={t.data.copy}
        onClick={() => void navigator.clipboard.writeText(asTabs(current()))}
      >
        <Copy className="icon" aria-hidden />
      </button>
      <button
        type="button"
        className="button ghost small square"
        aria-label={t.data.download}
        onClick={() => save(`${title || 'table'}.csv`, 'text/csv', asCsv(current()))}
      >
        <Download className="icon" aria-hidden />
      </button>
    </>
  );
}

const sorts = { asc: 'ascending', desc: 'descending' } as const;
const arrows = { asc: ' ↑', desc: ' ↓' } as const;

function Head({
  column,
  sorted,
  sort,
}: {
  readonly column: TableData['columns'][number] | undefined;
  readonly sorted: false | 'asc' | 'desc';
  readonly sort: ((event: unknown) => void) | undefined;
}): ReactNode {
  return (
    <th
      className={column?.isNumber === true ? 'number' : ''}
      aria-sort={sorted === false ? 'none' : sorts[sorted]}
    >
      <button type="button" onClick={sort}>
        {visible(column?.name ?? '').replaceAll('_', ' ')}
        <span aria-hidden>{sorted === false ? '' : arrows[sorted]}</span>
      </button>
    </th>
  );
}

function columnsOf({ columns }: TableData): ColumnDef<typeof features, Row>[] {
  return columns.map(({ name, isNumber }, i) => ({
    id: `${i}`,
    header: name,
    accessorFn: (row: Row) => (isNumber ? row[i] : textOf(row[i] ?? null)),
    ...(isNumber ? {} : { sortFn: 'alphanumeric' as const }),
  }));
}

/** Names that programs have are easier to tell apart in letters of one width. */
const code = /^[A-Z][\w]*-[\w-]+$|^\d{4}-\d\d-\d\d/;

function Cell({ value, isNumber }: { readonly value: Json; readonly isNumber: boolean }): ReactNode {
  const format = formatIn(useLanguage());
  if (isNumber) return <td className="number">{typeof value === 'number' ? format.count(value) : ''}</td>;
  const text = visible(textOf(value));
  return <td className={code.test(text) ? 'mono' : ''}>{text}</td>;
}

function textOf(value: Json): string {
  if (value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
