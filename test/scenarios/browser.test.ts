import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { revokeKey } from '../../src/server/access/keys.ts';
import { describeInBrowser } from '../browser.ts';
import { appWith, keyIn, serving, temporaryFolder, textAt, type Serving, sharedAt } from '../serving.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

interface Locked extends Serving {
  readonly key: string;
  readonly run: string;
}

async function locked(): Promise<Locked> {
  const data = temporaryFolder();
  const key = keyIn(data);
  const at = await serving({ data, config: { apps, auth: { required: true } } });
  const run = textAt(await at.ask('/api/runs', { key, json: { input: { text: 'x' } } }), 'run');
  return { ...at, key, run };
}

/** What became of a stream and of a socket to a run, as a page sees it: the first frame of each, or that it failed. */
function watched(
  page: Page,
  { url, run }: { readonly url: string; readonly run: string },
): Promise<string[]> {
  return page.evaluate(
    ([base, id]) => {
      const stream = new Promise<string>((resolve) => {
        const source = new EventSource(`${base}/api/runs/${id}/events`);
        Object.assign(globalThis, { source });
        source.onmessage = ({ data }) => resolve(String(data).slice(0, 1));
        source.onerror = () => resolve('failed');
      });
      const socket = new Promise<string>((resolve) => {
        const one = new WebSocket(`${String(base).replace('http', 'ws')}/ws/runs/${id}`);
        Object.assign(globalThis, { socket: one });
        one.onmessage = ({ data }) => resolve(String(data).slice(0, 1));
        one.onerror = () => resolve('failed');
      });
      return Promise.all([stream, socket]);
    },
    [url, run],
  );
}

function signIn(page: Page, key: string): Promise<number> {
  return page.evaluate(
    (given) =>
      fetch('/api/sign-in', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: given }),
      }).then(({ status }) => status),
    key,
  );
}

describeInBrowser('in a real browser', (browser) => {
  test('whoever signs in watches by stream and by socket, until they sign out or their key is revoked', async () => {
    const at = await locked();
    const page = await (await browser().newContext()).newPage();
    await page.goto(at.url);
    expect(await watched(page, at)).toEqual(['failed', 'failed']);
    expect(await signIn(page, 'vit_wrong')).toBe(401);
    expect(await signIn(page, at.key)).toBe(200);
    await expect.poll(() => page.evaluate('document.cookie')).toBe('');
    expect(await watched(page, at)).toEqual(['{', '{']);
    const gone = page.evaluate(
      () =>
        new Promise((resolve) => {
          const { socket, source } = globalThis as unknown as { socket: WebSocket; source: EventSource };
          socket.onclose = () => {
            source.onerror = () => source.readyState === EventSource.CLOSED && resolve('closed');
            if (source.readyState === EventSource.CLOSED) resolve('closed');
          };
        }),
    );
    await revokeKey(sharedAt(at), 'someone', Date.now());
    // The stream comes back by itself, is told 401, and stays away.
    expect(await gone).toBe('closed');
  });

  test('signing out takes the cookie back', async () => {
    const at = await locked();
    const page = await (await browser().newContext()).newPage();
    await page.goto(at.url);
    await signIn(page, at.key);
    const me = () => page.evaluate(() => fetch('/api/me').then(({ status }) => status));
    expect(await me()).toBe(200);
    await page.evaluate(() => fetch('/api/sign-out', { method: 'POST' }));
    expect(await me()).toBe(401);
  });

  test('[S11] [S12] [S13] [S14] a page of another site, on the same machine even, gets nothing and changes nothing', async () => {
    const at = await locked();
    const open = await serving({ config: { apps } });
    const begun = textAt(await open.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
    const context = await browser().newContext();
    const page = await context.newPage();
    await page.goto(at.url);
    await signIn(page, at.key);
    await page.goto(await otherSite(`${open.url}/api/runs`));
    // SameSite would let a cookie go from one port to another: the origin does not.
    for (const target of [
      { url: at.url, run: at.run },
      { url: open.url, run: begun },
    ]) {
      expect(await watched(page, target)).toEqual(['failed', 'failed']);
      const asked = await page.evaluate(
        ([url, id]) =>
          Promise.all(
            [
              fetch(`${url}/api/runs`, { credentials: 'include' }),
              fetch(`${url}/api/runs/${id}`, { credentials: 'include', mode: 'no-cors' }),
              fetch(`${url}/api/runs/${id}/stop`, {
                method: 'POST',
                mode: 'no-cors',
                credentials: 'include',
              }),
              fetch(`${url}/api/runs`, {
                method: 'POST',
                mode: 'no-cors',
                credentials: 'include',
                body: '{"input":{"text":"forged"}}',
              }),
            ].map((one) => one.then(({ type }) => type).catch(() => 'failed')),
          ),
        [target.url, target.run],
      );
      expect(asked[0]).toBe('failed');
      for (const outcome of asked.slice(1)) expect(['failed', 'opaque']).toContain(outcome);
    }
    await page.evaluate('document.forms[0].submit()');
    await page.waitForURL(`${open.url}/**`);
    const mine = await at.ask('/api/runs', { key: at.key });
    for (const { text } of [mine, await open.ask('/api/runs')]) {
      expect(text).not.toContain('forged');
      expect(text).not.toContain('stopped');
      expect(text.match(/"run":/g)).toHaveLength(1);
    }
  });
});

/** A page somewhere else, with a form whose text is JSON to whoever does not look what it comes as. */
async function otherSite(action: string): Promise<string> {
  const field = `<input name='{"input":{"text":"forged"},"labels":{"x":"' value='"}}'>`;
  const form = `<form method="post" enctype="text/plain" action="${action}">${field}</form>`;
  const server: Server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end(`<!doctype html><title>Elsewhere</title>${form}`),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
