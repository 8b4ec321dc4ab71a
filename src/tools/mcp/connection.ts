import {
  Client,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  type Tool as Definition,
} from '@modelcontextprotocol/client';
import type { Calls } from './calls.ts';
import { notStarted } from './start.ts';
import type { Clean } from './pins.ts';
import { httpTransport, type HttpServer } from './http.ts';
import { stdioTransport, type StdioServer } from './stdio.ts';

export type Endpoint = StdioServer | HttpServer;

/** A conversation with a server that is up. When the server goes, it is over for good, and another one is opened. */
export interface Connection {
  readonly client: Client;
  isOpen(): boolean;
  /** What the server offers, asked for again if it said that this changed. */
  tools(signal: AbortSignal): Promise<readonly Definition[]>;
  /** What the server offers, asked for in any case. */
  relist(signal: AbortSignal): Promise<readonly Definition[]>;
  close(): Promise<void>;
}

export type Dial = (signal: AbortSignal) => Promise<Connection>;

/** Milliseconds. `npx` may have to download the server before it starts. */
const startTime = 60_000;
const probeTime = 10_000;
const listTime = 30_000;

/** Who hears what a server says without being asked. */
interface Ears {
  readonly calls: Calls;
  /** It offers something else than it did. */
  readonly onChange: () => void;
  /** What it says of its tools, as it may be heard. */
  readonly clean: Clean;
}

/** How connections to one server are opened. What was learned about the age of its protocol is kept. */
export function dialer(server: string, endpoint: Endpoint, ears: Ears): Dial {
  let isLegacy = false;
  return async (signal) => {
    const transport = 'command' in endpoint ? stdioTransport(endpoint) : httpTransport(endpoint);
    const hangUp = (): void => void transport.close();
    signal.addEventListener('abort', hangUp, { once: true });
    try {
      signal.throwIfAborted();
      const connection = await talk(transport, ears, isLegacy);
      isLegacy = connection.client.getProtocolEra() === 'legacy';
      return connection;
    } catch (error) {
      await transport.close();
      signal.throwIfAborted();
      // Some servers exit at any request but the old handshake, so the next attempt begins with that one. A server
      // that says no to it was replaced by a newer one.
      isLegacy = isLegacy ? !isRefusal(error) : 'command' in endpoint && isRefusedProbe(error);
      throw notStarted(server, endpoint, {
        error,
        complaint: 'complaint' in transport ? transport.complaint() : '',
      });
    } finally {
      signal.removeEventListener('abort', hangUp);
    }
  };
}

async function talk(
  transport: ReturnType<typeof httpTransport | typeof stdioTransport>,
  { calls, onChange, clean }: Ears,
  isLegacy: boolean,
): Promise<Connection> {
  let isOpen = true;
  let changes = 0;
  let known: readonly Definition[] | undefined;
  const client = newClient(calls, () => {
    changes++;
    known = undefined;
    onChange();
  });
  client.onclose = () => (isOpen = false);
  await client.connect(transport, { timeout: startTime, ...(isLegacy ? { prior: { kind: 'legacy' } } : {}) });
  if (client.getProtocolEra() === 'legacy' && client.getServerCapabilities()?.logging !== undefined) {
    await client.setLoggingLevel('info', { timeout: listTime });
  }
  const relist = async (signal: AbortSignal): Promise<readonly Definition[]> => {
    const before = changes;
    const listed = await client.listTools(undefined, { signal, timeout: listTime, cacheMode: 'refresh' });
    const tools = cleanTools(listed.tools, clean);
    // A list that changed while it was fetched is good enough to look at, but not to check a call against.
    if (changes === before) known = tools;
    return tools;
  };
  return {
    client,
    isOpen: () => isOpen,
    tools: async (signal) => known ?? relist(signal),
    relist,
    close: () => transport.close(),
  };
}

/** It is called by its name as it came, and left out if that must not pass. */
function cleanTools(tools: readonly Definition[], clean: Clean): readonly Definition[] {
  const cleaned = clean(tools);
  return cleaned === tools
    ? tools
    : cleaned.map((tool, i) => ({ ...tool, name: tools[i]?.name ?? tool.name }));
}

function newClient(calls: Calls, onChanged: () => void): Client {
  const client = new Client(
    { name: 'vitrine', version: '1' },
    {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode: 'auto', probe: { timeoutMs: probeTime } },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged } },
    },
  );
  client.setRequestHandler('elicitation/create', ({ params }) => calls.ask(params));
  client.setNotificationHandler('notifications/message', ({ params: { data } }) => {
    calls.say(typeof data === 'string' ? data : JSON.stringify(data));
  });
  return client;
}

function isRefusal(error: unknown): boolean {
  return error instanceof ProtocolError || error instanceof SdkHttpError;
}

function isRefusedProbe(error: unknown): boolean {
  return error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed;
}
