// The demo world, loaded like anyone's configuration. It says where its agents are and how they remember; the flow that
// coordinates them is one of those that ship.
import { fileURLToPath } from 'node:url';
import type { DefinedConfig } from '../src/index.ts';
import { asksToPost } from './duty-desk/posting.ts';
import { asksForDeletion } from './user-service/deletion.ts';
import { deskTools } from './network/desk-tools.ts';
import { isScripted } from './servers.ts';
import { networkDesk, runbookSearch } from './network-desk/app.ts';
import { tour } from './tour/tour.ts';
import { demoWorld, type World, type WorldSettings } from './world.ts';

export default function demoConfig(settings: WorldSettings): DefinedConfig {
  const world = demoWorld(settings);
  const library = fileURLToPath(new URL('./general-agent/library', import.meta.url));
  const { agents, tools, apps } = tour(settings);
  return {
    agents: { ...agentsOf(world), ...agents },
    tools: [
      { files: library, trusted: true },
      { documents: library, trusted: true },
      runbookSearch(),
      ...tools,
      ...deskTools(world.centre),
    ],
    apps: {
      demo: {
        description:
          'a coordinator with eight agents: calculation and documents, users, network operations, the duty desk',
        examples: [
          'What paths depend on LINK-SYD-MEL-FIBRE-01?',
          'Which services are at risk and what does the runbook say?',
          'What is the route from Perth to Hobart?',
          'Draw a chart of the first 12 fibonacci numbers',
          'List users named John',
          'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01, urgent',
        ],
        flow: 'coordinate',
        settings: { router: 'demo-model', writer: 'demo-model', fallback: 'general', agents: delegates },
      },
      library: {
        description:
          'one agent with the files and documents of the library, in two stages: tools first, then the answer',
        examples: ['Summarise the capacity review', 'Find “severity” in the files'],
        flow: 'converse',
        settings: {
          agent: 'demo-model',
          system: 'Answer from the library. Use tools where they help, and say which file it comes from.',
          tools: ['list_files', 'read_file', 'search_files', 'search_documents'],
          rules: { protocol: 'two-stage' },
        },
      },
      'network-desk': networkDesk,
      ...apps,
    },
    defaultApp: 'demo',
    ...(isScripted() ? { notice: scriptedNotice } : {}),
    close: () => world.close(),
  };
}

const scriptedNotice =
  'The model of the demo is a script: it follows rules and knows nothing else. The agents, their data, the tools and the ' +
  'journal are real. MODEL_URL, MODEL and MODEL_KEY put a real model in its place.';

/** Who can be sent work, as the router is told of them. */
const delegates = [
  {
    name: 'general',
    title: 'General agent',
    icon: 'sparkles',
    description: 'calculation (fibonacci and other numbers), code, documents, files, charts',
  },
  {
    name: 'users',
    title: 'User management',
    icon: 'users',
    description: 'users: list, search, create, update, delete people and accounts',
  },
  {
    name: 'FieldDispatchAgent',
    title: 'Field dispatch',
    icon: 'truck',
    description: 'dispatch: sends a field engineer or crew to a link or a site',
  },
  {
    name: 'GraphExplorerAgent',
    title: 'Network graph',
    icon: 'share-2',
    description: 'sites, routers, links, paths: what depends on what, which paths and services use a link',
  },
  {
    name: 'TelemetryAgent',
    title: 'Telemetry',
    icon: 'activity',
    description: 'measurements: utilisation, latency, errors and loss of links and routers, as tables',
  },
  {
    name: 'RunbookKBAgent',
    title: 'Runbooks',
    icon: 'book-open',
    description: 'runbooks: what to do about fibre cuts, congestion, flapping, with citations',
  },
  {
    name: 'HistoricalTicketAgent',
    title: 'Tickets',
    icon: 'history',
    description: 'earlier incidents and tickets: what happened before and how it was solved',
  },
  {
    name: 'DutyDeskAgent',
    title: 'Duty desk',
    icon: 'phone',
    description: 'duty desk: who is on call (roster), spare parts in stock, notices and planned work',
  },
] as const;

/** All of them are of this house, so what one says may be told to another without asking. */
function agentsOf(world: World): NonNullable<DefinedConfig['agents']> {
  const reading = ['GraphExplorerAgent', 'TelemetryAgent', 'RunbookKBAgent', 'HistoricalTicketAgent'];
  return {
    'demo-model': { description: 'The scripted model.', gateway: world.model, effect: 'pure' },
    general: {
      description: 'Calculates, searches, draws.',
      gateway: world.general,
      state: 'restore',
      effect: 'idempotent',
      trusted: true,
    },
    users: {
      description: 'Manages users.',
      gateway: world.users,
      state: 'conversation-id',
      effect: 'once',
      trusted: true,
      approval: asksForDeletion,
    },
    FieldDispatchAgent: {
      description: 'Dispatches field engineers.',
      gateway: world.network('FieldDispatchAgent'),
      effect: 'once',
      trusted: true,
      approval: 'always',
    },
    DutyDeskAgent: {
      description: 'Knows who is on call, what is in stock, and what is on the notice board.',
      gateway: world.dutyDesk,
      state: 'restore',
      // What it puts up carries the key of the turn, and the board keeps one notice for a key.
      effect: 'idempotent',
      trusted: true,
      approval: asksToPost,
    },
    ...Object.fromEntries(
      reading.map((name) => [
        name,
        { description: name, gateway: world.network(name), effect: 'pure' as const },
      ]),
    ),
  };
}
