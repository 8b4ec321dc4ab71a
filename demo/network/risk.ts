import type { DatabaseSync } from 'node:sqlite';
import { graphOf, listed, plural, type Found, type GraphEdge, type Node } from './found.ts';
import { edge, pick, text, unknownLink } from './graph-rows.ts';
import { runQuery, type Queried, type Row } from './queried.ts';

/** Which links are thought to fail: one of them, all of a site, or those that are not up. */
export interface Failing {
  readonly link?: string;
  readonly site?: string;
}

/** Which services suffer when links fail. */
export function servicesAtRisk(database: DatabaseSync, failing: Failing): Found {
  const failed = conditionOf(failing);
  const values = { link: failing.link ?? '', site: failing.site ?? '' };
  const ask = (sql: string): Queried => runQuery(database, sql, values);
  const broken = ask(`SELECT id, status, cause FROM links WHERE ${failed} ORDER BY id`).rows;
  if (broken.length === 0 && failing.link !== undefined) throw unknownLink(database, failing.link);
  const found = ask(
    `WITH failed AS (SELECT id FROM links WHERE ${failed}),
     broken AS (SELECT DISTINCT path FROM path_links WHERE link IN failed)
     SELECT s.id AS service, s.name, s.kind, s.priority, s.people, s.primary_path, s.backup_path,
       CASE WHEN s.primary_path NOT IN broken THEN 'backup lost'
            WHEN s.backup_path IS NULL OR s.backup_path IN broken THEN 'lost'
            ELSE 'on backup' END AS state
     FROM services s
     WHERE s.primary_path IN broken OR s.backup_path IN broken
     ORDER BY CASE state WHEN 'lost' THEN 0 WHEN 'on backup' THEN 1 ELSE 2 END,
       CASE s.priority WHEN 'gold' THEN 0 WHEN 'silver' THEN 1 ELSE 2 END, s.id`,
  );
  const over = ask(
    `SELECT path, link FROM path_links WHERE link IN (SELECT id FROM links WHERE ${failed})`,
  ).rows;
  return {
    query: found.query,
    results: graphOf(found, nodesOf(broken, found.rows), edgesOf(over, found.rows)),
    finding: riskFinding(broken, found.rows),
  };
}

function conditionOf({ link, site }: Failing): string {
  if (link !== undefined) return 'id = :link';
  return site === undefined ? "status <> 'up'" : ':site IN (from_site, to_site)';
}

function nodesOf(broken: readonly Row[], services: readonly Row[]): Node[] {
  return [
    ...broken.map((row) => ({
      id: text(row, 'id'),
      label: 'Link',
      properties: pick(row, 'status', 'cause'),
    })),
    ...services.map((row) => ({
      id: text(row, 'service'),
      label: 'Service',
      properties: pick(row, 'state', 'priority', 'people'),
    })),
    ...services.flatMap((row) => pathNodes(row)),
  ];
}

function edgesOf(over: readonly Row[], services: readonly Row[]): GraphEdge[] {
  return [
    ...over.map((row) => edge(text(row, 'path'), text(row, 'link'), 'RUNS_OVER')),
    ...services.flatMap((row) => [
      edge(text(row, 'service'), text(row, 'primary_path'), 'DEPENDS_ON'),
      edge(text(row, 'service'), text(row, 'backup_path'), 'PROTECTED_BY'),
    ]),
  ];
}

function pathNodes(row: Row): Node[] {
  return ['primary_path', 'backup_path'].flatMap((name) =>
    row[name] === null ? [] : [{ id: text(row, name), label: 'MPLSPath', properties: {} }],
  );
}

function riskFinding(broken: readonly Row[], services: readonly Row[]): string {
  const links = broken.map((row) =>
    text(row, 'cause') === ''
      ? text(row, 'id')
      : `${text(row, 'id')} (${text(row, 'status')}, ${text(row, 'cause')})`,
  );
  if (links.length === 0) return 'Every link is up, so no service is at risk.';
  const [lost, moved, bare] = ['lost', 'on backup', 'backup lost'].map((state) =>
    services.filter((row) => row['state'] === state),
  );
  const people = (lost ?? []).reduce((sum, row) => sum + Number(row['people']), 0);
  const names = (rows: readonly Row[] | undefined): string =>
    listed(
      (rows ?? []).map((row) => `${text(row, 'service')} (${text(row, 'priority')})`),
      6,
    );
  const sentences = [
    `With ${listed(links, 12)} out of order, ${plural(services.length, 'service')} ${services.length === 1 ? 'is' : 'are'} at risk.`,
    lost?.length
      ? `${plural(lost.length, 'service')} lost, ${people.toLocaleString('en-AU')} people: ${names(lost)}.`
      : 'No service is lost.',
    moved?.length
      ? `${plural(moved.length, 'service')} on backup, one more failure away from being lost: ${names(moved)}.`
      : '',
    bare?.length ? `${plural(bare.length, 'service')} without backup: ${names(bare)}.` : '',
  ];
  return sentences.filter((sentence) => sentence !== '').join(' ');
}
