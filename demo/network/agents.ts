import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { functionTool, type Tool, type ToolContext } from '../../src/index.ts';
import type { Backbone } from './backbone.ts';
import { dependentPaths } from './dependencies.ts';
import type { Found } from './found.ts';
import { readRunbook, runbookSearch, ticketSearch } from './knowledge-queries.ts';
import { servicesAtRisk } from './risk.ts';
import { linkTelemetry, metrics, rankLinks, siteTelemetry } from './telemetry-queries.ts';
import { listLinks, routeBetween, siteTopology } from './topology-queries.ts';

/** An agent of the operations centre: what it says of itself, and what it can look up. */
export interface NetworkAgent {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly Tool[];
  /** What it does cannot be taken back. */
  readonly isAction?: boolean;
}

export interface Knowledge {
  readonly backbone: Backbone;
  readonly database: DatabaseSync;
  /** The folder of the runbooks. */
  readonly runbooks: string;
}

export function networkAgents(knowledge: Knowledge): NetworkAgent[] {
  return [
    graphExplorer(knowledge),
    telemetryAgent(knowledge),
    runbookAgent(knowledge),
    ticketAgent(knowledge),
  ];
}

const linkId = z
  .string()
  .transform((id) => id.toUpperCase())
  .describe('The id of a link, such as LINK-SYD-MEL-FIBRE-01.');

/** Codes only, with the names in the description, so that any model can go from a city to its code. */
function siteCode({ sites }: Backbone) {
  const names = sites.map(({ code, name }) => `${code} ${name}`).join(', ');
  return z.enum(sites.map(({ code }) => code)).describe(`The code of a site: ${names}.`);
}

function graphExplorer({ backbone, database }: Knowledge): NetworkAgent {
  const site = siteCode(backbone);
  return {
    name: 'GraphExplorerAgent',
    description:
      'Knows the topology as a graph: sites, routers, links, MPLS paths, and which services depend on them.',
    tools: [
      look({
        name: 'dependent_paths',
        description: 'Which MPLS paths and services depend on a link.',
        input: z.strictObject({ link: linkId }),
        run: ({ link }) => dependentPaths(database, link),
      }),
      look({
        name: 'services_at_risk',
        description:
          'Which services suffer from links that are not up, or would if a link or a whole site failed.',
        input: z.strictObject({ link: linkId.optional(), site: site.optional() }),
        run: (failing) => servicesAtRisk(database, failing),
      }),
      look({
        name: 'site_topology',
        description: 'The routers, links and neighbours of a site.',
        input: z.strictObject({ site }),
        run: (input) => siteTopology(database, input.site),
      }),
      look({
        name: 'route_between',
        description: 'The shortest way between two sites.',
        input: z.strictObject({ from: site, to: site }),
        run: ({ from, to }) => routeBetween(database, from, to),
      }),
      look({
        name: 'list_links',
        description: 'Links, all or those of one status.',
        input: z.strictObject({ status: z.enum(['up', 'degraded', 'down']).optional() }),
        run: ({ status }) => listLinks(database, status),
      }),
    ],
  };
}

function telemetryAgent({ backbone, database }: Knowledge): NetworkAgent {
  return {
    name: 'TelemetryAgent',
    description:
      'Telemetry of the links as tables: utilisation, latency, loss and optical power of the last 24 hours.',
    tools: [
      look({
        name: 'link_telemetry',
        description: 'A day of one link, hour by hour.',
        input: z.strictObject({ link: linkId }),
        run: ({ link }) => linkTelemetry(database, link),
      }),
      look({
        name: 'site_telemetry',
        description: 'The latest measurements of the links of a site.',
        input: z.strictObject({ site: siteCode(backbone) }),
        run: ({ site }) => siteTelemetry(database, site),
      }),
      look({
        name: 'rank_links',
        description: 'The links that do worst by one measure over the last hour.',
        input: z.strictObject({ metric: z.enum(metrics), limit: z.int().min(1).max(20).default(5) }),
        run: ({ metric, limit }) => rankLinks(database, metric, limit),
      }),
    ],
  };
}

function runbookAgent({ runbooks }: Knowledge): NetworkAgent {
  const search = runbookSearch(runbooks);
  return {
    name: 'RunbookKBAgent',
    description: 'Runbooks of the operations centre: procedures for failures, quoted with citations.',
    tools: [
      look({
        name: 'search_runbooks',
        description: 'Passages of runbooks about some words.',
        input: z.strictObject({ query: z.string().min(1).max(500) }),
        run: ({ query }, context) => search(query, context),
      }),
      look({
        name: 'read_runbook',
        description: 'One runbook whole, by its id such as RB-001.',
        input: z.strictObject({ runbook: z.string().regex(/^rb-\d{3}$/i) }),
        run: ({ runbook }) => readRunbook(runbooks, runbook),
      }),
    ],
  };
}

function ticketAgent({ backbone, database }: Knowledge): NetworkAgent {
  const search = ticketSearch(database);
  const site = siteCode(backbone).optional();
  return {
    name: 'HistoricalTicketAgent',
    description:
      'Incident tickets of the past two years: what failed before, why, and how it was repaired, with citations.',
    tools: [
      look({
        name: 'search_tickets',
        description: 'Old tickets about some words, and about a link or a site if one is given.',
        input: z.strictObject({ query: z.string().min(1).max(500), link: linkId.optional(), site }),
        run: (wanted) => search(wanted),
      }),
    ],
  };
}

type Look<Input extends z.ZodType> = {
  readonly name: string;
  readonly description: string;
  readonly input: Input;
  readonly run: (input: z.output<Input>, context: ToolContext) => Found | Promise<Found>;
};

/** A tool that only looks something up. */
function look<Input extends z.ZodType>(options: Look<Input>): Tool {
  return functionTool({ effect: 'pure', ...options });
}
