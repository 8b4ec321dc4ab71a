// The coordinator whose run is in `golden/numbered-plan.journal`, recorded when plans named tasks by their places: agents
// that say the same whenever they are asked, one that fails, work that needs it, and a circle.
import type { Agent } from '../src/catalog/agent.ts';
import type { CoordinateSettings } from '../src/flows/coordinate/settings.ts';
import { agentOf } from './world.ts';

export const numbered: CoordinateSettings = {
  router: 'router',
  writer: 'writer',
  fallback: 'books',
  agents: ['graph', 'books', 'shaky'].map((name) => ({
    name,
    title: name.toUpperCase(),
    description: name,
  })),
};

const plan = {
  strategy: 'hybrid',
  reasoning: 'All of it.',
  tasks: [
    { agent: 'graph' },
    { agent: 'shaky' },
    { agent: 'books', dependsOn: [0] },
    { agent: 'graph', dependsOn: [1] },
    { agent: 'books', dependsOn: [5] },
    { agent: 'books', dependsOn: [4] },
  ],
};

export function cast(): readonly Agent[] {
  const saying = (name: string, text: string): Agent => agentOf(name, () => [{ type: 'say', text }]);
  return [
    saying('router', JSON.stringify(plan)),
    saying('writer', 'All was written.'),
    saying('graph', 'three paths'),
    saying('books', 'page 4'),
    agentOf('shaky', () => [{ type: 'fail', code: 'unavailable', message: 'It is down.' }]),
  ];
}
