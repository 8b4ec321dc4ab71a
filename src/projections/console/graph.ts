import { z } from 'zod';

const Row = z.record(z.string(), z.unknown());
const Node = z.looseObject({ id: z.string() });
const Edge = z.looseObject({ source: z.string(), target: z.string() });
const Topology = z.object({
  nodes: z.array(Node),
  edges: z.array(Edge),
  query: z.unknown().optional(),
});
type Row = z.infer<typeof Row>;

/** A graph as the console's client reads one: rows with named columns. Of nodes and edges, the edges are the rows. */
export function graphRows(data: unknown): unknown {
  const { data: topology } = Topology.safeParse(data);
  if (!topology) return data;
  const { nodes, edges, query = '' } = topology;
  const linked = new Set(edges.flatMap(({ source, target }) => [source, target]));
  const alone = nodes.filter(({ id }) => !linked.has(id));
  const others = alone.map((node) => (edges.length === 0 ? flat(node) : { source: node.id }));
  const rows = [...edges.map((edge) => flat(edge)), ...others];
  return { columns: columnsOf(rows), data: rows, query };
}

/** A table has no columns within columns: properties stand beside what has them, under their names. */
function flat({ properties, ...own }: Row): Row {
  const { data: more = {} } = Row.safeParse(properties);
  return { ...more, ...own };
}

/** Each name once, the known ones first; the first value under it says what it holds. */
function columnsOf(rows: readonly Row[]): { readonly name: string; readonly type: string }[] {
  const cells = rows.flatMap((row) => Object.entries(row));
  const values = new Map(cells.toReversed());
  const names = new Set(['source', 'target', 'id', 'label', ...cells.map(([name]) => name)]);
  const typeOf = (name: string): string => (typeof values.get(name) === 'number' ? 'number' : 'string');
  return [...names].filter((name) => values.has(name)).map((name) => ({ name, type: typeOf(name) }));
}
