import { GraphNode } from '../../graph/graph.ts';
import { Json } from '../../run/values.ts';
import type { EchoAgent, EchoConnection, EchoWorkflow } from '../../wire/echo-workflow.ts';
import { exportedNode, nodeMakers, ownNode, portName, type Made } from './import-node.ts';

/** What of a workflow of the other platform has no place here, and why. */
export interface Unmapped {
  /** A node, or empty for the workflow. */
  readonly place: string;
  readonly field: string;
  readonly why: string;
}

export interface Imported {
  readonly name: string;
  readonly graph: Readonly<Record<string, Json>>;
  readonly unmapped: readonly Unmapped[];
}

/** A workflow of the workflow platform as a graph. What it cannot say here is listed: nothing is left out silently. */
export function importWorkflow(workflow: EchoWorkflow): Imported {
  const unmapped: Unmapped[] = [...wholeUnmapped(workflow)];
  const ids = idsOf(workflow.agents.flatMap((agent) => (typeof agent === 'string' ? [] : [agent])));
  const nodes: Json[] = [];
  const layout: Record<string, Json> = {};
  for (const agent of workflow.agents) {
    if (typeof agent === 'string') {
      unmapped.push({ place: agent, field: 'agents', why: 'It is kept elsewhere: send it inline.' });
      continue;
    }
    const id = ids.get(agent.agent_id) ?? agent.agent_id;
    const { node, left } = nodeOf(agent, { id, before: before(workflow.connections, agent, ids) });
    nodes.push(node);
    unmapped.push(...left.map(({ field, why }) => ({ place: id, field, why })));
    const { x, y } = agent.metadata?.ui_layout ?? {};
    if (x !== undefined && y !== undefined) layout[id] = [x, y];
  }
  const kept = workflow.metadata?.['vitrine'];
  const own =
    typeof kept === 'object' && kept !== null ? (kept as Record<string, Json>) : { title: workflow.name };
  const name = nameOf(workflow);
  return {
    name,
    graph: {
      ...own,
      name,
      nodes,
      edges: edgesOf(workflow, ids),
      ...(Object.keys(layout).length > 0 ? { layout } : {}),
    },
    unmapped,
  };
}

function nodeOf(agent: EchoAgent, place: Parameters<(typeof nodeMakers)[string]>[1]): Made {
  const own = ownNode(agent, place.id);
  if (own) return own;
  const type = (agent.metadata?.node_type ?? 'agent').toLowerCase().replace(/[^a-z]/g, '');
  const make = nodeMakers[type];
  if (make) return make(agent, place);
  const why = `There are no nodes of type «${agent.metadata?.node_type ?? ''}» here.`;
  const node = { id: place.id, type: 'template', value: place.before };
  return { node, left: [{ field: 'metadata.node_type', why }] };
}

/** Ids that a graph can have, each once. */
function idsOf(agents: readonly EchoAgent[]): ReadonlyMap<string, string> {
  const ids = new Map<string, string>();
  for (const agent of agents) {
    const { agent_id: given, metadata } = agent;
    const [first = 'n'] = /[A-Za-z]\w*/.exec(given.replaceAll(/\W/g, '_')) ?? [];
    const type = metadata?.node_type?.toLowerCase();
    const base = first.slice(0, 36);
    const fits = GraphNode.safeParse({ id: base, type: 'start' }).success ? base : `n_${base}`.slice(0, 36);
    const isTheirs = exportedNode(agent) === undefined;
    const wanted = isTheirs && (type === 'start' || type === 'end') ? type : fits;
    const taken = new Set(ids.values());
    let id = wanted;
    for (let i = 2; taken.has(id); i += 1) id = `${wanted}_${i}`;
    ids.set(given, id);
  }
  return ids;
}

/** What comes out of the nodes that lead to one, as a template. */
function before(
  connections: readonly EchoConnection[],
  { agent_id: id }: EchoAgent,
  ids: ReadonlyMap<string, string>,
): string {
  const from = connections.filter(({ to }) => to === id).map((each) => ids.get(each.from));
  const texts = from.flatMap((each) =>
    each === undefined ? [] : [each === 'start' ? '{{input.text}}' : `{{nodes.${each}.output}}`],
  );
  return texts.length === 0 ? '{{input.text}}' : [...new Set(texts)].join('\n\n');
}

function edgesOf({ agents, connections }: EchoWorkflow, ids: ReadonlyMap<string, string>): Json[] {
  const types = new Map(
    agents.flatMap((agent) =>
      typeof agent === 'string' ? [] : [[agent.agent_id, agent.metadata?.node_type?.toLowerCase()] as const],
    ),
  );
  return connections.flatMap(({ from, to, condition, ...more }) => {
    const ends = { from: ids.get(from), to: ids.get(to) };
    if (ends.from === undefined || ends.to === undefined) return [];
    const own = more['port'];
    const said = typeof own === 'string' ? own : portOf(types.get(from), condition ?? undefined);
    return [{ from: ends.from, to: ends.to, ...(said === undefined ? {} : { port: said }) }];
  });
}

function portOf(type: string | undefined, condition: string | undefined): string | undefined {
  if (type === 'hitl') return condition === 'rejected' ? 'rejected' : 'approved';
  if (type !== 'conditional') return undefined;
  return condition === undefined || /^(else|default|otherwise)$/i.test(condition)
    ? 'otherwise'
    : portName(condition);
}

function nameOf({ workflow_id: id, name }: EchoWorkflow): string {
  const plain = (given: string): string =>
    given
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-+|-+$/g, '')
      .slice(0, 63);
  return plain(id ?? name) || 'workflow';
}

/** Fields of the whole that mean something there and nothing here. */
const foreign: Readonly<Record<string, string>> = {
  hierarchy: 'Who delegates to whom is in the settings of a team.',
  topology: 'What runs at once is what edges leave open.',
  aggregation_strategy: 'A merge says how it joins.',
  human_in_loop: 'People are asked by nodes.',
  state_schema: 'Values are what nodes give.',
};

function wholeUnmapped(workflow: EchoWorkflow): Unmapped[] {
  return Object.entries(foreign).flatMap(([field, why]) => {
    const value: unknown = workflow[field];
    const isEmpty = value === undefined || value === null || JSON.stringify(value) === '{}';
    return isEmpty ? [] : [{ place: '', field, why }];
  });
}
