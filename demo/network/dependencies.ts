import type { DatabaseSync } from 'node:sqlite';
import { graphOf, listed, plural, type Found, type Node } from './found.ts';
import { distinct, edge, pick, text, unknownLink } from './graph-rows.ts';
import { runQuery } from './queried.ts';

/** Which paths run over a link, and which services over those. */
export function dependentPaths(database: DatabaseSync, link: string): Found {
  const [the] = runQuery(database, 'SELECT * FROM links WHERE id = :link', { link }).rows;
  if (!the) throw unknownLink(database, link);
  const found = runQuery(
    database,
    `SELECT p.id AS path, p.role, p.from_site, p.to_site, p.kilometres, s.id AS service, s.priority, s.people
     FROM path_links pl
     JOIN paths p ON p.id = pl.path
     LEFT JOIN services s ON s.primary_path = p.id OR s.backup_path = p.id
     WHERE pl.link = :link
     ORDER BY p.role DESC, p.id, s.id`,
    { link },
  );
  const paths = distinct(found.rows, 'path');
  const services = distinct(found.rows, 'service');
  const nodes: Node[] = [
    { id: link, label: 'Link', properties: the },
    ...paths.map((row) => ({
      id: text(row, 'path'),
      label: 'MPLSPath',
      properties: pick(row, 'role', 'from_site', 'to_site', 'kilometres'),
    })),
    ...services.map((row) => ({
      id: text(row, 'service'),
      label: 'Service',
      properties: pick(row, 'priority', 'people'),
    })),
  ];
  const edges = [
    ...paths.map((row) => edge(text(row, 'path'), link, 'RUNS_OVER')),
    ...found.rows.map((row) => edge(text(row, 'service'), text(row, 'path'), 'DEPENDS_ON')),
  ];
  const names = paths.map((row) => text(row, 'path'));
  const state = text(the, 'status') === 'up' ? 'is up' : `is ${text(the, 'status')} (${text(the, 'cause')})`;
  const finding =
    names.length === 0
      ? `${link} ${state}. No MPLS path depends on it.`
      : `${link} ${state}. ${plural(names.length, 'MPLS path')} ${names.length === 1 ? 'depends' : 'depend'} on it: ${listed(names, 60)}. ` +
        `${plural(services.length, 'service')} ${services.length === 1 ? 'uses' : 'use'} them.`;
  return { query: found.query, results: graphOf(found, nodes, edges), finding };
}
