import { setTimeout as delay } from 'node:timers/promises';
import {
  isJSONRPCRequest,
  StreamableHTTPClientTransport,
  type FetchLike,
} from '@modelcontextprotocol/client';
import { Agent, fetch as undiciFetch } from 'undici';

export interface HttpServer {
  readonly url: string;
  /** For instance `Authorization`. Sent to this server only, also when it redirects. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Marks an answer that we made up because the server's stream ended without one. */
export const lostStream = 'vitrine/stream-lost';

/** Milliseconds to say goodbye to the server. */
const farewell = 1000;

/**
 * Streamable HTTP with two repairs: a call whose stream ends without a result fails at once (the client would wait for
 * its timeout), and a stream may be silent for as long as a person thinks (undici would cut it after five minutes).
 */
export function httpTransport({ url, headers }: HttpServer): StreamableHTTPClientTransport {
  const agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 });
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    fetch: fetchWith(agent),
    requestInit: { headers: { ...headers } },
    reconnectionOptions: {
      initialReconnectionDelay: 250,
      maxReconnectionDelay: 2000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 3,
    },
  });
  failLostCalls(transport);
  leavePolitely(transport, agent);
  return transport;
}

function fetchWith(agent: Agent): FetchLike {
  // Node's own fetch is the same code, but the two declare their types apart.
  return (target, init) =>
    undiciFetch(target, { ...init, dispatcher: agent } as object) as Promise<unknown> as Promise<Response>;
}

function failLostCalls(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    if (Array.isArray(message) || !isJSONRPCRequest(message)) return send(message, options);
    const error = { code: -32000, message: 'The stream ended without a result', data: lostStream };
    const onRequestStreamEnd = (): void => {
      options?.onRequestStreamEnd?.();
      // After a result this is an answer to nobody, which the client ignores.
      transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error });
    };
    return send(message, { ...options, onRequestStreamEnd });
  };
}

function leavePolitely(transport: StreamableHTTPClientTransport, agent: Agent): void {
  const close = transport.close.bind(transport);
  let ending: Promise<void> | undefined;
  transport.close = () => (ending ??= leave());
  async function leave(): Promise<void> {
    const goodbye = transport.terminateSession().catch(() => undefined);
    await Promise.race([goodbye, delay(farewell)]);
    await close();
    await agent.destroy();
  }
}
