// The demo world, loaded like anyone's configuration. It says where its agents are and how they remember; the flow that
// coordinates them is one of those that ship.
import type { DefinedConfig } from '../src/index.ts';
import { demoWorld, type WorldSettings } from './world.ts';

const network = [
  [
    'GraphExplorerAgent',
    'Network graph',
    'share-2',
    'sites, routers, links, paths: what depends on what, which paths and services use a link',
  ],
  [
    'TelemetryAgent',
    'Telemetry',
    'activity',
    'measurements: utilisation, latency, errors and loss of links and routers, as tables',
  ],
  [
    'RunbookKBAgent',
    'Runbooks',
    'book-open',
    'runbooks: what to do about fibre cuts, congestion, flapping, with citations',
  ],
  [
    'HistoricalTicketAgent',
    'Tickets',
    'history',
    'earlier incidents and tickets: what happened before and how it was solved',
  ],
] as const;

/** Whoever asks to delete or remove must be asked back. */
const isDeletion = (message: string): boolean => /\b(delete|remove|erase)\b/i.test(message);

export default function demoConfig(settings: WorldSettings): DefinedConfig {
  const world = demoWorld(settings);
  return {
    agents: {
      'demo-model': { description: 'The scripted model.', gateway: world.model, effect: 'pure' },
      general: {
        description: 'Calculates by running code, searches documents, reads files, draws charts.',
        gateway: world.general,
        state: 'restore',
        effect: 'idempotent',
      },
      users: {
        description: 'Lists, searches, creates, updates and deletes users.',
        gateway: world.users,
        state: 'conversation-id',
        effect: 'once',
        approval: isDeletion,
      },
      FieldDispatchAgent: {
        description: 'Dispatches a field engineer to a link or a site.',
        gateway: world.network('FieldDispatchAgent'),
        effect: 'once',
        approval: 'always',
      },
      ...Object.fromEntries(
        network.map(([name, , , description]) => [
          name,
          { description, gateway: world.network(name), effect: 'pure' as const },
        ]),
      ),
    },
    apps: {
      demo: {
        description: 'a coordinator with seven agents: calculation and documents, users, network operations',
        flow: 'coordinate',
        settings: {
          router: 'demo-model',
          writer: 'demo-model',
          fallback: 'general',
          agents: [
            {
              name: 'general',
              title: 'General agent',
              icon: 'sparkles',
              description: 'calculation (fibonacci and other numbers), code, documents, files, charts',
              strategy: 'restore',
            },
            {
              name: 'users',
              title: 'User management',
              icon: 'users',
              description: 'users: list, search, create, update, delete people and accounts',
              strategy: 'conversation-id',
            },
            {
              name: 'FieldDispatchAgent',
              title: 'Field dispatch',
              icon: 'truck',
              description: 'dispatch: sends a field engineer or crew to a link or a site',
              strategy: 'stateless',
            },
            ...network.map(([name, title, icon, description]) => ({
              name,
              title,
              icon,
              description,
              strategy: 'stateless',
            })),
          ],
        },
      },
    },
    close: () => world.close(),
  };
}
