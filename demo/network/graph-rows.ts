import type { DatabaseSync } from 'node:sqlite';
import { RunError } from '../../src/index.ts';
import { listed, type GraphEdge } from './found.ts';
import { runQuery, type Row } from './queried.ts';

export function unknownLink(database: DatabaseSync, link: string): RunError {
  const [, from] = link.split('-');
  const near = runQuery(
    database,
    'SELECT id FROM links WHERE from_site = :from OR to_site = :from ORDER BY id',
    { from: from ?? '' },
  ).rows;
  const known = near.length > 0 ? near : runQuery(database, 'SELECT id FROM links ORDER BY id LIMIT 5').rows;
  return new RunError(
    'unknown',
    `There is no link ${link}; there are ${listed(known.map((row) => text(row, 'id')))}.`,
  );
}

export function edge(source: string, target: string, label: string): GraphEdge {
  return { id: `${source} ${label} ${target}`, source, target, label };
}

export function distinct(rows: readonly Row[], name: string): Row[] {
  return [...new Map(rows.filter((row) => row[name] !== null).map((row) => [row[name], row])).values()];
}

export function pick(row: Row, ...names: readonly string[]): Row {
  return Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
}

export function text(row: Row, name: string): string {
  return String(row[name] ?? '');
}
