import { z } from 'zod';
import type { ServerContext } from '../context.ts';
import { missing } from '../runs/quotas.ts';
import { route, watchRun } from './route.ts';
import { heartbeat } from './session-stream.ts';
import { startSession } from './sessions.ts';

const Agent = z.object({
  id: z.string(),
  name: z.string(),
  role: z.string(),
  model: z.string(),
  status: z.literal('provisioned'),
});

/** What the original page is made of where a scenario has more to say: here it is empty, and the page draws none of it. */
const noScenario = {
  graph: '',
  runbooksIndex: '',
  ticketsIndex: '',
  graphStyles: { nodeColors: {}, nodeSizes: {}, nodeIcons: {} },
  exampleQuestions: [],
  useCases: [],
  demoFlows: [],
};
const empty = { list: z.array(z.never()), map: z.object({}) };

const shared = { method: 'GET', tag: 'console', role: 'viewer', addresses: 'tenant' } as const;

/** What the console's own page asks for beside its sessions. */
export const consolePageRoutes = [
  route({
    ...shared,
    path: '/api/agents',
    about: 'The agents there are.',
    answers: {
      200: {
        about: 'All.',
        schema: z.object({ agents: z.array(Agent), source: z.literal('configuration') }),
      },
    },
    handle: ({ context }) => ({ status: 200, json: { agents: agentsIn(context), source: 'configuration' } }),
  }),
  route({
    ...shared,
    path: '/api/config/scenario',
    about: 'The default app, as the scenario that the page is about.',
    answers: {
      200: {
        about: 'What is known of it.',
        schema: z.object({
          name: z.string(),
          displayName: z.string(),
          description: z.string(),
          graph: z.string(),
          runbooksIndex: z.string(),
          ticketsIndex: z.string(),
          graphStyles: z.object({ nodeColors: empty.map, nodeSizes: empty.map, nodeIcons: empty.map }),
          exampleQuestions: empty.list,
          useCases: empty.list,
          demoFlows: empty.list,
        }),
      },
    },
    handle: ({ context }) => ({ status: 200, json: { ...scenarioIn(context), ...noScenario } }),
  }),
  route({
    ...shared,
    path: '/api/config/current',
    about: 'What the default app works with.',
    answers: {
      200: {
        about: 'Its name and the agents.',
        schema: z.object({
          graph: z.string(),
          runbooks_index: z.string(),
          tickets_index: z.string(),
          agents: z.record(z.string(), Agent),
        }),
      },
    },
    handle({ context }) {
      const agents = Object.fromEntries(agentsIn(context).map((agent) => [agent.name, agent]));
      const json = { graph: scenarioIn(context).name, runbooks_index: '', tickets_index: '', agents };
      return { status: 200, json };
    },
  }),
  route({
    ...shared,
    path: '/api/config/resources',
    about: 'Apps and agents, as a graph.',
    answers: {
      200: {
        about: 'Who asks whom is known when it happens, so there are no edges.',
        schema: z.object({
          nodes: z.array(
            z.object({
              id: z.string(),
              label: z.string(),
              type: z.enum(['orchestrator', 'agent']),
              meta: z.object({ model: z.string() }),
            }),
          ),
          edges: empty.list,
          scenario: z.string(),
        }),
      },
    },
    handle({ context }) {
      const node = (type: string, name: string, model: string): object => ({
        id: `${type}-${name}`,
        label: name,
        type,
        meta: { model },
      });
      const nodes = [
        ...context.home.apps.map(({ name }) => node('orchestrator', name, '')),
        ...agentsIn(context).map(({ name, model }) => node('agent', name, model)),
      ];
      return { status: 200, json: { nodes, edges: [], scenario: scenarioIn(context).name } };
    },
  }),
  route({
    ...shared,
    path: '/api/logs',
    role: 'operator',
    about: 'What this server answers to the tenant, line by line: the last lines, then those that come.',
    query: z.strictObject({ follow: z.enum(['true', 'false']).optional() }),
    answers: {
      200: { about: 'Events «log» {ts, level, name, msg}.', type: 'text/event-stream' },
    },
    handle: ({ context, caller: { tenant }, query: { follow } }) => ({
      status: 200,
      stream: (sink) => context.logTail.follow(tenant, sink, follow === 'false'),
    }),
  }),
  route({
    ...shared,
    method: 'POST',
    path: '/api/alert',
    about: 'Investigate something with the default app, and watch it in the answer.',
    role: 'member',
    body: z.strictObject({ text: z.string().min(1).max(1_000_000) }),
    answers: {
      200: { about: 'Named events, until it is done.', type: 'text/event-stream' },
      429: { about: 'Too many are under way.' },
    },
    async handle({ context, caller, body: { text } }) {
      const { run } = await startSession(context, caller, { scenario: '', text });
      const row = await context.home.dispatch.get(run);
      if (!row) throw missing('run', run);
      return { ...watchRun({ context, caller }, row, { as: 'console' }), beat: heartbeat };
    },
  }),
];

function agentsIn({ home }: ServerContext): readonly z.infer<typeof Agent>[] {
  return home.catalog.agents.map(({ name, description, model = '' }) => ({
    id: name,
    name,
    role: description,
    model,
    status: 'provisioned',
  }));
}

function scenarioIn({ home, defaultApp = '' }: ServerContext): {
  name: string;
  displayName: string;
  description: string;
} {
  const { description = '' } = home.apps.find(({ name }) => name === defaultApp) ?? {};
  return { name: defaultApp, displayName: defaultApp, description };
}
