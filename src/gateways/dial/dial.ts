import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { peerHeader } from '../../wire/dial.ts';
import { agentFailure, mayRepeat } from '../agent-refusal.ts';
import {
  askAgain,
  type Refusal,
  type Surroundings,
  type Complaints,
  channelled,
  type EventChannel,
} from '../http/event-channel.ts';
import { askChat, type Limits } from '../chat/attempt.ts';
import {
  pathOf,
  readSecret,
  requestHeaders,
  type Secret,
  urlBelow,
  agentKeepAlive,
  defaultTimeouts,
  httpEndpoint,
  type HttpRequest,
  type Timeouts,
} from '../http/http-exchange.ts';
import { dialDialect } from './dialect.ts';
import { dialRequest } from './request.ts';
import type { Dialect } from '../dialect.ts';
import type { Gateway, Turn } from '../gateway.ts';
import { tell } from '../http/tell.ts';

export interface DialSettings {
  /** Where DIAL Core, or an application of its own, is: `https://host`. */
  readonly baseUrl: string;
  /** The id of the deployment, as DIAL Core lists it. */
  readonly deployment: string;
  readonly apiVersion?: string;
  /** Sent as `Api-Key`, without which DIAL answers nothing. */
  readonly key: Secret;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeouts?: Partial<Timeouts>;
  readonly limits?: Limits & {
    /** Characters of one attachment or of one piece of a stage; 4 Mi unless said. A longer one is left out. */
    readonly part?: number;
  };
}

const defaultVersion = '2025-01-01-preview';

/**
 * Any DIAL deployment. It may act on what it is told, so it is asked again only if it certainly has not, or if that does no
 * harm.
 */
export function dialGateway(settings: DialSettings, surroundings: Surroundings = {}): Gateway {
  const { baseUrl, deployment, apiVersion = defaultVersion } = settings;
  const url = urlBelow(baseUrl, `openai/deployments/${deployment}/chat/completions`, 'https://host');
  url.searchParams.set('api-version', apiVersion);
  const endpoint = httpEndpoint(url, { ...defaultTimeouts, ...settings.timeouts }, agentKeepAlive);
  const who = `Deployment ${deployment}`;
  const ask = async (turn: Turn, begun: (run: string) => void, channel: EventChannel): Promise<void> => {
    const { request, secrets } = requestOf(settings, { turn, who, path: pathOf(url) });
    const dialect = (complaints: Complaints): Dialect =>
      dialDialect(who, complaints, { largestPart: settings.limits?.part, begun });
    const asking = { who, turn, channel, endpoint, limits: settings.limits, secrets, dialect };
    const mayAskAgain = (refusal: Refusal): boolean => mayRepeat(turn, refusal);
    const refusal = await askAgain({ channel, mayAskAgain, ...surroundings }, () => askChat(request, asking));
    if (refusal !== undefined) throw agentFailure(turn, refusal);
  };
  return {
    takeTurn(turn, signal) {
      const named = Promise.withResolvers<string | undefined>();
      const told = channelled(signal, (channel) =>
        ask(turn, named.resolve, channel).finally(() => named.resolve(undefined)),
      );
      const tokenOf = (run: string | undefined): Json | undefined => run && { run };
      return { ...told, token: () => named.promise.then(tokenOf) };
    },
    cancel: (token, signal) => tellStop(settings, who, { token, signal }),
  };
}

const Token = z.object({ run: z.string() });

/** In DIAL there is no way to stop but to hang up, which means nothing to a Vitrine: it is told by its own API. */
async function tellStop(
  settings: DialSettings,
  who: string,
  { token, signal }: { readonly token: Json; readonly signal: AbortSignal },
): Promise<void> {
  const { run } = Token.parse(token);
  const url = urlBelow(settings.baseUrl, `api/runs/${encodeURIComponent(run)}/stop`, 'https://host');
  const headers = { authorization: `Bearer ${readSecret(settings.key, who)}` };
  await tell(who, url, { headers, body: {}, signal });
}

interface Asked {
  readonly turn: Turn;
  readonly who: string;
  readonly path: string;
}

function requestOf(
  settings: DialSettings,
  { turn, who, path }: Asked,
): { readonly request: HttpRequest; readonly secrets: readonly string[] } {
  const { headers: own = {} } = settings;
  const key = readSecret(settings.key, who);
  if (key === '')
    throw new RunError('unauthenticated', `${who} needs a key; set key to one that DIAL knows.`);
  const needed = {
    'api-key': key,
    'x-conversation-id': encodeURIComponent(turn.conversation),
    [peerHeader]: '1',
  };
  const headers = requestHeaders(turn, needed, own);
  const body = JSON.stringify(dialRequest(turn));
  return { request: { method: 'POST', path, headers, body }, secrets: [key, ...Object.values(own)] };
}
