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
  const rows =
    edges.length === 0
      ? nodes.map((node) => flat(node))
      : [...edges.map((edge) => flat(edge)), ...alone.map(({ id }) => ({ source: id }))];
  return { columns: columnsOf(rows), data: rows, query };
}

/** A table has no columns within columns: properties stand beside what has them, under their names. */
function flat({ properties, ...own }: Row): Row {
  const { data: more = {} } = Row.safeParse(properties);
  return { ...more, ...own };
}

const first = ['source', 'target', 'id', 'label'];

function columnsOf(rows: readonly Row[]): { readonly name: string; readonly type: string }[] {
  const types = new Map<string, string>();
  for (const row of rows)
    for (const [name, value] of Object.entries(row))
      if (!types.has(name)) types.set(name, typeof value === 'number' ? 'number' : 'string');
  const known = first.filter((name) => types.has(name));
  const others = [...types.keys()].filter((name) => !first.includes(name));
  return [...known, ...others].map((name) => ({ name, type: types.get(name) ?? 'string' }));
}
