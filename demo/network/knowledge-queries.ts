import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import MiniSearch from 'minisearch';
import { documentTools, RunError, type Json, type ToolContext } from '../../src/index.ts';
import { plural, type Found } from './found.ts';
import { runQuery, type Row } from './queried.ts';

type Search = (query: string, context: ToolContext) => Promise<Found>;

/** Searches the runbooks of a folder. */
export function runbookSearch(folder: string): Search {
  const [tool] = documentTools({ root: folder });
  return async (query, context) => {
    const found = await tool?.run({ query, limit: 5 }, context);
    const hits = listOf(found, 'results').map((hit) => ({
      runbook: textOf(hit, 'path').slice(0, 6).toUpperCase(),
      title: textOf(hit, 'title'),
      quote: quoteOf(hit),
      content: textOf(hit, 'text'),
      score: hit['score'] ?? 0,
      chunk_id: placeOf(hit),
    }));
    return foundIn('runbooks', query, hits);
  };
}

/** One runbook as it is written. */
export function readRunbook(folder: string, id: string): Found {
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.md'))
    .sort();
  const file = files.find((name) => name.toLowerCase().startsWith(id.toLowerCase()));
  if (file === undefined)
    throw new RunError(
      'unknown',
      `There is no runbook ${id}; there are ${files.map((name) => name.slice(0, 6).toUpperCase()).join(', ')}.`,
    );
  const text = readFileSync(join(folder, file), 'utf8');
  const title = /^# (.+)$/m.exec(text)?.[1] ?? id;
  return {
    query: `read ${file}`,
    results: [[{ score: 1, title, content: text, chunk_id: file }]],
    citations: [`${title} (runbooks/${file})`],
    finding: `${title} is in runbooks/${file}.`,
    document: { runbook: id.toUpperCase(), text },
  };
}

/** Searches old tickets by words, and by link or site if one is named. */
export function ticketSearch(
  database: DatabaseSync,
): (wanted: { query: string; link?: string; site?: string }) => Found {
  const all = runQuery(database, 'SELECT * FROM tickets ORDER BY opened DESC').rows;
  const index = new MiniSearch<Row>({
    fields: ['summary', 'resolution', 'cause', 'link'],
    storeFields: ['id'],
  });
  index.addAll(all);
  return ({ query, link, site }) => {
    const scores = new Map(index.search(query).map(({ id, score }) => [String(id), score]));
    const isNamed = link !== undefined || site !== undefined;
    const fitting = all.filter((row) =>
      link !== undefined
        ? row['link'] === link
        : site !== undefined
          ? row['site'] === site || named(row, site)
          : scores.has(String(row['id'])),
    );
    const best = fitting
      .toSorted((one, other) => (scores.get(String(other['id'])) ?? 0) - (scores.get(String(one['id'])) ?? 0))
      .slice(0, 6);
    const hits = best.map((row) => ({
      title: `${row['id']} ${row['cause']} on ${row['link']}`,
      quote: `${row['summary']} ${row['resolution']}`,
      content: `${row['opened']} (severity ${row['severity']}, ${row['hours']} h): ${row['summary']} ${row['resolution']}`,
      score: Math.round((scores.get(String(row['id'])) ?? 0) * 100) / 100,
      chunk_id: String(row['id']),
    }));
    const about = link ?? site ?? query;
    const found = foundIn('tickets', isNamed ? `${query} [${about}]` : query, hits);
    return { ...found, finding: ticketFinding(about, fitting) };
  };
}

function ticketFinding(about: string, rows: readonly Row[]): string {
  if (rows.length === 0) return `No ticket of the last two years is about ${about}.`;
  const causes = Map.groupBy(rows, (row) => String(row['cause']));
  const counted = [...causes]
    .sort(([, one], [, other]) => other.length - one.length)
    .map(([cause, each]) => `${each.length} ${cause}`);
  const hours = rows.reduce((sum, row) => sum + Number(row['hours']), 0) / rows.length;
  return `${plural(rows.length, 'ticket')} of the last two years ${rows.length === 1 ? 'is' : 'are'} about ${about}: ${counted.join(', ')}. The repair took ${hours.toFixed(1)} hours on average.`;
}

function named({ link }: Row, site: string): boolean {
  return String(link).split('-').includes(site);
}

type Hit = {
  readonly title: string;
  readonly content: string;
  readonly score: Json;
  readonly chunk_id: string;
} & { readonly [key: string]: Json };

function foundIn(indexName: string, query: string, hits: readonly Hit[]): Found {
  return {
    query: `search ${indexName}: ${query}`,
    results: [hits.map(({ score, title, content, chunk_id }) => ({ score, title, content, chunk_id }))],
    citations: hits.map(({ title, chunk_id }) => `${title} (${indexName}/${chunk_id})`),
    finding: hits.length === 0 ? `Nothing in the ${indexName} is about ${query}.` : '',
    hits: hits.map((hit) => ({ ...hit, content: '' })),
  };
}

/** A heading says nothing, so the sentence below it is quoted instead. */
function quoteOf(hit: Fields): string {
  const quote = textOf(hit, 'quote');
  if (!textOf(hit, 'title').includes(quote)) return quote;
  const below = textOf(hit, 'text').slice(quote.length).trim();
  return /^[\s\S]*?[.!?](?=\s|$)/.exec(below)?.[0].replaceAll(/\s+/g, ' ') ?? quote;
}

type Fields = { readonly [key: string]: Json };

function listOf(value: Json | undefined, name: string): Fields[] {
  const found = isFields(value) ? value[name] : undefined;
  return Array.isArray(found) ? found.filter(isFields) : [];
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(fields: Fields, name: string): string {
  const value = fields[name];
  return typeof value === 'string' ? value : '';
}

function placeOf(hit: Fields): string {
  const lines = isFields(hit['lines']) ? hit['lines'] : {};
  return `${textOf(hit, 'path')}#L${JSON.stringify(lines['from'] ?? 1)}-L${JSON.stringify(lines['to'] ?? 1)}`;
}
