import { fileURLToPath } from 'node:url';
import type { DefinedConfig, Tool } from '../../src/index.ts';

/** The runbooks, to be searched; whoever does not ask them loads nothing for it. */
export function runbookSearch(): Tool {
  let opened: Promise<Tool> | undefined;
  return {
    name: 'search_runbooks',
    description:
      'Searches the runbooks by their words and gives the passages that fit best, with quotes to cite.',
    schema: {
      type: 'object',
      properties: { query: { type: 'string', minLength: 1, maxLength: 500 } },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'pure',
    untrusted: false,
    async run(input, context) {
      opened ??= openRunbooks();
      return (await opened).run(input, context);
    },
  };
}

async function openRunbooks(): Promise<Tool> {
  const { documentTools } = await import('../../src/index.ts');
  const root = fileURLToPath(new URL('../network/runbooks', import.meta.url));
  const [search] = documentTools({ root, trusted: true });
  if (!search) throw new Error('there is no tool that searches documents');
  return search;
}

type App = NonNullable<DefinedConfig['apps']>[string];

/** An application: one chat for the network, with a persona, guards, the runbooks, four agents and three workflows as its skills. */
export const networkDesk: App = {
  description: 'a guarded chat for the network: it plans, looks into the runbooks and asks its skills',
  examples: [
    'What do the runbooks say about a fibre cut?',
    'Which links have the highest utilisation?',
    'Is it down again?',
    'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01, urgent',
  ],
  flow: 'pipeline',
  guards: {
    input: [
      { guard: 'pii', action: 'redact' },
      { guard: 'safety', action: 'block' },
      { guard: 'rules', text: 'BLOCK: root password' },
    ],
    output: [{ guard: 'pii', action: 'redact' }],
  },
  settings: {
    models: { planner: 'demo-model', enhancer: 'demo-model', general: 'demo-model' },
    persona: { preset: 'Technical Expert' },
    retrieval: { tools: ['search_runbooks'], passages: 5 },
    skills: [
      {
        name: 'TelemetryAgent',
        type: 'agent',
        title: 'Telemetry',
        description: 'measurements: utilisation, latency, errors and loss of links and routers',
        passages: false,
      },
      {
        name: 'HistoricalTicketAgent',
        type: 'agent',
        title: 'Tickets',
        description: 'earlier incidents and tickets: what happened before and how it was solved',
        passages: false,
      },
      {
        name: 'users',
        type: 'agent',
        title: 'User management',
        description: 'users: list, search, create, update, delete people and accounts',
        passages: false,
      },
      {
        name: 'FieldDispatchAgent',
        type: 'agent',
        title: 'Field dispatch',
        description: 'dispatch: sends a field engineer or crew to a link or a site',
        passages: false,
      },
      {
        name: 'change-notice',
        type: 'workflow',
        title: 'Change notice',
        description: 'notices: drafts and posts a change notice of planned work',
        passages: false,
      },
      {
        name: 'link-survey',
        type: 'workflow',
        title: 'Link survey',
        description: 'surveys: makes a survey table and has it reviewed',
        passages: false,
      },
      {
        name: 'watch-link',
        type: 'workflow',
        title: 'Watch a link',
        description: 'watching: keeps watch, waits and looks again later',
        passages: false,
      },
    ],
    chat: {
      welcome: 'Ask about links, tickets, people or runbooks; a field engineer goes out when you agree.',
      disclaimer: 'The model of this demo is a script. The network, its agents and their data are real.',
      sorry: 'I am sorry, I cannot help with that.',
      starters: [
        'What do the runbooks say about a fibre cut?',
        'Which links have the highest utilisation?',
        'Which tickets are about Perth?',
      ],
    },
  },
};
