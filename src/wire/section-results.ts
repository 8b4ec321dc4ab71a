import { z } from 'zod';
import { Json } from './json.ts';
import { parseJson } from './sse.ts';

interface Fields {
  readonly [name: string]: Json;
}

/** What a section of results holds, by the shape it is drawn in. */
export type Results =
  | { readonly shape: 'graph' | 'table'; readonly data: Fields }
  | { readonly shape: 'documents'; readonly hits: readonly Fields[] };

const Row: z.ZodType<Fields> = z.record(z.string(), Json);

/** Some agents name their columns, some describe them. */
const Columns = z.array(
  z.union([
    z.string().transform((name) => ({ name, type: 'string' })),
    z.object({ name: z.string(), type: z.string().default('string') }),
  ]),
);
const Graph = z.object({ columns: Columns, data: z.array(Row) });
const Topology = z.object({ nodes: z.array(Row), edges: z.array(Row), meta: Row.optional() });
const Table = z.object({ columns: Columns, rows: z.array(z.union([z.array(Json), Row])) });
const Hits = z
  .array(Row)
  .min(1)
  .refine((hits) => hits.every((hit) => 'content' in hit && ('score' in hit || 'chunk_id' in hit)));
const Rows = z.array(Row).min(1);

export function readResults(text: string): Results | undefined {
  const value = jsonIn(text);
  const graph = Graph.safeParse(value).data ?? Topology.safeParse(value).data;
  if (graph) return { shape: 'graph', data: graph };
  const table = Table.safeParse(value).data;
  if (table) return { shape: 'table', data: tableOf(table) };
  const hits = Hits.safeParse(value).data;
  if (hits) return { shape: 'documents', hits };
  const rows = Rows.safeParse(value).data;
  return rows && { shape: 'table', data: { columns: columnsOf(rows), rows } };
}

/** Rows may be lists; they are drawn by name. */
function tableOf({ columns, rows }: z.infer<typeof Table>): Fields {
  const named = rows.map((row) =>
    Array.isArray(row) ? Object.fromEntries(columns.map(({ name }, i) => [name, row[i] ?? null])) : row,
  );
  return { columns, rows: named };
}

function columnsOf(rows: readonly Fields[]): Json {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  return [...names].map((name) => {
    const value = rows.find((row) => (row[name] ?? null) !== null)?.[name];
    return { name, type: typeof value === 'object' || value === undefined ? 'string' : typeof value };
  });
}

/** Models put fences around JSON, and words after it. */
function jsonIn(text: string): unknown {
  const inner = unfenced(text);
  const whole = parseJson(inner);
  if (whole !== undefined) return whole;
  const start = inner.search(/[[{]/);
  const end = Math.max(inner.lastIndexOf('}'), inner.lastIndexOf(']'));
  return start < 0 || end < start ? undefined : parseJson(inner.slice(start, end + 1));
}

function unfenced(text: string): string {
  const end = text.lastIndexOf('```');
  return text.startsWith('```') && end > 0 ? text.slice(text.indexOf('\n') + 1, end) : text;
}
