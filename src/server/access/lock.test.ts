import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  appWith,
  keyAt,
  keyIn,
  serving,
  temporaryFolder,
  textAt,
  type Serving,
} from '../../../test/serving.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

type Headers = Readonly<Record<string, string>>;

/** Who somebody is who comes with these headers and no key, and what they are told. */
function strangerAt({ url }: Serving, headers: Headers): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asking = request(`${url}/api/me`, { headers: { ...headers } }, (answer) => {
      const { statusCode: status = 0 } = answer;
      answer.toArray().then((pieces) => resolve({ status, text: pieces.join('') }), reject);
    });
    asking.on('error', reject);
    asking.end();
  });
}

describe('[V17] a server that others may reach asks for a key', () => {
  test('[S60] as the guide of proxies sets it up: a host is named, the request was forwarded', async () => {
    const at = await serving({ config: { apps, server: { hosts: ['vitrine.example'] } } });
    const forwarded = { host: 'vitrine.example', 'x-forwarded-for': '203.0.113.9' };
    expect(await strangerAt(at, forwarded)).toMatchObject({ status: 401 });
    expect(await strangerAt(at, {})).toMatchObject({ status: 401 });
    const authorization = `Bearer ${await keyAt(at)}`;
    expect(await strangerAt(at, { ...forwarded, authorization })).toMatchObject({ status: 200 });
  });

  test.for([
    ['a host', { hosts: ['vitrine.example'] }],
    ['a host beside local ones', { hosts: ['localhost', '10.1.2.3'] }],
    ['a name that only looks local', { hosts: ['localhost.example'] }],
    ['a web site', { origins: ['https://app.example'] }],
    ['a proxy', { proxies: ['127.0.0.1'] }],
  ] as const)('where %s is named', async ([, server]) => {
    const at = await serving({ config: { apps, server: structuredClone(server) as object } });
    expect((await at.ask('/api/me')).status).toBe(401);
    expect((await at.ask('/api/me', { key: await keyAt(at) })).status).toBe(200);
  });

  test('and one that names this machine alone does not', async () => {
    const server = {
      hosts: ['localhost', '127.0.0.2', '[::1]'],
      origins: ['http://localhost:5173', 'http://127.0.0.1:5173'],
    };
    const at = await serving({ config: { apps, server } });
    expect((await at.ask('/api/me')).json).toMatchObject({ role: 'operator' });
  });
});

describe('[V64] a server that listens on this machine alone is called nothing else', () => {
  const names = ['evil.example', 'localhost.evil.example', 'evil.localhost.example', '10.1.2.3', '[::2]'];
  test.for([
    ['without a key', {}],
    ['with a key of the folder', { auth: { local: 'key' } }],
    ['with keys', { auth: { required: true } }],
    ['behind a proxy', { server: { proxies: ['127.0.0.1'] } }],
  ] as const)('%s', async ([, config]) => {
    const at = await serving({ config: { apps, ...structuredClone(config) } as object });
    for (const host of names) {
      const { status, text } = await strangerAt(at, { host });
      expect([status, text]).toEqual([403, expect.stringContaining('see server.hosts')]);
    }
    for (const host of ['localhost:99', '127.0.0.1', '[::1]'])
      expect((await strangerAt(at, { host })).status, host).toBeLessThan(402);
  });

  test('unless the configuration names more, or it listens elsewhere, too', async () => {
    const named = await serving({ config: { apps, server: { hosts: ['vitrine.example'] } } });
    expect((await strangerAt(named, { host: 'vitrine.example' })).status).toBe(401);
    const all = await serving({ config: { apps }, host: '0.0.0.0' });
    const reached = { ...all, url: all.url.replace('0.0.0.0', '127.0.0.1') };
    expect((await strangerAt(reached, { host: 'any.example' })).status).toBe(401);
  });
});

