import { GraphNode } from '../../graph/graph.ts';
import { Json } from '../../run/values.ts';
import { agentOf } from './export-workflow.ts';
import type { EchoAgent } from '../../wire/echo-workflow.ts';

export interface Made {
  readonly node: Json;
  readonly left: readonly { readonly field: string; readonly why: string }[];
}

interface Place {
  readonly id: string;
  /** What comes in, as a template. */
  readonly before: string;
}

type Make = (agent: EchoAgent, place: Place) => Made;

/** A node that was exported from here is what it was. What was changed since is told, and not used. */
export function ownNode(agent: EchoAgent, id: string): Made | undefined {
  const kept = exportedNode(agent);
  if (kept?.id !== id) return undefined;
  return { node: Json.parse(agent.metadata?.['vitrine']), left: changedSince(agent, kept) };
}

/** The node that somebody exported from here, under the id that it still has. */
export function exportedNode({ agent_id: id, metadata }: EchoAgent): GraphNode | undefined {
  const read = GraphNode.safeParse(metadata?.['vitrine']);
  return read.success && read.data.id === id ? read.data : undefined;
}

function changedSince({ metadata: now = {}, ...agent }: EchoAgent, node: GraphNode): Made['left'] {
  const { metadata: then = {}, ...left } = agentOf(node);
  const why =
    'It was changed after it left here, and stands here as it left: take «metadata.vitrine» out of it to use the change.';
  const isOther = (one: unknown, other: unknown): boolean =>
    JSON.stringify(one ?? null) !== JSON.stringify(other ?? null);
  const own = (['name', 'goal', 'llm', 'constraints'] as const).filter((name) =>
    isOther(agent[name], left[name]),
  );
  const configs = Object.keys(then).filter(
    (name) => name.endsWith('_config') && isOther(now[name], then[name]),
  );
  return [...own, ...configs.map((name) => `metadata.${name}`)].map((field) => ({ field, why }));
}

/** How each type of node is said here, by its name in small letters. */
export const nodeMakers: Readonly<Record<string, Make>> = {
  start: (_, { id }) => made({ id, type: 'start' }),
  end: (agent, { id, before }) =>
    made({ id, type: 'end', output: said(config(agent, 'end'), 'output') ?? before }),
  agent: (agent, { id, before }) =>
    made(
      { ...shared(agent, id), type: 'agent', agent: agent.name ?? id, message: asked(agent, before) },
      agentLeft(agent),
    ),
  subagent: (agent, { id, before }) =>
    made({ ...shared(agent, id), type: 'team', message: asked(agent, before), settings: {} }, [
      ...agentLeft(agent),
      { field: 'subagent_config', why: 'Name router, writer, fallback and agents in its settings.' },
    ]),
  prompt(agent, { id, before }) {
    const prompt = said(config(agent, 'prompt'), 'prompt') ?? said(config(agent, 'prompt'), 'template');
    const system = [agent.role, agent.goal, agent.backstory].filter(Boolean).join('\n');
    const node = {
      ...shared(agent, id),
      type: 'prompt',
      agent: agent.llm?.model ?? 'model',
      message: prompt ?? before,
    };
    return made(system === '' ? node : { ...node, system }, prompt === undefined ? [] : variables(prompt));
  },
  conditional(agent, { id }) {
    const branches = listIn(config(agent, 'conditional'), 'branches');
    const cases = branches.map((branch) => {
      const when = said(branch, 'condition') ?? 'false';
      return { port: portName(said(branch, 'name') ?? when), when };
    });
    const why = 'Conditions are expressions in CEL here: look at each.';
    return made({ ...shared(agent, id), type: 'branch', cases }, [
      { field: 'conditional_config.branches', why },
    ]);
  },
  loop: (agent, { id }) =>
    container(
      {
        ...shared(agent, id),
        type: 'loop',
        max: countIn(config(agent, 'loop'), 'maxIterations') ?? 100,
        over: said(config(agent, 'loop'), 'arrayVariable') ?? 'input.items',
      },
      'loop_config.loopType',
    ),
  map: (agent, { id }) =>
    container(
      {
        ...shared(agent, id),
        type: 'map',
        items: said(config(agent, 'map'), 'arrayVariable') ?? 'input.items',
        atOnce: countIn(config(agent, 'map'), 'maxConcurrency') ?? 5,
      },
      'map_config.operation',
    ),
  selfreview: (agent, { id }) =>
    container(
      {
        ...shared(agent, id),
        type: 'review',
        judge: agent.llm?.model ?? 'model',
        threshold: countIn(config(agent, 'self_review'), 'confidenceThreshold') ?? 0.8,
      },
      'self_review_config',
    ),
  failsafe: (agent, { id }) =>
    container({ ...shared(agent, id), type: 'failsafe', fallback: empty }, 'failsafe_config'),
  hitl(agent, { id, before }) {
    const given = config(agent, 'hitl');
    const listed = listIn(given, 'allowed_decisions').map(String);
    const may = (name: string, usual: boolean): boolean =>
      typeof given[name] === 'boolean' ? given[name] : usual;
    const some = [
      ...(may('allowEdit', true) ? ['edit'] : []),
      ...(may('allowDefer', false) ? ['defer'] : []),
    ];
    const wanted = (listed.length > 0 ? listed : some).map((each) => (each === 'modify' ? 'edit' : each));
    const allowed = ['approve', 'reject', ...['edit', 'defer'].filter((each) => wanted.includes(each))];
    const priority = said(given, 'priority');
    const title = said(given, 'title') ?? agent.name ?? id;
    const node = {
      ...shared(agent, id),
      title,
      type: 'human',
      shows: said(given, 'message') ?? before,
      allowed,
    };
    return made(priority === undefined ? node : { ...node, priority });
  },
  api(agent, { id }) {
    const given = config(agent, 'api');
    const url = URL.parse(said(given, 'url') ?? '');
    const node = {
      ...shared(agent, id),
      type: 'http',
      connection: url?.hostname ?? 'connection',
      method: (said(given, 'method') ?? 'GET').toUpperCase(),
      path: url ? `${url.pathname}${url.search}` : '/',
    };
    const why = 'Addresses, headers and secrets stand in a connection of the configuration.';
    return made(
      node,
      ['url', 'headers', 'auth'].map((field) => ({ field: `api_config.${field}`, why })),
    );
  },
  mcp(agent, { id }) {
    const given = config(agent, 'mcp');
    const tool = `${said(given, 'serverName') ?? 'server'}__${said(given, 'toolName') ?? 'tool'}`;
    return made({ ...shared(agent, id), type: 'tool', tool, arguments: jsonIn(given, 'arguments') ?? {} });
  },
  code(agent, { id, before }) {
    const given = config(agent, 'code');
    const left = ['language', 'packages'].filter(
      (field) => given[field] !== undefined && given[field] !== 'javascript',
    );
    const node = { ...shared(agent, id), type: 'code', code: said(given, 'code') ?? '', input: before };
    return made(
      node,
      left.map((field) => ({
        field: `code_config.${field}`,
        why: 'Code is JavaScript without packages here.',
      })),
    );
  },
  template(agent, { id, before }) {
    const value = said(config(agent, 'template'), 'template') ?? before;
    return made({ ...shared(agent, id), type: 'template', value }, variables(value));
  },
  merge: (agent, { id }) => made({ ...shared(agent, id), type: 'merge', how: 'text' }),
};

