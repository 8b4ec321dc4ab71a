import { DatabaseSync } from 'node:sqlite';
import type { Backbone } from './backbone.ts';
import type { Sample } from './telemetry.ts';
import type { Ticket } from './tickets.ts';

const schema = `
  CREATE TABLE sites (code TEXT PRIMARY KEY, name TEXT, state TEXT, latitude REAL, longitude REAL);
  CREATE TABLE routers (id TEXT PRIMARY KEY, site TEXT REFERENCES sites, model TEXT, software TEXT);
  CREATE TABLE links (
    id TEXT PRIMARY KEY, from_site TEXT REFERENCES sites, to_site TEXT REFERENCES sites, kind TEXT, kilometres INTEGER,
    gigabits INTEGER, status TEXT, cause TEXT, carrier TEXT
  );
  CREATE TABLE paths (id TEXT PRIMARY KEY, from_site TEXT, to_site TEXT, role TEXT, kilometres INTEGER);
  CREATE TABLE path_links (path TEXT REFERENCES paths, place INTEGER, link TEXT REFERENCES links, PRIMARY KEY (path, place));
  CREATE INDEX path_links_by_link ON path_links (link);
  CREATE TABLE services (
    id TEXT PRIMARY KEY, name TEXT, customer TEXT, kind TEXT, priority TEXT, people INTEGER,
    primary_path TEXT REFERENCES paths, backup_path TEXT REFERENCES paths
  );
  CREATE TABLE telemetry (
    link TEXT REFERENCES links, at TEXT, utilisation_percent REAL, latency_ms REAL, loss_percent REAL, optical_dbm REAL,
    PRIMARY KEY (link, at)
  );
  CREATE TABLE tickets (
    id TEXT PRIMARY KEY, opened TEXT, hours REAL, severity INTEGER, link TEXT REFERENCES links, site TEXT, cause TEXT,
    summary TEXT, resolution TEXT
  );
`;

export interface NetworkData {
  readonly backbone: Backbone;
  readonly samples: readonly Sample[];
  readonly tickets: readonly Ticket[];
}

type TableRow = Readonly<Record<string, string | number | null>>;

/** The network as tables, so that the agents' queries are real ones. */
export function networkDatabase(data: NetworkData): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(`${schema}; BEGIN`);
  for (const [table, rows] of Object.entries(tablesOf(data))) {
    const names = Object.keys(rows[0] ?? {});
    const insert = database.prepare(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`,
    );
    for (const row of rows) insert.run(row);
  }
  database.exec('COMMIT');
  return database;
}

function tablesOf({
  backbone,
  samples,
  tickets,
}: NetworkData): Readonly<Record<string, readonly TableRow[]>> {
  const { sites, routers, links, paths, services } = backbone;
  const ends = ({ from, to }: { readonly from: string; readonly to: string }): TableRow => ({
    from_site: from,
    to_site: to,
  });
  return {
    sites: sites.map(({ code, name, state, latitude, longitude }) => ({
      code,
      name,
      state,
      latitude,
      longitude,
    })),
    routers: routers.map((router) => ({ ...router })),
    links: links.map(({ from, to, ...link }) => ({ ...link, ...ends({ from, to }) })),
    paths: paths.map(({ id, from, to, role, kilometres }) => ({
      id,
      ...ends({ from, to }),
      role,
      kilometres,
    })),
    path_links: paths.flatMap(({ id, links: way }) => way.map((link, place) => ({ path: id, place, link }))),
    services: services.map(({ primary, backup, ...service }) => ({
      ...service,
      primary_path: primary,
      backup_path: backup,
    })),
    telemetry: samples.map((sample) => ({ ...sample })),
    tickets: tickets.map((ticket) => ({ ...ticket })),
  };
}
