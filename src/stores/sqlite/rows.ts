import type { DatabaseSync, SQLInputValue } from 'node:sqlite';

/** A prepared question. Our own schema is the only place its rows come from, so their shape is known. */
export interface Query<Row> {
  one(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): readonly Row[];
  each(...values: SQLInputValue[]): Iterable<Row>;
}

export function query<Row>(database: DatabaseSync, sql: string): Query<Row> {
  const statement = database.prepare(sql);
  return {
    one: (...values) => statement.get(...values) as Row | undefined,
    all: (...values) => statement.all(...values) as Row[],
    each: (...values) => statement.iterate(...values) as Iterable<Row>,
  };
}

export function change(database: DatabaseSync, sql: string): (...values: SQLInputValue[]) => void {
  const statement = database.prepare(sql);
  return (...values) => void statement.run(...values);
}
