import type { DatabaseSync } from 'node:sqlite';
import { RunError } from '../../src/index.ts';
import { listed, plural, tableOf, type Found } from './found.ts';
import { runQuery } from './queried.ts';

export const metrics = ['utilisation_percent', 'latency_ms', 'loss_percent', 'optical_dbm'] as const;
export type Metric = (typeof metrics)[number];

const units: Readonly<Record<Metric, readonly [string, string]>> = {
  utilisation_percent: ['utilisation', '%'],
  latency_ms: ['latency', ' ms'],
  loss_percent: ['loss', '%'],
  optical_dbm: ['optical power', ' dBm'],
};

/** A day of one link, hour by hour. */
export function linkTelemetry(database: DatabaseSync, link: string): Found {
  const found = runQuery(
    database,
    `SELECT substr(at, 1, 13) || ':00Z' AS hour,
       avg(utilisation_percent) AS utilisation_percent, max(utilisation_percent) AS peak_percent,
       avg(latency_ms) AS latency_ms, max(loss_percent) AS loss_percent, min(optical_dbm) AS optical_dbm
     FROM telemetry WHERE link = :link GROUP BY hour ORDER BY hour`,
    { link },
  );
  if (found.rows.length === 0) throw new RunError('unknown', `There is no telemetry of ${link}.`);
  const [sum] = runQuery(
    database,
    `SELECT avg(utilisation_percent) AS average, max(utilisation_percent) AS peak, max(loss_percent) AS loss,
       min(CASE WHEN loss_percent >= 50 THEN at END) AS lost
     FROM telemetry WHERE link = :link`,
    { link },
  ).rows;
  const [last] = runQuery(database, 'SELECT * FROM telemetry WHERE link = :link ORDER BY at DESC LIMIT 1', {
    link,
  }).rows;
  const gone = sum?.['lost'] ? ` It has carried nothing since ${clock(sum['lost'])}.` : '';
  const finding =
    `In the last 24 hours ${link} carried ${sum?.['average']}% on average and ${sum?.['peak']}% at its peak; the highest loss was ${sum?.['loss']}%. ` +
    `At ${clock(last?.['at'])} it stood at ${last?.['utilisation_percent']}% utilisation, ${last?.['latency_ms']} ms, ${last?.['loss_percent']}% loss and ${last?.['optical_dbm']} dBm.${gone}`;
  return { query: found.query, results: tableOf(found), finding };
}

/** A time as people write it. */
function clock(at: string | number | null | undefined): string {
  return `${String(at).slice(11, 16)} UTC`;
}

/** The latest measurements of all links of a site. */
export function siteTelemetry(database: DatabaseSync, site: string): Found {
  const found = runQuery(
    database,
    `SELECT t.link, l.status, t.utilisation_percent, t.latency_ms, t.loss_percent, t.optical_dbm
     FROM telemetry t JOIN links l ON l.id = t.link
     WHERE :site IN (l.from_site, l.to_site) AND t.at = (SELECT max(at) FROM telemetry)
     ORDER BY t.utilisation_percent DESC, t.link`,
    { site },
  );
  const [busiest] = found.rows;
  const troubled = found.rows
    .filter(({ status }) => status !== 'up')
    .map(({ link, status }) => `${link} (${status})`);
  const finding =
    `${site} has ${plural(found.rows.length, 'link')}; the busiest is ${busiest?.['link']} at ${busiest?.['utilisation_percent']}%. ` +
    (troubled.length === 0 ? 'All of them are up.' : `Not up: ${listed(troubled)}.`);
  return { query: found.query, results: tableOf(found), finding };
}

/** The links that do worst by one measure, over the last hour. */
export function rankLinks(database: DatabaseSync, metric: Metric, limit: number): Found {
  // Optical power is worse the lower it is.
  const order = metric === 'optical_dbm' ? 'ASC' : 'DESC';
  const found = runQuery(
    database,
    `SELECT t.link, l.status, round(avg(t.${metric}), 2) AS ${metric}, max(t.loss_percent) AS highest_loss
     FROM telemetry t JOIN links l ON l.id = t.link
     WHERE t.at > (SELECT strftime('%Y-%m-%dT%H:%M:%fZ', max(at), '-1 hour') FROM telemetry)
     GROUP BY t.link ORDER BY ${metric} ${order}, t.link LIMIT :limit`,
    { limit },
  );
  const [name, unit] = units[metric];
  const rows = found.rows.map((row) => `${row['link']} (${row[metric]}${unit}, ${row['status']})`);
  return {
    query: found.query,
    results: tableOf(found),
    finding: `By ${name} over the last hour these links do worst: ${listed(rows, 20)}.`,
  };
}
