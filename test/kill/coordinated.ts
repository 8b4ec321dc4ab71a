// A coordinator over agents that live in processes of their own, one of which deletes a user.
import type { Agent } from '../../src/catalog/agent.ts';
import type { Catalog } from '../../src/engine/world.ts';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import { conversationGateway } from '../../src/gateways/conversation/conversation.ts';
import { dialGateway } from '../../src/gateways/dial/dial.ts';
import type { Move, Script } from '../../src/gateways/scripted/script.ts';
import { agentOf } from '../world.ts';

/** Where the agents are. */
export interface Places {
  readonly users: string;
  readonly general: string;
}

const plan = JSON.stringify({
  strategy: 'parallel',
  reasoning: 'both are needed',
  tasks: [{ agent: 'general' }, { agent: 'users' }],
});

const words = (text: string): Move[] => text.split(/(?<= )/).map((piece) => ({ type: 'say', text: piece }));
const router: Script = () => words(plan);
const writer: Script = ({ messages }) =>
  words(`Done. ${messages.at(-1)?.text.length ?? 0} characters were read.`);

const coordinated = coordinate(
  {
    router: 'router',
    writer: 'writer',
    fallback: 'general',
    agents: [
      { name: 'general', description: 'calculates' },
      { name: 'users', description: 'manages users' },
    ],
  },
  'coordinated',
);

export function coordinatedCatalog({ users, general }: Places): Catalog {
  const remote: Agent[] = [
    {
      name: 'general',
      description: 'calculates',
      gateway: dialGateway({ baseUrl: general, deployment: 'general-purpose-agent', key: 'k' }),
      effect: 'idempotent',
      state: 'restore',
    },
    {
      name: 'users',
      description: 'manages users',
      gateway: conversationGateway({ baseUrl: users }),
      effect: 'once',
      state: 'conversation-id',
    },
  ];
  return {
    flows: [coordinated],
    agents: [agentOf('router', router), agentOf('writer', writer), ...remote],
    tools: [],
  };
}
