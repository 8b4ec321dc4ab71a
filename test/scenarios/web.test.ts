import { expect, test } from 'vitest';
import type { Flow } from '../../src/engine/scope.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { Item, Json } from '../../src/run/values.ts';
import { exactLines } from '../../src/run/visible.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { describeInBrowser } from '../browser.ts';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../serving.ts';
import { expectAccessible, opened, say } from '../web.ts';

/** The page has what it shows a moment later. Milliseconds. */

const nasty = '<img src=x onerror="document.title=\'hacked\'"><script>document.title="hacked"</script>';
/** One of each kind, with every word as nasty as it can be. */
const items: readonly Item[] = [
  {
    kind: 'visualization',
    shape: 'table',
    data: {
      columns: [{ name: nasty, type: 'string' }],
      rows: Array.from({ length: 9 }, (_, i) => ({ [nasty]: `${i}${nasty}` })),
    },
  },
  {
    kind: 'visualization',
    shape: 'graph',
    data: {
      nodes: ['a', nasty].map((id) => ({ id, label: nasty, properties: { status: 'down' } })),
      edges: [{ id: 'e', source: 'a', target: nasty, label: nasty }],
    },
  },
  {
    kind: 'visualization',
    shape: 'chart',
    data: { data: [{ type: 'bar', x: [nasty, 'b'], y: [1, 2] }], layout: { title: { text: nasty } } },
  },
  {
    kind: 'visualization',
    shape: 'documents',
    data: { content: nasty, searchHits: [{ title: nasty, content: nasty, score: 1 }] },
  },
  { kind: 'citation', title: nasty, url: 'javascript:document.title="hacked"' },
  { kind: 'action', name: nasty, data: { to: nasty } },
  { kind: 'attachment', attachment: { type: 'text/html', title: nasty, data: nasty } },
];
const apps = {
  asks: appWith(async (scope, text) => {
    await scope.step({ key: 'look', title: `Look at ${nasty}` }, async (step) => {
      await step.step({ key: 'deeper', title: 'Look deeper' }, async (inner) => inner.say(`seen ${nasty}`));
    });
    const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5 } });
    return `${decision}: ${text}`;
  }, 'asks'),
};
const shows = appWith(async (scope) => {
  await scope.step({ key: 'outer', title: 'Twice' }, (outer) =>
    outer.step({ key: 'inner', title: 'Twice' }, async (step) => {
      step.say('---QUERY---\nSELECT 1\n---RESULTS---\n{}\n---ANALYSIS---\n**Three** links.');
      for (const item of items) step.attach(item);
    }),
  );
  return `All **${nasty}** shown`;
}, 'shows');

