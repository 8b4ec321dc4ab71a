import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Flow } from '../../src/engine/scope.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import type { Item, Json } from '../../src/run/values.ts';
import { exact } from '../../src/run/visible.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { describeInBrowser } from '../browser.ts';
import { appWith, keyIn, serving, temporaryFolder, textAt, type Serving } from '../serving.ts';

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

describeInBrowser('the page', (browser) => {
  /** A page that keeps what the browser complained about. */
  async function opened(at: Serving): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await browser().newPage();
    const complaints: string[] = [];
    page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(at.url);
    return { page, complaints };
  }

  test('shows the tree as it grows, asks, and shows the answer; nothing in a run acts on it', async () => {
    const at = await serving({ config: { apps } });
    const { page, complaints } = await opened(at);
    await page.fill('[name=text]', 'please');
    await page.click('#ask button');
    await page.waitForSelector('.approval');
    expect(await page.textContent('#status')).toBe('waiting');
    expect(await page.locator('.steps .steps .title').first().textContent()).toBe('Look deeper');
    expect(await page.locator('.title').first().textContent()).toBe(`Look at ${nasty}`);
    expect(await page.textContent('.approval pre')).toContain('"amount": 5');
    await page.click('.approval .go');
    await page.waitForSelector('#answer:not([hidden])');
    expect(await page.textContent('#answer')).toBe('approve: please');
    expect(await page.title()).toBe('Vitrine');
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
    const { page, complaints } = await opened(at);
    const input = { text: 'as planned', attachments: [small, large] };
    const run = textAt(await at.ask('/api/runs', { json: { input } }), 'run');
    await page.waitForSelector(`[data-approval="${run}.a1"] .go:enabled`);
    const seen = await page.textContent('.approval');
    expect(seen).toMatch(
      /as planned.*Sent with it, also after an edit:.*n\.txt.*DELETE ALL USERS.*large\.txt/s,
    );
    expect(seen).toContain('x and the tail');
    expect(complaints).toEqual([]);
  });

  test('[V53] [V54] [S39] approves nothing before all of it is there to see, and shows exactly what runs', async () => {
    const large = { text: 'x'.repeat(40_000), end: 'and the tail' };
    const own = { blob: 'a'.repeat(64), preview: 'harmless', to: 'me\u202etxt\u200b' };
    const sized = { ...own, size: 3 };
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
    const { page, complaints } = await opened(at);
    const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
    await page.route('**/api/files/*', async (route) => {
      await held;
      await route.continue();
    });
    const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'go' } } }), 'run');
    await page.waitForSelector(`[data-approval="${run}.a1"]`);
    expect(await page.isDisabled('.approval .go')).toBe(true);
    expect(await page.isDisabled('.approval button:not(.go)')).toBe(false);
    letGo();
    for (const [i, value] of [large, own, sized].entries()) {
      await page.waitForSelector(`[data-approval="${run}.a${i + 1}"] .go:enabled`);
      expect(await page.textContent('.approval pre')).toBe(exact(value));
      expect(ran).toHaveLength(i);
      await page.click('.approval .go');
    }
    await page.waitForSelector('#answer:not([hidden])');
    expect(ran).toEqual([large, own, sized]);
    expect(complaints).toEqual([]);
  });

  test('[V68] says why a decision was refused, and takes another', async () => {
    const at = await serving({ config: { apps: { asks: { ...apps.asks, approvals: 'second-person' } } } });
    const { page } = await opened(at);
    page.setDefaultTimeout(15_000);
    await at.ask('/api/runs', { json: { input: { text: 'go' } } });
    await page.waitForSelector('.approval .go:enabled');
    for (const button of ['.go', 'button:not(.go)']) {
      await page.click(`.approval ${button}`);
      await page.locator('.approval .refused', { hasText: 'nobody can be told apart' }).waitFor();
      await page.waitForSelector(`.approval ${button}:enabled`);
    }
  });

  test('draws tables, graphs, charts and documents, and says what to try; nothing in them acts on it', async () => {
    const at = await serving({ config: { apps: { shows } } });
    const { page, complaints } = await opened(at);
    await at.ask('/api/runs', { json: { input: { text: 'all' } } });
    await page.waitForSelector('#answer:not([hidden])');
    expect(await page.textContent('#answer')).toBe(`All ${nasty} shown`);
    expect(await page.locator('.item').count()).toBe(items.length);
    expect(await page.locator('.item td').count()).toBe(8);
    expect(await page.textContent('.item .more')).toBe('… 1 more rows');
    expect(await page.locator('.item .node.bad').count()).toBe(2);
    expect(await page.locator('.item .edge').count()).toBe(1);
    expect(await page.locator('.item .bar').count()).toBe(2);
    expect(await page.textContent('.item summary')).toBe('1 passages');
    expect(await page.locator('.item a, .item img, .item script').count()).toBe(0);
    expect(await page.locator('.title:visible').allTextContents()).toEqual(['Twice']);
    expect(await page.textContent('.said:visible')).toBe('Three links.');
    expect(await page.isVisible('#strip')).toBe(true);
    expect(await page.title()).toBe('Vitrine');
    expect(complaints).toEqual([]);
  });

  test('follows the newest run by itself', async () => {
    const at = await serving({ config: { apps } });
    const { page } = await opened(at);
    await page.waitForSelector('#empty:not([hidden])');
    await at.ask('/api/runs', { json: { input: { text: 'from elsewhere' } } });
    await page.waitForSelector('.approval');
    expect(await page.textContent('#title')).toBe('from elsewhere');
    await page.click('#stop');
    await page.locator('#status', { hasText: 'stopped' }).waitFor();
  });

  test('asks for a key where one is needed, and follows with the cookie', async () => {
    const data = temporaryFolder();
    const key = keyIn(data);
    const at = await serving({ data, config: { apps, auth: { required: true } } });
    await at.ask('/api/runs', { key, json: { input: { text: 'locked' } } });
    const { page } = await opened(at);
    await page.waitForSelector('#sign-in:not([hidden])');
    await page.fill('[name=key]', 'wrong');
    await page.click('#sign-in button');
    await page.waitForSelector('#problem:not([hidden])');
    await page.fill('[name=key]', key);
    await page.click('#sign-in button');
    await page.waitForSelector('.approval');
    expect(await page.evaluate('document.cookie')).toBe('');
  });
});
