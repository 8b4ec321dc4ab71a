import type { DatabaseSync } from 'node:sqlite';

export type Row = Readonly<Record<string, string | number | null>>;

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'number';
}

/** What a query gave, with the query as anybody could run it. */
export interface Queried {
  readonly query: string;
  readonly columns: readonly Column[];
  readonly rows: readonly Row[];
}

/** Runs a query whose parameters stand in it as `:name`. */
export function runQuery(
  database: DatabaseSync,
  sql: string,
  values: Readonly<Record<string, string | number>> = {},
): Queried {
  const used = Object.fromEntries(Object.entries(values).filter(([name]) => sql.includes(`:${name}`)));
  const statement = database.prepare(sql);
  const rows = statement.all(used).map(plainRow);
  const columns = statement.columns().map(({ name }) => ({
    name,
    type: rows.some((row) => typeof row[name] === 'number') ? ('number' as const) : ('string' as const),
  }));
  return { query: written(sql, used), columns, rows };
}

function plainRow(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === 'number' ? Math.round(value * 100) / 100 : typeof value === 'string' ? value : null,
    ]),
  );
}

function written(sql: string, values: Readonly<Record<string, string | number>>): string {
  const whole = sql.replaceAll(/:(\w+)/g, (sign, name: string) => {
    const value = values[name];
    if (value === undefined) return sign;
    return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`;
  });
  return whole
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