describeInBrowser('the app', (browser) => {
  test('[W3] [S16] shows steps before the answer, asks, and answers; nothing in a run acts on it', async () => {
    const at = await serving({ config: { apps } });
    const { page, complaints } = await opened(browser(), at.url);
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('message');
    await say(page, 'please');
    await page.waitForSelector('[data-approval]');
    await expect.poll(() => page.getAttribute('section[data-run]', 'data-status')).toBe('waiting');
    await expect.poll(() => page.locator('[data-answer]').count()).toBe(0);
    await expect
      .poll(() => page.locator('[data-step="1"] > .row .name').textContent())
      .toBe(`Look at ${nasty}`);
    await page.locator('[data-step="1"] > .row .hit').click();
    await expect
      .poll(() => page.locator('[data-step="1"] [data-step] .name').first().textContent())
      .toBe('Look deeper');
    await expect.poll(() => page.textContent('[data-approval] dl')).toContain('amount5');
    await page.click('[data-decide=approve]');
    await page.waitForSelector('[data-answer=given]');
    await expect.poll(() => page.textContent('[data-answer=given]')).toBe('approve: please');
    await expect.poll(() => page.title()).toBe('please · Vitrine');
    expect(complaints).toEqual([]);
  });

  test('[V160] shows what hangs on a message before it can be approved', async () => {
    const large = { type: 'text/plain', title: 'large.txt', data: `${'x'.repeat(40_000)} and the tail` };
    const small = { type: 'text/plain', title: 'n.txt', data: 'DELETE ALL USERS' };
    const talks: Flow = {
      name: 'talks',
      version: '1',
      run: async (scope, { text, attachments }) =>
        (await scope.turn('remote', { messages: [{ role: 'user', text, attachments }] })).text,
    };
    const remote = {
      description: '',
      gateway: scriptedGateway(() => [{ type: 'say', text: 'done' }]),
      approval: 'always' as const,
    };
    const at = await serving({ config: { apps: { talks: { flow: talks } }, agents: { remote } } });
    const input = { text: 'as planned', attachments: [small, large] };
    const run = textAt(await at.ask('/api/runs', { json: { conversation: 'c', input } }), 'run');
    const { page, complaints } = await opened(browser(), `${at.url}/c/c`);
    await page.waitForSelector(`[data-approval="${run}.a1"] [data-decide=approve]:enabled`);
    const seen = await page.textContent('[data-approval]');
    expect(seen).toMatch(
      /as planned.*Sent with it, also after an edit.*n\.txt.*DELETE ALL USERS.*large\.txt/s,
    );
    expect(seen).toContain('x and the tail');
    expect(complaints).toEqual([]);
  });

  test('[V53] [V54] [S39] approves nothing before all of it is there to see, and shows exactly what runs', async () => {
    const large = { text: 'x'.repeat(40_000), end: 'and the tail' };
    const own = { blob: 'a'.repeat(64), preview: 'harmless', to: 'me\u202etxt\u200b' };
    const sized = { ...own, size: 3, ['p\u0430ypal']: ['p\u0430ypal'] };
    const ran: Json[] = [];
    const send: Tool = {
      name: 'send',
      description: 'Sends.',
      schema: { type: 'object' },
      effect: 'once',
      approval: 'always',
      run: async (input) => {
        ran.push(input);
        return null;
      },
    };
    const sends = appWith(async (scope) => {
      for (const input of [large, own, sized]) await scope.call('send', input);
      return 'sent';
    }, 'sends');
    const at = await serving({ config: { apps: { sends }, tools: [send] } });
    const { page, complaints } = await opened(browser(), `${at.url}/c/c`);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/api/files/*', async (route) => {
      await held;
      await route.continue();
    });
    const json = { conversation: 'c', input: { text: 'go' } };
    const run = textAt(await at.ask('/api/runs', { json }), 'run');
    await page.waitForSelector(`[data-approval="${run}.a1"]`);
    // Read once: a moment in which it could be approved would be one too many.
    expect(await page.isDisabled('[data-decide=approve]')).toBe(true);
    await expect.poll(() => page.isDisabled('[data-decide=reject]')).toBe(false);
    letGo();
    for (const [i, value] of [large, own, sized].entries()) {
      await page.waitForSelector(`[data-approval="${run}.a${i + 1}"] [data-decide=approve]:enabled`);
      const shown = Object.entries(value).flatMap(([name, one]) => [
        exactLines(name).join('\n'),
        exactLines(one).join('\n'),
      ]);
      const cells = page.locator(`[data-approval="${run}.a${i + 1}"] [data-exact] :is(dt, dd)`);
      await expect.poll(() => cells.allTextContents()).toEqual(shown);
      expect(ran).toHaveLength(i);
      await page.click(`[data-approval="${run}.a${i + 1}"] [data-decide=approve]`);
    }
    await page.waitForSelector('[data-answer=given]');
    expect(ran).toEqual([large, own, sized]);
    expect(complaints).toEqual([]);
  });

  test('[V68] says why a decision was refused, and takes another', async () => {
    const at = await serving({ config: { apps: { asks: { ...apps.asks, approvals: 'second-person' } } } });
    await at.ask('/api/runs', { json: { conversation: 'c', input: { text: 'go' } } });
    const { page } = await opened(browser(), `${at.url}/c/c`);
    await page.click('[data-decide=approve]:enabled');
    await page.locator('[data-approval] .problem', { hasText: 'nobody can be told apart' }).waitFor();
    await page.click('[data-decide=reject]:enabled');
    await page.fill('.rejecting textarea', 'not now');
    await page.click('[data-decide=reject-now]');
    await page.waitForSelector('[data-decide=reject-now]:enabled');
    await page.locator('[data-approval] .problem', { hasText: 'nobody can be told apart' }).waitFor();
  });

  test('[W6] [S16] [S17] [S18] draws tables, graphs, charts and documents; nothing in them acts on it', async () => {
    const at = await serving({ config: { apps: { shows } } });
    await at.ask('/api/runs', { json: { conversation: 'c', input: { text: 'all' } } });
    const { page, complaints } = await opened(browser(), `${at.url}/c/c`);
    await page.waitForSelector('[data-answer=given] .figure[data-shape=chart] canvas');
    await expect.poll(() => page.textContent('[data-answer=given] .markdown')).toBe(`All ${nasty} shown`);
    await expect.poll(() => page.locator('.figure').count()).toBe(3);
    await expect.poll(() => page.locator('.figure[data-shape=table] tbody tr').count()).toBe(5);
    await page.click('.figure-more');
    await expect.poll(() => page.locator('.figure[data-shape=table] tbody tr').count()).toBe(9);
    await expect.poll(() => page.locator('.figure .graph-node.bad').count()).toBe(2);
    await expect.poll(() => page.locator('.figure .graph-edge').count()).toBe(1);
    await page.click('[data-answer=given] .found .chip >> nth=0');
    await page.locator('.dialog .passages').waitFor();
    await page.keyboard.press('Escape');
    await page.click('[data-answer=given] .found .chip >> nth=1');
    await page.locator('.dialog pre', { hasText: '<script>' }).waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('[data-answer=given] :is(a, img, script)').count()).toBe(0);
    await page.click('.folded');
    await page.locator('[data-step="1"] > .row .hit').click({ position: { x: 40, y: 10 } });
    await expect
      .poll(() => page.locator('section[data-run] .row .name', { hasText: 'Twice' }).count())
      .toBe(1);
    await expect.poll(() => page.textContent('[data-step="1"] .stream')).toBe('Three links.');
    await expect.poll(() => page.title()).toBe('all · Vitrine');
    expect(complaints).toEqual([]);
    await expectAccessible(page);
  });

  test('[W2] asks for a key where one is needed, and follows with the cookie', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    const begun = await at.ask('/api/runs', { key, json: { input: { text: 'locked' } } });
    const { page } = await opened(browser(), `${at.url}/c/${textAt(begun, 'conversation')}`);
    await page.fill('[name=key]', 'wrong');
    await expectAccessible(page);
    await page.click('.sign-in button');
    await page.getByRole('alert').waitFor();
    await page.fill('[name=key]', key);
    await page.click('.sign-in button');
    await page.waitForSelector('[data-approval]');
    await expect.poll(() => page.evaluate('document.cookie')).toBe('');
  });

  test('[S20] the policy of the page allows nothing inline and nothing from elsewhere', async () => {
    const at = await serving({ config: { apps } });
    for (const path of ['/', '/c/x', '/runs', '/runs/r/steps/3', '/approvals', '/home']) {
      const { status, headers } = await at.ask(path);
      const policy = headers.get('content-security-policy') ?? '';
      expect([path, status]).toEqual([path, 200]);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
    }
    expect((await at.ask('/assets/nothing.js')).status).toBe(404);
  });

  test('[W16] what is loaded before anything can be asked is at most 300 KB', async () => {
    const at = await serving({ config: { apps } });
    const page = await browser().newPage();
    // What is fetched afterwards, in case it is wanted, may be there already when a slow machine looks.
    await page.addInitScript(`new MutationObserver((_, looking) => {
      if (!document.getElementById('message')) return;
      globalThis.drawnAt = performance.now();
      looking.disconnect();
    }).observe(document, { childList: true, subtree: true })`);
    await page.goto(at.url);
    await page.waitForSelector('#message');
    const loaded = (await page.evaluate(`[...performance.getEntriesByType('navigation'),
      ...performance.getEntriesByType('resource')]
      .filter(({ name, startTime }) => startTime < drawnAt && !new URL(name).pathname.startsWith('/api/'))
      .map(({ encodedBodySize }) => encodedBodySize)`)) as readonly number[];
    const bytes = loaded.reduce((sum, size) => sum + size, 0);
    expect(loaded.length).toBeGreaterThan(2);
    expect(bytes).toBeGreaterThan(50_000);
    expect(bytes).toBeLessThan(300_000);
    // Built for a test it must be what is built for people.
    expect(bytes).toBeLessThan(260_000);
  });
});
