// The client where people have it: bundled, in a real browser, on a page of the server.
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { beforeAll, expect, test, vi } from 'vitest';
import { pagePolicy } from '../../src/server/http/headers.ts';
import { describeInBrowser } from '../browser.ts';
import { ownPort } from '../own-port.ts';
import { appWith, keyIn, serving, temporaryFolder, textAt, type Serving } from '../serving.ts';

const apps = {
  asks: appWith(async (scope, text) => {
    await scope.step({ key: 'a', title: 'Talk' }, async (step) => {
      for (let i = 0; i < 200; i += 1) step.say(`${text} ${i} `);
    });
    const { decision } = await scope.ask({ key: 'q', title: 'May I?' });
    return `${decision}: ${text}`;
  }, 'asks'),
};

/** What a page does with the client. It is sent to the browser as text. */
const page = {
  decides: `async ({ vitrineClient }) => {
    const client = vitrineClient({ url: location.origin });
    const { run } = await client.start({ text: 'hello' });
    let last;
    for await (const tree of client.follow(run)) {
      last = tree;
      if (tree.status !== 'waiting') continue;
      const [approval] = (await client.approvals({ run })).approvals;
      const { id, fingerprint } = approval;
      await client.decide(id, { decision: 'approve', fingerprint });
    }
    return [last.status, last.answer, (await client.tree(run)).answer];
  }`,
  stops: `async ({ vitrineClient }) => {
    const client = vitrineClient({ url: location.origin });
    const { run } = await client.start({ text: 'hello' });
    let outcome;
    for await (const tree of client.follow(run)) {
      if (tree.status === 'waiting' && !tree.stopping) await client.stop(run, 'enough');
      outcome = tree.status;
    }
    return outcome;
  }`,
  watches: `async ({ vitrineClient }) => {
    const client = vitrineClient({ url: location.origin });
    const store = await client.startAndWatch({ text: 'seen' });
    const words = [];
    store.step(1).subscribe(() => words.push(store.step(1).getSnapshot().text?.length ?? 0));
    const until = (isSo) => new Promise((resolve) => {
      const look = () => isSo(store.getSnapshot()) && resolve();
      store.subscribe(look);
      look();
    });
    await until(({ tree }) => tree.status === 'waiting');
    const [{ id, fingerprint }] = store.getSnapshot().tree.approvals;
    await client.decide(id, { decision: 'approve', fingerprint });
    await until(({ connection }) => connection.is === 'over');
    const now = store.getSnapshot();
    store.seek(2);
    const then = store.getSnapshot().tree;
    store.seek();
    const isSame = store.getSnapshot().tree.steps[0] === now.tree.steps[0];
    const grows = words.every((length, i) => i === 0 || length >= words[i - 1]);
    return [now.tree.answer, now.connection.is, then.seq, then.steps.length, isSame, grows];
  }`,
  follows: `async ({ vitrineClient }) => {
    const client = vitrineClient({ url: location.origin });
    const seqs = [];
    for await (const { seq } of client.entries(new URLSearchParams(location.hash.slice(1)).get('run'))) {
      seqs.push(seq);
      document.title = 'at ' + seq;
    }
    return seqs;
  }`,
};

describeInBrowser('the client in a browser', (browser) => {
  let code: string;
  beforeAll(async () => {
    code = await bundled();
  });

  /** A page of this server that has the client at hand. */
  async function opened(url: string, hash = ''): Promise<Page> {
    const tab = await browser().newPage();
    await tab.route('**/client.js', (route) => route.fulfill({ contentType: 'text/javascript', body: code }));
    // The page that is there would follow runs of its own.
    const headers = { 'content-type': 'text/html', 'content-security-policy': pagePolicy };
    await tab.route(`${url}/`, (route) => route.fulfill({ headers, body: '<title>page</title>' }));
    await tab.goto(`${url}/${hash}`);
    return tab;
  }

  function doing(tab: Page, what: string): Promise<unknown> {
    return tab.evaluate(`import('/client.js').then(${what})`);
  }

  test('[N4] [N6] [N8] watches with a store: one request, its own step, and any moment', async () => {
    const at = await serving({ config: { apps } });
    const tab = await opened(at.url);
    expect(await doing(tab, page.watches)).toEqual(['approve: seen', 'over', 2, 0, true, true]);
  });

  test('starts, follows, decides and stops', async () => {
    const at = await serving({ config: { apps } });
    const tab = await opened(at.url);
    expect(await doing(tab, page.decides)).toEqual(['completed', 'approve: hello', 'approve: hello']);
    expect(await doing(tab, page.stops)).toBe('stopped');
  });

  test('[L2] sees one unbroken sequence over a server that is started again', async () => {
    const data = temporaryFolder();
    const port = await ownPort();
    const first = await serving({ data, port, config: { apps } });
    const run = textAt(await first.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
    const tab = await opened(first.url, `#run=${run}`);
    const following = doing(tab, page.follows);
    await vi.waitFor(async () => expect(Number((await tab.title()).slice(3))).toBeGreaterThan(200));
    await first.close();
    const second = await serving({ data, port, config: { apps } });
    await second.ask(`/api/approvals/${run}.a1`, { json: { decision: 'reject' } });
    const seqs = (await following) as readonly number[];
    expect(seqs).toEqual(seqs.map((_, i) => i + 1));
    expect(seqs.length).toBe(((await second.ask(`/api/runs/${run}`)).json as { readonly seq: number }).seq);
  });

  test('needs no key once the browser has signed in, and is told when it has not', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at: Serving = await serving({ data, config: { apps, auth: { required: true } } });
    const tab = await opened(at.url);
    await expect(doing(tab, page.stops)).rejects.toThrow(/key/i);
    await tab.evaluate(
      `fetch('/api/sign-in', { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ key: '${key}' }) })`,
    );
    expect(await doing(tab, page.stops)).toBe('stopped');
  });
});

/** As a bundler makes it for a page. What is not there in a browser would fail here or there. */
async function bundled(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      lib: { entry: resolve(import.meta.dirname, '../../src/client/client.ts'), formats: ['es'] },
    },
  });
  const [first] = Array.isArray(made) ? made : [];
  const [chunk] = first?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('nothing was built');
  expect(first?.output).toHaveLength(1);
  expect(chunk.imports).toEqual([]);
  return chunk.code;
}
