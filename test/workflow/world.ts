// A world in which graphs run.
import { workflow } from '../../src/flows/workflow/workflow.ts';
import type { Agent } from '../../src/catalog/agent.ts';
import type { Flow } from '../../src/engine/scope.ts';
import { graphLimits } from '../../src/graph/worst-case.ts';
import { localTenant } from '../../src/run/owner.ts';
import type { RunTree, Step } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import type { Store } from '../../src/stores/store.ts';

export const workflowFlow: Flow = workflow({
  flow: (name) => {
    throw new Error(`there is no ${name} here`);
  },
});

interface Drawn {
  readonly id: string;
  readonly type: string;
  readonly [field: string]: unknown;
}

/**
 * A graph of these nodes. Edges are `from>to`, or `from.port>to`; what nothing leads to comes after the start, and what leads nowhere is
 * followed by the end, unless there are ends.
 */
export function graphOf(nodes: readonly Drawn[], drawn: string) {
  const part = partOf(nodes, drawn);
  const isLast = ({ id, type }: Drawn): boolean =>
    type !== 'end' && !part.edges.some(({ from }) => from === id);
  const isFirst = ({ id }: Drawn): boolean => !part.edges.some(({ to }) => to === id);
  const ends = nodes.some(({ type }) => type === 'end') ? [] : [{ id: 'end', type: 'end' }];
  return {
    name: 'g',
    nodes: [{ id: 'start', type: 'start' }, ...nodes, ...ends],
    edges: [
      ...nodes.filter(isFirst).map(({ id }) => ({ from: 'start', to: id })),
      ...part.edges,
      ...(ends.length === 0 ? [] : nodes.filter(isLast).map(({ id }) => ({ from: id, to: 'end' }))),
    ],
  };
}

/** The same without start and end. */
export function partOf(nodes: readonly Drawn[], drawn: string) {
  const edges = drawn
    .split(' ')
    .filter(Boolean)
    .map((edge) => {
      const [left = '', to = ''] = edge.split('>');
      const [from = '', port] = left.split('.');
      return port === undefined ? { from, to } : { from, port, to };
    });
  return { nodes, edges };
}

/** A run of a graph, as it is asked for once that is published. */
export async function runOf(
  { definitions }: Pick<Store, 'definitions'>,
  graph: { readonly name: string },
  data?: Json,
) {
  const key = { tenant: localTenant, kind: 'workflow', name: graph.name };
  const { hash } = await definitions.publish({ ...key, body: JSON.stringify(graph), by: 'ann' });
  return {
    app: 'test',
    flow: workflowFlow,
    input: { text: 'hello', ...(data === undefined ? {} : { data }) },
    definition: { tenant: localTenant, hash, body: graph as unknown as Json },
    limits: graphLimits,
  };
}

/** An agent that answers by rule. */
export function answering(name: string, answer: (text: string) => string): Agent {
  return {
    name,
    description: name,
    effect: 'pure',
    gateway: {
      async *takeTurn({ messages }) {
        const text = messages.at(-1)?.text ?? '';
        yield [
          { type: 'text.appended', text: answer(text) },
          { type: 'turn.finished', reason: 'stop' },
        ];
      },
    },
  };
}

/** What stands where in a tree: the path of keys, and how it is. */
export function outline(tree: RunTree, isShown: (step: Step) => boolean = () => true): string[] {
  const paths = new Map<number, string>([[0, '']]);
  const lines: string[] = [];
  for (const step of [...tree.steps.values()].sort((a, b) => a.depth - b.depth || a.id - b.id)) {
    if (step.id === 0) continue;
    const path = `${paths.get(step.parent) ?? ''}/${step.key}`;
    paths.set(step.id, path);
    if (isShown(step)) lines.push(`${path.slice(1)} ${step.status}`);
  }
  return lines.sort();
}

/** What a run answered, read as JSON. */
export function answerIn({ ended }: RunTree): unknown {
  return typeof ended?.answer === 'string' ? JSON.parse(ended.answer) : undefined;
}
