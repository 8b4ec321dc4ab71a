// The trace of a run in a real browser: what is on the screen is what the server says the run was at that moment.
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient, type FlatTree } from '../../src/client/client.ts';
import { describeInBrowser } from '../browser.ts';
import { Chance } from '../random.ts';
import { temporaryFolder } from '../serving.ts';
import { start } from '../vitrine.ts';
import { expectAccessible, opened } from '../web.ts';

const everything = { stages: 'nested', names: '*', depth: '*' } as const;

/** The demo world with one run in it that has ended, and had asked somebody. */
async function demoRun(): Promise<{ url: string; run: string; head: number }> {
  const server = start(['demo', '--port', '0'], { cwd: temporaryFolder() });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
  const client = vitrineClient({ url });
  const { run } = await client.start({ text: 'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01, urgent' });
  for await (const tree of client.follow(run)) {
    const asked = tree.approvals.find(({ status }) => status === 'undecided');
    if (asked) await client.decide(asked.id, { decision: 'approve', fingerprint: asked.fingerprint });
  }
  return { url, run, head: (await client.tree(run)).seq };
}

/** The lines as they are on the screen, from the top. */
async function rowsOn(page: Page): Promise<unknown> {
  return page.evaluate(`[...document.querySelectorAll('[data-row]:not([data-row="0"])')]
    .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
    .map((row) => [Number(row.dataset.row), Number(row.getAttribute('aria-level')) - 1,
      row.querySelector('.name, .tool').textContent, row.dataset.status])`);
}

/** The same of a tree, each step below its parent. */
function rowsIn({ steps }: FlatTree): unknown[] {
  const rows = (parent: number, depth: number): unknown[] =>
    steps
      .filter((step) => step.parent === parent)
      .flatMap(({ id, title, status }) => [[id, depth, title, status], ...rows(id, depth + 1)]);
  return rows(0, 1);
}

describeInBrowser('the trace', (browser) => {
  test('[W60] [W61] [W62] shows every step as the server has it, now and at any event, by pointer, key and link', async () => {
    const { url, run, head } = await demoRun();
    const client = vitrineClient({ url });
    const { page, complaints } = await opened(browser(), `${url}/runs/${run}`, {
      viewport: { width: 1440, height: 1600 },
    });
    await page.waitForSelector('[data-run-status=completed]');
    const isAs = async (at?: number): Promise<void> => {
      await page.waitForSelector(`[data-at="${at ?? head}"]`);
      const tree = await client.tree(run, at, everything);
      await expect.poll(() => rowsOn(page), { message: `at ${at}` }).toEqual(rowsIn(tree));
      await expect.poll(() => page.getAttribute('[data-run-status]', 'data-run-status')).toBe(tree.status);
    };
    await isAs();

    const chance = new Chance(60);
    const moments = Array.from({ length: 5 }, () => chance.between(1, head));
    for (const at of moments) {
      await page.goto(`${url}/runs/${run}#${at}`);
      await page.reload();
      await isAs(at);
    }
    await page.focus('.scrub-track');
    await page.keyboard.press('Home');
    await isAs(1);
    await page.keyboard.press('ArrowRight');
    await isAs(2);
    await page.click('[data-next=asked]');
    await page.waitForSelector('[data-run-status=waiting]');
    await page.waitForSelector('[data-chat] [data-approval]');
    await page.click('[data-play]');
    await page.waitForSelector('[data-run-status=completed]');
    await page.click('[data-live]');
    await isAs();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
