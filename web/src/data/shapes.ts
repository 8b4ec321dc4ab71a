import type { Item, Json } from '../../../src/run/values.ts';

/** What others sent to be drawn may be of any shape: what does not fit is shown as it was sent. */
export type Drawable =
  | { readonly is: 'table'; readonly table: TableData }
  | { readonly is: 'graph'; readonly graph: GraphData }
  | { readonly is: 'chart'; readonly chart: ChartData }
  | { readonly is: 'documents'; readonly documents: DocumentData }
  | { readonly is: 'raw'; readonly data: Json };

export interface TableData {
  readonly columns: readonly { readonly name: string; readonly isNumber: boolean }[];
  readonly rows: readonly (readonly Json[])[];
}

export interface GraphNode {
  readonly id: string;
  readonly kind: string;
  readonly isBad: boolean;
  readonly properties: Readonly<Record<string, Json>>;
}

export interface GraphEdge {
  readonly source: string;
  readonly target: string;
  readonly label: string;
  readonly isBad: boolean;
}

export interface GraphData {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export interface ChartData {
  readonly title: string;
  readonly x: { readonly title: string; readonly values: readonly (string | number)[] };
  readonly y: { readonly title: string; readonly unit: string };
  readonly series: readonly {
    readonly name: string;
    readonly isBars: boolean;
    readonly values: readonly (number | null)[];
  }[];
}

export interface DocumentData {
  readonly content: string;
  readonly hits: readonly { readonly title: string; readonly content: string; readonly score?: number }[];
}

type Visualization = Extract<Item, { readonly kind: 'visualization' }>;

export function drawableOf({ shape, data }: Visualization): Drawable {
  const readers: Readonly<Record<Visualization['shape'], () => Drawable | undefined>> = {
    table: () => asTable(data),
    graph: () => asGraph(data) ?? asTable(data),
    chart: () => asChart(data),
    documents: () => asDocuments(data),
  };
  return readers[shape]() ?? { is: 'raw', data };
}

function asTable(data: Json): Drawable | undefined {
  if (!isRecord(data)) return undefined;
  const given = listOf(data['rows']) ?? listOf(data['data']);
  const columns = listOf(data['columns']);
  if (!given || !columns || columns.length === 0) return undefined;
  const names = columns.map((column) => (isRecord(column) ? textOf(column['name']) : textOf(column)));
  const rows = given.map((row) =>
    names.map((name, i): Json =>
      Array.isArray(row) ? (row[i] ?? null) : isRecord(row) ? (row[name] ?? null) : null,
    ),
  );
  const isNumber = names.map(
    (_, i) => rows.length > 0 && rows.every((row) => row[i] === null || typeof row[i] === 'number'),
  );
  return {
    is: 'table',
    table: { columns: names.map((name, i) => ({ name, isNumber: isNumber[i] === true })), rows },
  };
}

const bad = /\b(down|lost|failed|critical)\b/i;

function isBad(properties: Readonly<Record<string, Json>>): boolean {
  return bad.test(textOf(properties['status'] ?? properties['state'] ?? ''));
}

function asGraph(data: Json): Drawable | undefined {
  if (!isRecord(data)) return undefined;
  const given = listOf(data['nodes']);
  if (!given) return undefined;
  const nodes = given.flatMap((node): GraphNode[] => {
    if (!isRecord(node) || node['id'] === undefined) return [];
    const properties = isRecord(node['properties']) ? node['properties'] : {};
    return [
      {
        id: textOf(node['id']),
        kind: textOf(node['label'] ?? node['type'] ?? ''),
        isBad: isBad(properties),
        properties,
      },
    ];
  });
  const known = new Set(nodes.map(({ id }) => id));
  const edges = (listOf(data['edges']) ?? []).flatMap((edge): GraphEdge[] => {
    if (!isRecord(edge)) return [];
    const [source, target] = [textOf(edge['source'] ?? ''), textOf(edge['target'] ?? '')];
    if (!known.has(source) || !known.has(target)) return [];
    const label = textOf(edge['label'] ?? '');
    const properties = isRecord(edge['properties']) ? edge['properties'] : {};
    return [{ source, target, label, isBad: bad.test(label) || isBad(properties) }];
  });
  const unique = [...new Map(nodes.map((node) => [node.id, node])).values()];
  return unique.length === 0 ? undefined : { is: 'graph', graph: { nodes: unique, edges } };
}

function asChart(data: Json): Drawable | undefined {
  if (!isRecord(data)) return undefined;
  const traces = (listOf(data['data']) ?? []).filter(isRecord);
  const first = traces[0];
  const layout = isRecord(data['layout']) ? data['layout'] : {};
  const drawn = traces.flatMap((trace) => {
    const values = listOf(trace['y']);
    if (!values) return [];
    return {
      name: textOf(trace['name'] ?? ''),
      isBars: trace['type'] === 'bar',
      values: values.map((value) => (typeof value === 'number' ? value : null)),
    };
  });
  if (!first || drawn.length === 0) return undefined;
  const longest = Math.max(...drawn.map(({ values }) => values.length));
  const given = listOf(first['x']) ?? [];
  const values = Array.from({ length: longest }, (_, i) => {
    const value = given[i] ?? i + 1;
    return typeof value === 'number' ? value : textOf(value);
  });
  const yaxis = isRecord(layout['yaxis']) ? layout['yaxis'] : {};
  return {
    is: 'chart',
    chart: {
      title: titleIn(layout),
      x: { title: titleIn(isRecord(layout['xaxis']) ? layout['xaxis'] : {}), values },
      y: { title: titleIn(yaxis), unit: textOf(yaxis['ticksuffix'] ?? '').trim() },
      series: drawn,
    },
  };
}

function titleIn({ title }: Readonly<Record<string, Json>>): string {
  return isRecord(title) ? textOf(title['text'] ?? '') : textOf(title ?? '');
}

function asDocuments(data: Json): Drawable | undefined {
  if (!isRecord(data)) return undefined;
  const hits = (listOf(data['searchHits']) ?? []).filter(isRecord).map((hit) => ({
    title: textOf(hit['title'] ?? ''),
    content: textOf(hit['content'] ?? ''),
    ...(typeof hit['score'] === 'number' ? { score: hit['score'] } : {}),
  }));
  const content = textOf(data['content'] ?? '');
  return hits.length === 0 && content === '' ? undefined : { is: 'documents', documents: { content, hits } };
}

/** A chart as the table of its values. */
export function chartTable({ x, series }: ChartData): TableData {
  return {
    columns: [
      { name: x.title || 'x', isNumber: x.values.every((value) => typeof value === 'number') },
      ...series.map(({ name }, i) => ({
        name: name || `y${series.length > 1 ? i + 1 : ''}`,
        isNumber: true,
      })),
    ],
    rows: x.values.map((value, i) => [value, ...series.map(({ values }) => values[i] ?? null)]),
  };
}

function isRecord(value: unknown): value is Readonly<Record<string, Json>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listOf(value: Json | undefined): readonly Json[] | undefined {
  return Array.isArray(value) ? (value as readonly Json[]) : undefined;
}

function textOf(value: Json | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
