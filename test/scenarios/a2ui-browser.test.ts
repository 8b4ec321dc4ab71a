// The official Lit renderer of A2UI in a real browser, at a real server.
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { beforeAll, expect, test } from 'vitest';
import type { Page as Shown } from '../a2ui/watching.ts';
import { describeInBrowser } from '../browser.ts';
import { Chance } from '../random.ts';
import { appWith, serving, textAt, type Serving } from '../serving.ts';

const renderers = [
  { version: '0.9', file: '../a2ui/page.ts' },
  { version: '0.8', file: '../a2ui/page-older.ts' },
] as const;
type Version = (typeof renderers)[number]['version'];

const scripts = new Map<Version, string>();
beforeAll(async () => {
  for (const { version, file } of renderers) scripts.set(version, await built(file));
});

async function built(file: string): Promise<string> {
  const entry = fileURLToPath(new URL(file, import.meta.url));
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    build: { write: false, lib: { entry, formats: ['es'] } },
  });
  const [first] = Array.isArray(made) ? made : [];
  const [chunk] = first?.output ?? [];
  if (chunk?.type !== 'chunk') throw new Error('nothing was built');
  return chunk.code;
}

interface Nested extends Serving {
  readonly run: string;
  readonly ledger: string[];
}

/** Agents four deep, the innermost of which wants to post something; then an answer in several paragraphs. */
async function nested(): Promise<Nested> {
  const ledger: string[] = [];
  const post = appWith(async (scope, text) => {
    const said = await scope.step({ key: 'outer', title: 'Coordination', kind: 'agent' }, (outer) =>
      outer.step({ key: 'middle', title: 'Duty desk', kind: 'agent' }, (middle) =>
        middle.step({ key: 'inner', title: 'Drafting' }, (inner) =>
          inner.step({ key: 'deepest', title: 'Posting' }, async (deepest) => {
            deepest.say('It will be posted to all. ');
            const { decision } = await deepest.ask({
              key: 'q',
              title: 'Post it?',
              message: 'All will read it.',
              arguments: { text },
              allowed: ['approve', 'reject'],
            });
            if (decision === 'approve') ledger.push(text);
            return decision;
          }),
        ),
      ),
    );
    return scope.step({ key: 'answer', kind: 'answer', title: 'Answer' }, (answer) => {
      answer.say(`First: ${said}.\n\n`);
      answer.say('Second paragraph.');
      return Promise.resolve(`First: ${said}.\n\nSecond paragraph.`);
    });
  });
  const at = await serving({ config: { apps: { post } } });
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'Hello all' } } }), 'run');
  return { ...at, run, ledger };
}

/** The page stands at the server's own address, as an app of its users would. */
async function opened(page: Page, { url }: Serving, version: Version): Promise<readonly string[]> {
  const warnings: string[] = [];
  page.on('console', (message) => {
    // What the page itself has chosen: the build of Lit for development, and to show text as it is.
    const isOwn = /Lit is in dev mode|no markdown renderer is configured/.test(message.text());
    if (!isOwn && ['warning', 'error'].includes(message.type())) warnings.push(message.text());
  });
  page.on('pageerror', (error) => warnings.push(String(error)));
  const html =
    '<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/surface.js"></script>';
  await page.route(`${url}/surface`, (route) => route.fulfill({ contentType: 'text/html', body: html }));
  await page.route(`${url}/surface.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: scripts.get(version) ?? '' }),
  );
  await page.goto(`${url}/surface`);
  await page.waitForFunction(() => 'page' in globalThis);
  return warnings;
}

type InPage = typeof globalThis & { readonly page: Shown };

describeInBrowser('the official renderer', (browser) => {
  test.for(renderers)(
    '[UI4] [UI7] of $version shows nested steps, and the button that approves acts',
    async ({ version }) => {
      const at = await nested();
      const page = await browser().newPage();
      const warnings = await opened(page, at, version);
      const following = page.evaluate((run) => (globalThis as InPage).page.follow(run, []), at.run);
      const button = page.getByText('Approve', { exact: true });
      await button.waitFor();
      const shown = ['Hello all', 'Coordination', 'Duty desk', 'Drafting', '› Posting', 'Post it?'];
      for (const text of [...shown, 'waiting for a decision', '"text": "Hello all"'])
        await expect.poll(() => page.getByText(text).count(), { message: text }).toBeGreaterThan(0);
      expect(at.ledger).toEqual([]);
      await button.click();
      await following;
      expect(at.ledger).toEqual(['Hello all']);
      for (const text of ['First: approve.', 'Second paragraph.', 'completed'])
        await page.getByText(text).first().waitFor();
      await expect.poll(() => button.count()).toBe(0);
      await expect.poll(() => page.evaluate(() => (globalThis as InPage).page.acted)).toEqual([200]);
      expect(warnings).toEqual([]);
      await page.close();
    },
  );

  test.for(renderers)(
    '[UI2] of $version after ten cuts at random frames it shows the same',
    async ({ version }) => {
      const at = await nested();
      const page = await browser().newPage();
      const warnings = await opened(page, at, version);
      const chance = new Chance(10);
      const cuts = Array.from({ length: 10 }, () => chance.between(1, 4));
      const following = page.evaluate(
        ([run, all]) => (globalThis as InPage).page.follow(String(run), all as number[]),
        [at.run, cuts] as const,
      );
      await page.getByText('Approve', { exact: true }).click();
      await following;
      const state = await page.evaluate((run) => (globalThis as InPage).page.state(run), at.run);
      const other = await browser().newPage();
      await opened(other, at, version);
      await other.evaluate((run) => (globalThis as InPage).page.follow(run, []), at.run);
      expect(state).toBe(await other.evaluate((run) => (globalThis as InPage).page.state(run), at.run));
      expect(at.ledger).toEqual(['Hello all']);
      expect(warnings).toEqual([]);
      await page.close();
      await other.close();
    },
  );
});
