// Vitrine over a real folder, with a coordinator of four agents that live elsewhere, one for each way to remember.
import type { Agent } from '../../src/catalog/agent.ts';
import { Engine } from '../engine.ts';
import type { Catalog } from '../../src/engine/world.ts';
import { coordinate } from '../../src/flows/coordinate/coordinate.ts';
import { conversationGateway } from '../../src/gateways/conversation/conversation.ts';
import { dialGateway } from '../../src/gateways/dial/dial.ts';
import type { Gateway } from '../../src/gateways/gateway.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import type { Store } from '../../src/stores/store.ts';
import { agentOf, testWorld, type Problem } from '../world.ts';
import { filesFor } from './told-state.ts';

export const agentNames = ['restore', 'conversation-id', 'stateless', 'shared'] as const;
export type AgentName = (typeof agentNames)[number];
export type Places = Readonly<Record<AgentName, string>>;

export interface Vitrine {
  readonly store: Store;
  readonly engine: Engine;
  readonly problems: readonly Problem[];
  /** `restore> hello` is for one agent, `restore+shared> hello` for two at once. */
  start(conversation: string, text: string): Promise<string>;
  close(): Promise<void>;
}

export async function openVitrine(folder: string, places: Places): Promise<Vitrine> {
  const store = await sqliteStore({ folder });
  const world = testWorld({ ...catalogOf(places) }, { store });
  const engine = new Engine(world, 'vitrine');
  const over = new AbortController();
  const working = engine.work(over.signal);
  return {
    store,
    engine,
    problems: world.problems,
    async start(conversation, text) {
      const attachments = filesFor(text);
      const input = attachments.length === 0 ? { text } : { text, attachments: [...attachments] };
      return (await engine.start({ app: 'test', flow, conversation, input })).run;
    },
    async close() {
      over.abort();
      await working;
      await store.close();
    },
  };
}

/** Whom a message is for. */
export function addressees(text: string): readonly AgentName[] {
  const names = (text.split('>')[0] ?? '').split('+');
  return agentNames.filter((name) => names.includes(name));
}

const flow = coordinate({
  router: 'router',
  writer: 'writer',
  fallback: 'stateless',
  agents: agentNames.map((name) => ({
    name,
    description: name,
    ...(name === 'shared' ? { receives: ['last'] } : {}),
  })),
});

function catalogOf(places: Places): Catalog {
  const dial = (name: AgentName): Gateway =>
    dialGateway({ baseUrl: places[name], deployment: name, key: 'k' });
  const idempotent = { description: '', effect: 'idempotent' } as const;
  const agents: Agent[] = [
    agentOf('router', ({ messages }) => {
      const tasks = addressees(messages.at(-1)?.text ?? '').map((agent) => ({ agent }));
      return [{ type: 'say', text: JSON.stringify({ strategy: 'parallel', tasks }) }];
    }),
    agentOf('writer', () => [{ type: 'say', text: 'Done.' }]),
    { ...idempotent, name: 'restore', gateway: dial('restore'), state: 'restore' },
    {
      name: 'conversation-id',
      description: '',
      gateway: conversationGateway({ baseUrl: places['conversation-id'] }),
      effect: 'once',
      state: 'conversation-id',
    },
    { ...idempotent, name: 'stateless', gateway: dial('stateless') },
    { ...idempotent, name: 'shared', gateway: dial('shared') },
  ];
  return { flows: [flow], agents, tools: [] };
}
