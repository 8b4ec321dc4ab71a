import { createContext, useContext, type ReactNode } from 'react';
import type { Client } from '../client/client.ts';

const Here = createContext<Client | undefined>(undefined);

/** Everything below talks to the server of this client. */
export function VitrineProvider({
  client,
  children,
}: {
  readonly client: Client;
  readonly children: ReactNode;
}): ReactNode {
  return <Here.Provider value={client}>{children}</Here.Provider>;
}

export function useVitrine(): Client {
  const client = useContext(Here);
  if (client) return client;
  throw new Error('Put <VitrineProvider client={vitrineClient({ url })}> around what uses Vitrine.');
}
