import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Gateway } from '../src/index.ts';
import type { AgentModel } from './agent/model-settings.ts';
import type { DemoServer } from './loopback-server.ts';

/** What the world is told when it is made. */
export interface WorldSettings {
  /** Where its databases are kept. */
  readonly data: string;
  readonly pace: number;
}

/** The servers of the demo world, each started when it is first needed. */
export interface World {
  readonly model: Gateway;
  readonly general: Gateway;
  readonly users: Gateway;
  network(deployment: string): Gateway;
  close(): Promise<void>;
}

const key = 'demo';

/** A real multi-agent system on loopback: nothing is loaded, and no port is opened, before somebody asks for it. */
export function demoWorld({ data, pace }: WorldSettings): World {
  const servers = new Map<string, Promise<DemoServer>>();
  const start = (name: string, begin: () => Promise<DemoServer>): Promise<DemoServer> => {
    const running = servers.get(name) ?? begin();
    servers.set(name, running);
    return running;
  };
  const modelUrl = async (): Promise<AgentModel> => {
    const given = process.env['MODEL_URL'];
    if (given !== undefined) return (await import('./agent/model-settings.ts')).modelFrom(process.env);
    const { startModel } = await import('./model/server.ts');
    const { url } = await start('model', () => startModel({ pace }));
    return { baseUrl: `${url}/v1`, model: 'vitrine-scripted' };
  };
  const dial = async (server: DemoServer, deployment: string): Promise<Gateway> => {
    const { dialGateway, sectionedGateway } = await import('../src/index.ts');
    return sectionedGateway(dialGateway({ baseUrl: server.url, deployment, key }), deployment);
  };
  return {
    model: lazily(async () => (await import('../src/index.ts')).openAiChatGateway(await modelUrl())),
    general: lazily(async () => {
      const { startGeneralAgent } = await import('./general-agent/server.ts');
      const model = await modelUrl();
      mkdirSync(data, { recursive: true, mode: 0o700 });
      const log = join(data, 'demo-general-agent.jsonl');
      return dial(await start('general', () => startGeneralAgent({ model, log })), 'general-purpose-agent');
    }),
    users: lazily(async () => {
      const { startUserService } = await import('./user-service/server.ts');
      const model = await modelUrl();
      mkdirSync(data, { recursive: true, mode: 0o700 });
      const database = join(data, 'demo-users.db');
      const { url } = await start('users', () => startUserService({ model, database }));
      return (await import('../src/index.ts')).conversationGateway({ baseUrl: url, records: 'before' });
    }),
    network: (deployment) =>
      lazily(async () => {
        const { startNetwork } = await import('./network/server.ts');
        const model = await modelUrl();
        return dial(await start('network', () => startNetwork({ model })), deployment);
      }),
    async close() {
      for (const server of await Promise.allSettled(servers.values())) {
        if (server.status === 'fulfilled') await server.value.close();
      }
    },
  };
}

/** A gateway that is made when its first turn comes. */
function lazily(make: () => Promise<Gateway>): Gateway {
  let made: Promise<Gateway> | undefined;
  const gateway = (): Promise<Gateway> => (made ??= make());
  return {
    async *takeTurn(turn, signal) {
      yield* (await gateway()).takeTurn(turn, signal);
    },
    async arrived(turn, signal) {
      return (await gateway()).arrived?.(turn, signal);
    },
    async answered(turn, signal) {
      return (await gateway()).answered?.(turn, signal);
    },
  };
}
