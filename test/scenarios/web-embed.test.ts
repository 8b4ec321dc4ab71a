// Runs on pages of others: the example with React, and the element on a page without it; and what programs are told of the API.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { build, type Rolldown } from 'vite';
import { expect, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { describeInBrowser } from '../browser.ts';
import { express, serverOf, vitrineIn } from '../program.ts';
import { appWith, serving } from '../serving.ts';
import { expectAccessible, opened, say } from '../web.ts';

const root = resolve(import.meta.dirname, '../..');
const example = resolve(root, 'examples/react/main.tsx');

/** Somebody's page as one script. `vitrine` is the package as it stands here. */
async function bundled(input: string): Promise<string> {
  const made = (await build({
    configFile: false,
    root,
    logLevel: 'silent',
    resolve: {
      alias: {
        'vitrine/client': resolve(root, 'src/client/client.ts'),
        'vitrine/react': resolve(root, 'src/react/react.ts'),
      },
    },
    build: { write: false, rolldownOptions: { input, output: { codeSplitting: false } } },
  })) as Rolldown.RolldownOutput;
  return made.output.map((file) => (file.type === 'chunk' ? file.code : '')).join('');
}

/** A page of somebody else under the address of the server, with the strictest policy. */
async function withPage(
  page: Page,
  url: string,
  { body, script }: { body: string; script: string },
): Promise<void> {
  const policy = "default-src 'none'; script-src 'self'; connect-src 'self'";
  await page.route(`${url}/theirs`, (route) =>
    route.fulfill({
      contentType: 'text/html',
      headers: { 'content-security-policy': policy },
      body: `<!doctype html><html lang="en"><title>Theirs</title><body>${body}<script type="module" src="/theirs.js"></script></body></html>`,
    }),
  );
  await page.route(`${url}/theirs.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: script }),
  );
  await page.goto(`${url}/theirs`);
}

const apps = {
  asks: appWith(async (scope, text) => {
    await scope.step({ key: 'look', title: 'Look' }, async (step) => step.say(`for ${text}`));
    const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5 } });
    return `${decision}: ${text}`;
  }, 'asks'),
};

describeInBrowser('a page of somebody else', (browser) => {
  test('[W69] the example with React has under 30 lines; it asks, shows the steps, lets decide and answers', async () => {
    expect(readFileSync(example, 'utf8').trimEnd().split('\n').length).toBeLessThan(30);
    const { url } = await serving({ config: { apps } });
    const { page, complaints } = await opened(browser(), 'about:blank');
    await withPage(page, url, { body: '<div id="root"></div>', script: await bundled(example) });
    await page.fill('input', 'tea');
    await page.press('input', 'Enter');
    await page.waitForSelector('.vitrine-step >> text=for tea');
    await page.click('.vitrine-approval >> text=Approve');
    await page.waitForSelector('.vitrine-answer >> text=approve: tea');
    expect(complaints).toEqual([]);
  });

  test('[IP2] the web app works below a prefix of a program: it asks, shows a run and is there after a reload', async () => {
    const vitrine = await vitrineIn({
      config: { apps },
      prefix: '/agents',
      caller: () => ({ tenant: 'acme', who: 'ada', role: 'member' }),
    });
    const app = express();
    app.use('/agents', vitrine.handler);
    const url = await serverOf(createServer(app));
    const { page, complaints } = await opened(browser(), `${url}/agents/`);
    await say(page, 'tea');
    await page.click('[data-decide=approve]');
    await page.locator('[data-answer=given]', { hasText: 'approve: tea' }).waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/agents\/c\//);
    await page.click(`nav a[href="/agents/runs"]`);
    await page.click('a[href^="/agents/runs/run_"]');
    await page.waitForSelector('.trace-grid [role=treeitem]');
    expect(new URL(page.url()).pathname).toMatch(/^\/agents\/runs\/run_/);
    await page.reload();
    await page.waitForSelector('.trace-grid [role=treeitem]');
    // The program answers no socket: the stream came as a plain one.
    expect(complaints.filter((complaint) => !complaint.includes('WebSocket'))).toEqual([]);
  });

  test('[W69] <vitrine-run> shows a run on a page without React, in the colours of that page', async () => {
    const { url } = await serving({ config: { apps } });
    const { run } = await vitrineClient({ url }).start({ text: 'coffee' });
    const { page, complaints } = await opened(browser(), 'about:blank');
    const body = `<main><vitrine-run run="${run}"></vitrine-run></main>`;
    await withPage(page, url, { body, script: await bundled(resolve(root, 'test/web/run-element.tsx')) });
    await page.waitForSelector('vitrine-run .vitrine-step >> text=for coffee');
    const ink = `getComputedStyle(document.querySelector('vitrine-run').shadowRoot.querySelector('header')).color`;
    const before = await page.evaluate(ink);
    await page.evaluate(`document.querySelector('main').style.setProperty('--vitrine-ink', 'rgb(1, 2, 3)')`);
    expect([before, await page.evaluate(ink)]).toEqual(['rgb(23, 25, 28)', 'rgb(1, 2, 3)']);
    await page.click('vitrine-run .vitrine-approval >> text=Approve');
    await page.waitForSelector('vitrine-run .vitrine-answer >> text=approve: coffee');
    await page.evaluate(`document.querySelector('vitrine-run').setAttribute('run', 'run_none')`);
    await page.waitForSelector('vitrine-run [role=alert] >> text=There is no run');
    expect(complaints.filter((one) => !one.includes('404'))).toEqual([]);
  });
});

describeInBrowser('the API page', (browser) => {
  test('[W68] has every place of the API with what it takes and answers, from this server alone', async () => {
    const { url, ask } = await serving({ config: { apps } });
    const { page, complaints } = await opened(browser(), `${url}/home`);
    await page.click('[aria-label="Theme and language"]');
    await page.click('text=API of this server');
    await page.waitForSelector('[data-api=ready]');
    expect(page.url()).toBe(`${url}/api`);
    const { paths } = (await ask('/openapi.json')).json as {
      readonly paths: Readonly<Record<string, object>>;
    };
    const described = Object.values(paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }: { readonly operationId: string }) => operationId),
    );
    const shown = (await page.evaluate(
      `[...document.querySelectorAll('[data-operation]')].map((place) => place.dataset.operation)`,
    )) as string[];
    expect(described.length).toBeGreaterThan(30);
    expect(described.filter((name) => !shown.includes(name))).toEqual([]);
    await page.fill('[data-find-api]', 'post /api/runs start');
    const place = page.locator('[data-operation] >> nth=0');
    await place.locator('summary').click();
    await expect.poll(() => place.textContent()).toContain(`curl '${url}/api/runs'`);
    await expect.poll(() => place.textContent()).toContain('201');
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
