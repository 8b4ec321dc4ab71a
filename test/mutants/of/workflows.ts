import type { Mutant } from '../mutant.ts';

const flow = 'src/flows/workflow.test.ts';
const question = 'src/flows/workflow-question.test.ts';
const inner = 'src/flows/workflow-inner.test.ts';
const graph = 'src/engine/scope/graph.test.ts';
const deadlines = 'src/engine/time/deadlines.test.ts';

export const workflowMutants: readonly Mutant[] = [
  {
    name: 'a node begins though no path led to it',
    file: 'src/flows/workflow-part.ts',
    find: 'edges.length === 0 || isReached(before)',
    replace: 'true',
    test: flow,
    only: '[WF2]',
  },
  {
    name: 'the answer is what the last end says',
    file: 'src/flows/workflow-whole.ts',
    find: 'for (const { id, type } of nodes) {',
    replace: 'for (const { id, type } of nodes.toReversed()) {',
    test: flow,
    only: '[WF4]',
  },
  {
    name: 'a question may have things done again for ever',
    file: 'src/flows/workflow-question.ts',
    find: 'round <= mostRedone ? redo : undefined',
    replace: 'redo',
    test: question,
    only: 'five times',
  },
  {
    name: 'what comes after a question sees what was done before it was done again',
    file: 'src/flows/workflow-part.ts',
    find: 'const settled = withRedone(all(before));',
    replace: 'const settled = all(before);',
    test: question,
    only: '[WF9]',
  },
  {
    name: 'an edit may have anything done again',
    file: 'src/engine/question/misfit-of-decision.ts',
    find: "typeof name === 'string' && redo.includes(name)",
    replace: "typeof name === 'string'",
    test: question,
    only: 'must be named',
  },
  {
    name: 'a definition is looked up again by whoever recovers a run',
    file: 'src/engine/scope/look-up.ts',
    find: 'if (!isOpen(step)) return recall(execution, step);',
    replace: '',
    test: inner,
    only: 'goes on as it was recorded',
  },
  {
    name: 'a workflow inside is what it is when its node comes to it',
    file: 'src/engine/scope/look-up.ts',
    find: 'lookedAhead(execution, parent, which) ?? (await kept(execution, which))',
    replace: 'await kept(execution, which)',
    test: inner,
    only: '[WF40]',
  },
  {
    name: 'workflows call each other as deep as they like',
    file: 'src/flows/workflow-inner.ts',
    find: 'const deepest = 8;',
    replace: 'const deepest = 16;',
    test: inner,
    only: 'calls itself',
  },
  {
    name: 'what is vital may fail, and the graph goes on',
    file: 'src/engine/scope/graph.ts',
    find: 'why: () => whyEnded() ?? node.unless?.(before),',
    replace: 'why: () => node.unless?.(before),',
    test: graph,
    only: '[WF7]',
  },
  {
    name: 'what had begun is skipped by whoever recovers it after a failure',
    file: 'src/engine/scope/graph.ts',
    find: "known && known.status !== 'pending' ? whyRecorded(known) : why()",
    replace: "known && isSkipped(known) ? (known.failure?.message ?? '') : why()",
    test: graph,
    only: '[WF7]',
  },
  {
    name: 'a path leads out of the address of a connection',
    file: 'src/tools/http/connection.ts',
    find: '!target.pathname.startsWith(base.pathname)',
    replace: 'false',
    test: 'src/tools/http/connection.test.ts',
    only: '[WF18]',
  },
  {
    name: 'each try of a node has a key of its own',
    file: 'src/engine/leaf/leaf.ts',
    find: '${firstTry(tree, step).id}',
    replace: '${step.id}',
    test: 'src/flows/workflow-rounds.test.ts',
    only: '[WF42]',
  },
  {
    name: 'a path of a connection climbs',
    file: 'src/tools/http/connection.ts',
    find: 'if (!mayClimb(path)) return target;',
    replace: 'return target;',
    test: 'src/tools/http/connection.test.ts',
    only: '[WF41]',
  },
  {
    name: 'what is filled into a path is put in as it is',
    file: 'src/flows/workflow-sight.ts',
    find: 'return encodeURIComponent(value.toWellFormed());',
    replace: 'return value;',
    test: flow,
    only: '[WF41]',
  },
  {
    name: 'what is below a step that was cut off goes on',
    file: 'src/engine/time/deadlines.ts',
    find: 'for (const id of [step.id, ...below]) this.#cut.add(id);',
    replace: 'this.#cut.add(step.id);',
    test: deadlines,
  },
];
