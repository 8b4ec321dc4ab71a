import { expect, test } from 'vitest';
import { Graph } from '../../graph/graph.ts';
import { problemsIn } from '../../graph/validate.ts';
import { Json } from '../../run/values.ts';
import { EchoWorkflow } from '../../wire/echo-workflow.ts';
import { exportWorkflow } from './export-workflow.ts';
import { importWorkflow } from './import-workflow.ts';

const body = { nodes: [{ id: 'inner', type: 'template', value: 'x' }], edges: [] };

/** One node of each type. */
const every: readonly Readonly<Record<string, Json>>[] = [
  { id: 'a', type: 'agent', agent: 'helper', message: '{{input.text}}', within: 60, icon: 'bot' },
  { id: 'b', type: 'team', message: 'm', settings: { router: 'r' } },
  { id: 'c', type: 'prompt', agent: 'm', system: 's', message: 'm', answer: { type: 'object' } },
  { id: 'd', type: 'branch', cases: [{ port: 'left', when: 'input.n > 1' }] },
  { id: 'e', type: 'loop', times: 3, body },
  { id: 'f', type: 'map', items: 'input.list', max: 3, body },
  { id: 'g', type: 'review', judge: 'm', body },
  { id: 'h', type: 'human', title: 'May I?', allowed: ['approve', 'reject'], priority: 'high', redo: ['a'] },
  { id: 'i', type: 'http', connection: 'c', method: 'GET', path: '/' },
  { id: 'j', type: 'tool', tool: 'server__look', arguments: { q: '{{input.text}}' } },
  { id: 'k', type: 'code', code: 'return 1' },
  { id: 'l', type: 'template', value: { any: 'json' } },
  { id: 'm', type: 'merge', how: 'list' },
  { id: 'n', type: 'failsafe', body, fallback: body },
  { id: 'o', type: 'wait', for: 5 },
  { id: 'p', type: 'workflow', workflow: 'other', version: 2 },
  { id: 'q', type: 'retrieve', query: 'q' },
  { id: 'r', type: 'guard', text: 't' },
];

const graph = Graph.parse({
  name: 'all',
  title: 'All of them',
  limits: { calls: 5 },
  input: { type: 'object' },
  schedules: [{ cron: '0 8 * * *', timezone: 'UTC' }],
  nodes: [
    { id: 'start', type: 'start' },
    ...every,
    { id: 'end', type: 'end', output: 'x' },
    { id: 'late', type: 'end', output: 'too late' },
  ],
  edges: [
    { from: 'start', to: 'a' },
    { from: 'd', port: 'left', to: 'e' },
    { from: 'h', port: 'expired', to: 'end' },
  ],
  layout: { a: [1, 2] },
});

test('[WR30] what goes out and comes back is the same graph, whatever is in it', () => {
  const types = new Set(graph.nodes.map(({ type }) => type));
  expect(types.size).toBe(20);
  const exported = EchoWorkflow.parse(
    JSON.parse(JSON.stringify(exportWorkflow({ name: 'all', version: 3, state: 'published', graph }))),
  );
  expect(exported).toMatchObject({
    workflow_id: 'all',
    status: 'final',
    version: 3,
    execution_model: 'hierarchical',
  });
  const { graph: back, unmapped } = importWorkflow(exported);
  expect(back).toEqual(graph);
  expect(unmapped).toEqual([]);
});

test('[WR30] what was changed elsewhere after it left is listed, with what to do', () => {
  const { agents, ...exported } = exportWorkflow({ name: 'all', version: 3, state: 'published', graph });
  const changed = agents.map((one) => {
    if (typeof one === 'string') return one;
    if (one.agent_id === 'a') return { ...one, name: 'Another name', goal: 'Another goal' };
    const branches = [{ name: 'left', condition: 'input.n < 77' }];
    const conditional_config = { branches };
    return one.agent_id === 'd' ? { ...one, metadata: { ...one.metadata, conditional_config } } : one;
  });
  const { unmapped } = importWorkflow(EchoWorkflow.parse({ ...exported, agents: changed }));
  expect(unmapped.map(({ place, field }) => `${place} ${field}`)).toEqual([
    'a name',
    'a goal',
    'd metadata.conditional_config',
  ]);
  expect(unmapped[0]?.why).toContain('take «metadata.vitrine» out');
});