/** A way out of a branch, called after its condition. */
export function portName(condition: string): string {
  const name = condition
    .replaceAll(/\W+/g, '_')
    .replace(/^[^A-Za-z]+/, '')
    .slice(0, 40);
  return name === '' ? 'case' : name;
}

const empty = { nodes: [], edges: [] };

function made(node: Json, left: Made['left'] = []): Made {
  return { node, left };
}

/** What is inside is drawn after it there, and stands in it here. */
function container(node: Readonly<Record<string, Json>>, field: string): Made {
  return made({ ...node, body: empty }, [
    { field, why: 'Move the nodes that are done in it into its body.' },
  ]);
}

function shared({ name, constraints }: EchoAgent, id: string): Readonly<Record<string, Json>> {
  const within = constraints?.timeout_seconds;
  return { id, ...(name === undefined ? {} : { title: name }), ...(within === undefined ? {} : { within }) };
}

/** What an agent is to do, and what it is to do it with. */
function asked({ goal, description }: EchoAgent, before: string): string {
  return [goal ?? description, before].filter(Boolean).join('\n\n');
}

function agentLeft({ role, backstory, llm, tools }: EchoAgent): Made['left'] {
  const why = 'Who an agent is, its model and its tools are its settings in the configuration.';
  const given = { role, backstory, llm, tools: tools?.length ? tools : undefined };
  return Object.entries(given).flatMap(([field, value]) => (value === undefined ? [] : [{ field, why }]));
}

/** Names in braces are expressions here, and know other names. */
function variables(text: string): Made['left'] {
  const found = [...text.matchAll(/\{\{?\s*([A-Za-z_]\w*)\s*\}?\}/g)].map(([, name = '']) => name);
  const why = 'Names are those of nodes and of the input: write {{nodes.x.output}} or {{input.x}}.';
  return found.map((name) => ({ field: `{${name}}`, why }));
}

type Config = Readonly<Record<string, unknown>>;

function config({ metadata }: EchoAgent, type: string): Config {
  const value = metadata?.[`${type}_config`];
  return typeof value === 'object' && value !== null ? (value as Config) : {};
}

function said(value: unknown, field: string): string | undefined {
  const found: unknown = Reflect.get(Object(value), field);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function countIn(value: Config, field: string): number | undefined {
  const found = value[field];
  return typeof found === 'number' ? found : undefined;
}

function jsonIn(value: Config, field: string): Json | undefined {
  return Json.safeParse(value[field]).data;
}

function listIn(value: Config, field: string): readonly unknown[] {
  const found = value[field];
  return Array.isArray(found) ? found : [];
}
