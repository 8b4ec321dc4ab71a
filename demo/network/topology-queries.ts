import type { DatabaseSync } from 'node:sqlite';
import { RunError } from '../../src/index.ts';
import { graphOf, listed, plural, type Found } from './found.ts';
import { distinct, edge, pick, text } from './graph-rows.ts';
import { runQuery } from './queried.ts';
import { shortestPath } from './shortest-path.ts';

/** What stands at a site, and where its links lead. */
export function siteTopology(database: DatabaseSync, site: string): Found {
  const routers = runQuery(
    database,
    'SELECT id, model, software FROM routers WHERE site = :site ORDER BY id',
    { site },
  ).rows;
  const found = runQuery(
    database,
    `SELECT l.id AS link, n.code AS neighbour, n.name, l.kind, l.kilometres, l.gigabits, l.status
     FROM links l
     JOIN sites n ON n.code = CASE l.from_site WHEN :site THEN l.to_site ELSE l.from_site END
     WHERE :site IN (l.from_site, l.to_site)
     ORDER BY l.id`,
    { site },
  );
  const neighbours = distinct(found.rows, 'neighbour');
  const nodes = [
    { id: site, label: 'Site', properties: {} },
    ...routers.map((row) => ({
      id: text(row, 'id'),
      label: 'Router',
      properties: pick(row, 'model', 'software'),
    })),
    ...neighbours.map((row) => ({
      id: text(row, 'neighbour'),
      label: 'Site',
      properties: pick(row, 'name'),
    })),
  ];
  const edges = [
    ...routers.map((row) => edge(text(row, 'id'), site, 'STANDS_IN')),
    ...found.rows.map((row) => ({
      id: text(row, 'link'),
      source: site,
      target: text(row, 'neighbour'),
      label: text(row, 'status'),
    })),
  ];
  const finding =
    `${site} has ${plural(routers.length, 'router')} (${listed(routers.map((row) => text(row, 'id')))}) and ${plural(found.rows.length, 'link')} ` +
    `to ${listed(neighbours.map((row) => text(row, 'name')))}: ${listed(
      found.rows.map((row) => `${text(row, 'link')} (${text(row, 'status')})`),
      20,
    )}.`;
  return { query: found.query, results: graphOf(found, nodes, edges), finding };
}

/** The shortest way between two sites over links that are up. */
export function routeBetween(database: DatabaseSync, from: string, to: string): Found {
  const up = runQuery(database, "SELECT id, from_site, to_site, kilometres FROM links WHERE status = 'up'");
  const edges = up.rows.map((row) => ({
    id: text(row, 'id'),
    from: text(row, 'from_site'),
    to: text(row, 'to_site'),
    cost: Number(row['kilometres']),
  }));
  const way = shortestPath(edges, from, to);
  if (!way) throw new RunError('unknown', `There is no way from ${from} to ${to} over links that are up.`);
  const rows = way.map(({ id, from: one, to: other, cost }, i) => ({
    hop: i + 1,
    link: id,
    from_site: one,
    to_site: other,
    kilometres: cost,
  }));
  const columns = ['hop', 'link', 'from_site', 'to_site', 'kilometres'].map((name) => ({
    name,
    type: name === 'hop' || name === 'kilometres' ? ('number' as const) : ('string' as const),
  }));
  const codes = [...new Set(way.flatMap((each) => [each.from, each.to]))];
  const nodes = codes.map((code) => ({ id: code, label: 'Site', properties: {} }));
  const query = `-- the shortest way from ${from} to ${to} by kilometres (Dijkstra) over:\n${up.query}`;
  const total = way.reduce((sum, { cost }) => sum + cost, 0);
  const drawn = way.map(({ id, from: source, to: target }) => ({ id, source, target, label: 'LINK' }));
  const finding = `The shortest way from ${from} to ${to} over links that are up has ${plural(way.length, 'hop')} and ${total.toLocaleString('en-AU')} km: ${way.map(({ id }) => id).join(', ')}.`;
  return { query, results: graphOf({ query, columns, rows }, nodes, drawn), finding };
}

export function listLinks(database: DatabaseSync, status?: string): Found {
  const found = runQuery(
    database,
    `SELECT id AS link, from_site, to_site, kind, kilometres, gigabits, status, cause FROM links
     ${status === undefined ? '' : 'WHERE status = :status'} ORDER BY id`,
    { status: status ?? '' },
  );
  const codes = [...new Set(found.rows.flatMap((row) => [text(row, 'from_site'), text(row, 'to_site')]))];
  const nodes = codes.map((code) => ({ id: code, label: 'Site', properties: {} }));
  const edges = found.rows.map((row) => ({
    id: text(row, 'link'),
    source: text(row, 'from_site'),
    target: text(row, 'to_site'),
    label: text(row, 'status'),
  }));
  const which = status === undefined ? '' : ` ${status}`;
  const names = found.rows.map((row) =>
    text(row, 'cause') === '' ? text(row, 'link') : `${text(row, 'link')} (${text(row, 'cause')})`,
  );
  const finding =
    names.length === 0
      ? `No link is${which}.`
      : `${plural(names.length, 'link')} ${names.length === 1 ? 'is' : 'are'}${which === '' ? ' known' : which}: ${listed(names, 60)}.`;
  return { query: found.query, results: graphOf(found, nodes, edges), finding };
}
