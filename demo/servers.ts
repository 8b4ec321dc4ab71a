import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { modelFrom, type AgentModel } from './agent/model-settings.ts';
import type { DemoServer } from './loopback-server.ts';

/** What the servers are told when they are made. */
export interface WorldSettings {
  /** Where their databases are kept. */
  readonly data: string;
  readonly pace: number;
}

/** The servers of the demo world, each started when it is first needed. */
export interface Servers {
  readonly get: (name: keyof typeof starters) => Promise<DemoServer>;
  /** The model all agents think with. */
  readonly model: () => Promise<AgentModel>;
  readonly modelName: string;
  close(): Promise<void>;
}

interface Surroundings extends Pick<Servers, 'get' | 'model'> {
  readonly pace: number;
  /** The place of a file that is kept. */
  readonly file: (name: string) => string;
}

/** How each is started. Nothing is loaded, and no port is opened, before somebody asks for it. */
const starters = {
  async model({ pace }: Surroundings) {
    return (await import('./model/server.ts')).startModel({ pace });
  },
  async general({ model, file }: Surroundings) {
    const { startGeneralAgent } = await import('./general-agent/server.ts');
    return startGeneralAgent({ model: await model(), log: file('demo-general-agent.jsonl') });
  },
  async users({ model, file }: Surroundings) {
    const { startUserService } = await import('./user-service/server.ts');
    return startUserService({ model: await model(), database: file('demo-users.db') });
  },
  async network({ model, file }: Surroundings) {
    const { startNetwork } = await import('./network/server.ts');
    return startNetwork({ model: await model(), records: file('demo-network.db') });
  },
  async roster() {
    return (await import('./roster/server.ts')).startRoster();
  },
  async dutyDesk({ model, get }: Surroundings) {
    const { startDutyDesk } = await import('./duty-desk/server.ts');
    const [network, roster] = await Promise.all([get('network'), get('roster')]);
    return startDutyDesk({
      model: await model(),
      board: `${network.url}/notices`,
      roster: `${roster.url}/mcp`,
    });
  },
};

const scripted = 'vitrine-scripted';

/** Whether nobody has named a model of their own. */
export function isScripted(): boolean {
  return process.env['MODEL_URL'] === undefined;
}

export function demoServers({ data, pace }: WorldSettings): Servers {
  const running = new Map<string, Promise<DemoServer>>();
  const get: Servers['get'] = (name) => {
    const server = running.get(name) ?? starters[name]({ get, model, file, pace });
    running.set(name, server);
    return server;
  };
  const model = async (): Promise<AgentModel> => {
    if (!isScripted()) return modelFrom(process.env);
    return { baseUrl: `${(await get('model')).url}/v1`, model: scripted };
  };
  const file = (name: string): string => {
    mkdirSync(data, { recursive: true, mode: 0o700 });
    return join(data, name);
  };
  return {
    get,
    model,
    modelName: isScripted() ? scripted : modelFrom(process.env).model,
    async close() {
      for (const server of await Promise.allSettled(running.values()))
        if (server.status === 'fulfilled') await server.value.close();
    },
  };
}
