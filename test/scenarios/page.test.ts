import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, type Serving } from '../serving.ts';

const executablePath = [
  process.env['CHROMIUM'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

const nasty = '<img src=x onerror="document.title=\'hacked\'"><script>document.title="hacked"</script>';
const apps = {
  asks: appWith(async (scope, text) => {
    await scope.step({ key: 'look', title: `Look at ${nasty}` }, async (step) => {
      await step.step({ key: 'deeper', title: 'Look deeper' }, async (inner) => inner.say(`seen ${nasty}`));
    });
    const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5 } });
    return `${decision}: ${text}`;
  }, 'asks'),
};

describe.skipIf(executablePath === undefined)('the page', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await chromium.launch({
      ...(executablePath === undefined ? {} : { executablePath }),
      args: ['--no-sandbox'],
    });
  }, 60_000);
  afterAll(() => browser.close());

  /** A page that keeps what the browser complained about. */
  async function opened(at: Serving): Promise<{ readonly page: Page; readonly complaints: string[] }> {
    const page = await browser.newPage();
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