const agent = (agent_id: string, node_type: string, more: object = {}) => ({
  agent_id,
  name: agent_id,
  metadata: { node_type, ui_layout: { x: 1, y: 2 }, ...more },
});
const chain = (...agents: readonly { readonly agent_id: string }[]) => {
  const all = [agent('s', 'Start'), ...agents, agent('t', 'End')];
  const connections = all.slice(1).map(({ agent_id: to }, i) => ({ from: all[i]?.agent_id ?? '', to }));
  return EchoWorkflow.parse({ workflow_id: 'wf_1', name: 'A flow', agents: all, connections });
};

test('[WR30] a workflow of theirs is a graph that can be published, where all of it has a place', () => {
  const finder = { ...agent('agt_1', 'Agent'), goal: 'Find it', name: 'helper' };
  const theirs = chain(
    finder,
    agent('ask', 'HITL', {
      hitl_config: { title: 'Sure?', message: 'Look', priority: 'high', allowEdit: false },
    }),
    agent('look', 'MCP', { mcp_config: { serverName: 'net', toolName: 'look' } }),
    agent('in', 'Template', { template_config: { template: 'Done.' } }),
  );
  const { graph: made, unmapped } = importWorkflow(theirs);
  expect(unmapped).toEqual([]);
  expect(made).toMatchObject({
    name: 'wf-1',
    title: 'A flow',
    nodes: [
      { id: 'start', type: 'start' },
      { id: 'agt_1', type: 'agent', agent: 'helper', message: 'Find it\n\n{{input.text}}' },
      {
        id: 'ask',
        type: 'human',
        title: 'Sure?',
        shows: 'Look',
        allowed: ['approve', 'reject'],
        priority: 'high',
      },
      { id: 'look', type: 'tool', tool: 'net__look' },
      { id: 'n_in', type: 'template', value: 'Done.' },
      { id: 'end', type: 'end', output: '{{nodes.n_in.output}}' },
    ],
    edges: [{}, {}, { from: 'ask', port: 'approved', to: 'look' }, {}, {}],
    layout: { agt_1: [1, 2] },
  });
  expect(problemsIn(made)).toEqual([]);
});

test('[WR30] what has no place here is listed, field by field', () => {
  const { unmapped } = importWorkflow(
    EchoWorkflow.parse({
      name: 'x',
      state_schema: { a: 'string' },
      hierarchy: { master_agent: 'm' },
      topology: { parallel_groups: [] },
      aggregation_strategy: 'vote',
      human_in_loop: { enabled: true },
      agents: [
        'agt_elsewhere',
        { ...agent('a', 'Agent'), role: 'r', backstory: 'b', llm: { model: 'm' }, tools: ['t'] },
        agent('sub', 'Subagent'),
        agent('p', 'Prompt', { prompt_config: { prompt: 'Say {topic}' } }),
        agent('if', 'Conditional', {
          conditional_config: { branches: [{ name: 'yes', condition: 'x == 1' }] },
        }),
        agent('l', 'Loop'),
        agent('m', 'Map'),
        agent('sr', 'Self-Review'),
        agent('api', 'API', { api_config: { url: 'https://example.org/x?y=1', method: 'post' } }),
        agent('c', 'Code', { code_config: { language: 'python', code: 'x', packages: ['numpy'] } }),
        agent('f', 'Failsafe'),
        agent('z', 'Teleport'),
      ],
    }),
  );
  expect(unmapped.map(({ place, field }) => [place, field].filter(Boolean).join(' '))).toEqual([
    'hierarchy',
    'topology',
    'aggregation_strategy',
    'human_in_loop',
    'state_schema',
    'agt_elsewhere agents',
    'a role',
    'a backstory',
    'a llm',
    'a tools',
    'sub subagent_config',
    'p {topic}',
    'n_if conditional_config.branches',
    'l loop_config.loopType',
    'm map_config.operation',
    'sr self_review_config',
    'api api_config.url',
    'api api_config.headers',
    'api api_config.auth',
    'c code_config.language',
    'c code_config.packages',
    'f failsafe_config',
    'z metadata.node_type',
  ]);
  for (const { why } of unmapped) expect(why).toMatch(/^[A-Z].*\.$|output/);
});
