import { type Agent, fetch, type Response } from 'undici';
import { z } from 'zod';
import { RunError } from '../../run/failure.ts';
import type { Json } from '../../run/values.ts';
import { isPublicAddress } from './address.ts';
import { functionTool } from '../function.ts';
import { readBody } from './body.ts';
import { doubt, isPure, requestFailure } from './failure.ts';
import { addressesOf, guardedAgent, type HttpGuard } from './guard.ts';
import { checkHeaders, headersForOthers } from './headers.ts';
import { checkUrl, type HostRules } from './url.ts';
import { within } from '../stop.ts';
import type { ApprovalRule, Tool, ToolContext } from '../tool.ts';

export interface HttpToolsOptions extends HostRules, Partial<HttpGuard> {
  readonly limits?: Partial<HttpLimits>;
  /** When a person must agree to `http_send`; always, unless said. */
  readonly approval?: ApprovalRule;
  /** All hosts that can be reached are ours: what they say is not foreign, and what they get has not left. */
  readonly trusted?: boolean;
}

export interface HttpLimits {
  readonly seconds: number;
  /** Of the answer, after decompression. */
  readonly bytes: number;
  readonly redirects: number;
}

export const usualLimits: HttpLimits = { seconds: 30, bytes: 262_144, redirects: 5 };

/** What requests of one kind may reach, and may use. */
export interface HttpSettings {
  readonly rules: HostRules;
  readonly trusted: boolean;
  readonly guard: HttpGuard;
  readonly limits: HttpLimits;
}

/** `http_get`, which only reads, and `http_send`, which may change things and therefore asks first. */
export function httpTools(options: HttpToolsOptions = {}): Tool[] {
  const {
    limits,
    approval = 'always',
    isAllowed = isPublicAddress,
    lookup = addressesOf,
    trusted = false,
    ...rules
  } = options;
  const settings = { rules, trusted, guard: { isAllowed, lookup }, limits: { ...usualLimits, ...limits } };
  return [httpGet(settings), httpSend(settings, approval)];
}

const url = z.string().min(1).max(8192).describe('The web address, beginning with http:// or https://.');
const headers = z.record(z.string(), z.string()).default({}).describe('Headers to send, by name.');

function httpGet(settings: HttpSettings): Tool {
  return functionTool({
    name: 'http_get',
    description: 'Fetches a web address and gives status, headers and the text or JSON of the answer.',
    effect: 'pure',
    // An address is a message, too: its path, its query and even its host reach whoever is there.
    sends: !settings.trusted,
    untrusted: !settings.trusted,
    timeout: settings.limits.seconds * 1000 + 5000,
    input: z.strictObject({
      url,
      method: z.enum(['GET', 'HEAD']).default('GET').describe('HEAD asks for the headers only.'),
      headers,
    }),
    run: (input, context) =>
      request(
        settings,
        { ...input, headers: checkHeaders(input.headers), hops: settings.limits.redirects },
        context,
      ),
  });
}

function httpSend(settings: HttpSettings, approval: ApprovalRule): Tool {
  return functionTool({
    name: 'http_send',
    description:
      'Sends a request that may change something to a web address. Redirects are told, not followed.',
    effect: 'once',
    approval,
    sends: !settings.trusted,
    untrusted: !settings.trusted,
    timeout: settings.limits.seconds * 1000 + 5000,
    input: z.strictObject({
      url,
      method: z
        .enum(['POST', 'PUT', 'PATCH', 'DELETE'])
        .default('POST')
        .describe('What kind of request it is.'),
      headers,
      body: z.string().max(1_000_000).optional().describe('The text to send.'),
      json: z.unknown().optional().describe('A value to send as JSON, instead of `body`.'),
    }),
    run({ body, json, ...input }, context) {
      if (body !== undefined && json !== undefined) {
        throw new RunError('malformed', '`body` and `json` cannot both be given; leave out one.');
      }
      const given = checkHeaders(input.headers);
      if (!given.has('idempotency-key')) given.set('idempotency-key', context.idempotencyKey);
      if (json !== undefined && !given.has('content-type')) given.set('content-type', 'application/json');
      const sent = json === undefined ? body : JSON.stringify(json);
      return request(settings, { ...input, headers: given, hops: 0, body: sent }, context);
    },
  });
}

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly body?: string;
  readonly hops: number;
}

/** Send a request within its bounds, and give what was answered. */
export async function request(
  settings: HttpSettings,
  asked: HttpRequest,
  context: ToolContext,
): Promise<Json> {
  const { seconds } = settings.limits;
  const sentence = `The request to \`url\` took longer than ${seconds} s${isPure(asked.method) ? '' : doubt}.`;
  // One for each request: nothing of it, not even an open connection, is shared with another run.
  const agent = guardedAgent(settings.guard);
  try {
    return await within({ milliseconds: seconds * 1000, sentence }, context, (limited) =>
      follow(settings, asked, { agent, context: limited }),
    );
  } finally {
    await agent.destroy();
  }
}

interface Line {
  readonly agent: Agent;
  readonly context: ToolContext;
}

async function follow(settings: HttpSettings, asked: HttpRequest, line: Line): Promise<Json> {
  const { method } = asked;
  let at = checkUrl(asked.url, settings.rules);
  let { headers: sent } = asked;
  for (let left = asked.hops; ; left--) {
    try {
      const response = await send(at, { ...asked, headers: sent }, line);
      const next = asked.hops > 0 ? redirectOf(response) : undefined;
      if (next === undefined) return await answerOf(response, at, settings.limits.bytes);
      if (left === 0) throw new RunError('rejected', `\`url\` was redirected more than ${asked.hops} times.`);
      await response.body?.cancel();
      const target = checkUrl(next, settings.rules, at);
      if (target.origin !== at.origin) sent = headersForOthers(sent);
      at = target;
    } catch (error) {
      throw requestFailure(error, { method, url: at });
    }
  }
}

function send(at: URL, asked: HttpRequest, { agent, context }: Line): Promise<Response> {
  const { method, body } = asked;
  context.say(`${method} ${at.href.slice(0, 300)}\n`);
  return fetch(at, {
    method,
    headers: Object.fromEntries(asked.headers),
    redirect: 'manual',
    dispatcher: agent,
    signal: context.signal,
    body,
  });
}

function redirectOf(response: Response): string | undefined {
  return [301, 302, 303, 307, 308].includes(response.status)
    ? (response.headers.get('location') ?? undefined)
    : undefined;
}

const told = ['content-type', 'location', 'retry-after', 'link', 'etag', 'last-modified'];

async function answerOf(response: Response, at: URL, limit: number): Promise<Json> {
  const { status } = response;
  const shown = Object.fromEntries(
    told.flatMap((name) => {
      const value = response.headers.get(name);
      return value === null ? [] : [[name, value.slice(0, 2000)]];
    }),
  );
  return { status, url: at.href, headers: shown, ...(await readBody(response, limit)) };
}