/** What proxies, clouds, tunnels and gates are known to add. */
const foreign =
  `x-forwarded forwarded-for x-forwarded-user x-real-ip x-client-ip true-client-ip fastly-client-ip
  fly-client-ip fly-region x-cluster-client-ip x-remote-ip x-remote-addr x-originating-ip x-proxyuser-ip x-clientip
  wl-proxy-client-ip proxy-client-ip proxy-connection x-original-url x-original-host x-rewrite-url x-host x-scheme
  x-url-scheme front-end-https cf-connecting-ip cf-connecting-ipv6 cf-ray cf-ipcountry cf-visitor cf-worker cdn-loop
  tailscale-user-login tailscale-user-name tailscale-headers-info ngrok-auth-user-email ngrok-trace-id remote-user
  x-remote-user x-auth-request-email x-authentik-username x-pomerium-jwt-assertion x-webauth-user x-goog-iap-jwt-assertion
  x-goog-authenticated-user-email x-ms-client-principal x-envoy-external-address x-envoy-attempt-count x-amzn-trace-id
  x-amzn-oidc-identity x-amz-cf-id x-azure-ref x-azure-clientip x-azure-socketip x-arr-log-id x-arr-ssl x-fd-healthprobe
  x-appengine-user-ip x-cloud-trace-context x-vercel-id x-nf-client-connection-ip x-varnish x-akamai-edgescape
  akamai-origin-hop surrogate-capability x-sucuri-clientip incap-client-ip x-request-start x-lb-ip x-ssl-client-cert
  x-client-cert x-traefik-router x-kong-request-id x-railway-edge x-render-origin-server x-forwarded-for-original
  max-forwards`.split(/\s+/);

/** What browsers, and clients that people have, do send. */
const own =
  `accept accept-language accept-encoding cache-control pragma dnt priority referer upgrade-insecure-requests
  sec-gpc sec-ch-ua sec-ch-ua-platform sec-fetch-dest sec-fetch-user user-agent x-requested-with x-request-id traceparent
  tracestate baggage x-api-key api-key openai-organization openai-beta anthropic-version x-stainless-lang
  x-stainless-runtime-version x-conversation-id x-client-version x-client-info x-goog-api-key x-ms-client-request-id
  idempotency-key last-event-id mcp-protocol-version
  mcp-session-id x-csrf-token x-title http-referer x-correlation-id x-session-id sentry-trace x-b3-traceid`.split(
    /\s+/,
  );

const forwardings: readonly Headers[] = [
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-forwarded-host': 'vitrine.example' },
  { 'x-forwarded-proto': 'https' },
  { 'X-Forwarded-Anything': '' },
  { forwarded: 'for=203.0.113.9' },
  { via: '1.1 proxy' },
  ...foreign.map((name) => ({ [name]: '203.0.113.9' })),
];

describe('[V26] where no key is asked for, what was forwarded is refused', () => {
  test('[V63] with a sentence that says what to do', async () => {
    const at = await serving({ config: { apps } });
    const wrong: string[] = [];
    for (const headers of forwardings) {
      const { status, text } = await strangerAt(at, headers);
      if (status !== 403 || !/forwarded.*server\.hosts.*server\.proxies/.test(text))
        wrong.push(Object.keys(headers).join());
    }
    expect(wrong).toEqual([]);
  });

  test('[V63] and what clients write themselves is not', async () => {
    const at = await serving({ config: { apps } });
    const wrong: string[] = [];
    for (const name of own)
      if ((await strangerAt(at, { [name]: name === 'last-event-id' ? '0' : 'x' })).status !== 200)
        wrong.push(name);
    expect(wrong).toEqual([]);
  });

  test('also on a socket', async () => {
    const at = await serving({ config: { apps } });
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
    const upgrade = {
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    };
    const status = await new Promise((resolve) => {
      const headers = { ...upgrade, via: '1.1 proxy' };
      const asking = request(`${at.url}/ws/runs/${run}`, { headers });
      asking.on('response', ({ statusCode }) => resolve(statusCode));
      asking.on('upgrade', (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      asking.end();
    });
    expect(status).toBe(403);
  });

  test('and where one is, it comes in with a key', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    for (const headers of forwardings)
      expect((await at.ask('/api/me', { key, headers })).status, JSON.stringify(headers)).toBe(200);
  });
});
