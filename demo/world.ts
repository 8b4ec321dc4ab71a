import type { Gateway } from '../src/index.ts';
import { lazily } from './lazily.ts';
import type { DemoServer } from './loopback-server.ts';
import { demoServers, type WorldSettings } from './servers.ts';

export type { WorldSettings };

/** Everyone in the demo world who can take a turn. */
export interface World {
  readonly model: Gateway;
  readonly general: Gateway;
  readonly users: Gateway;
  readonly dutyDesk: Gateway;
  network(deployment: string): Gateway;
  /** Where the operations centre is; it is started by whoever asks first. */
  centre(): Promise<{ readonly url: string }>;
  close(): Promise<void>;
}

const key = 'demo';

/** A real multi-agent system on loopback. */
export function demoWorld(settings: WorldSettings): World {
  const servers = demoServers(settings);
  return {
    model: {
      ...lazily(async () => {
        const [{ openAiChatGateway }, model] = await Promise.all([
          import('../src/index.ts'),
          servers.model(),
        ]);
        return openAiChatGateway(model);
      }),
      model: servers.modelName,
    },
    general: lazily(async () => dial(await servers.get('general'), 'general-purpose-agent')),
    users: lazily(async () => {
      const { url } = await servers.get('users');
      return (await import('../src/index.ts')).conversationGateway({ baseUrl: url, records: 'before' });
    }),
    dutyDesk: lazily(async () => dial(await servers.get('dutyDesk'), 'DutyDeskAgent')),
    network: (deployment) => lazily(async () => dial(await servers.get('network'), deployment)),
    centre: () => servers.get('network'),
    close: () => servers.close(),
  };
}

async function dial({ url }: DemoServer, deployment: string): Promise<Gateway> {
  const { dialGateway, sectionedGateway } = await import('../src/index.ts');
  return sectionedGateway(dialGateway({ baseUrl: url, deployment, key }), deployment);
}
