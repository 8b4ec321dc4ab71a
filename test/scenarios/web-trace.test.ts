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
      if (tree.endedAt !== undefined) return;
      const times = async (): Promise<readonly string[]> => [
        (await page.textContent('.trace-chat .ticking')) ?? '',
        (await page.textContent('[data-figure=wall]')) ?? '',
      ];
      await expect
        .poll(times, { message: 'the chat has the time of that moment' })
        .toSatisfy(([taken = '', wall = '']: readonly string[]) => taken !== '' && wall.includes(taken));
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
    await page.click('.scrub-track', { position: { x: 120, y: 10 } });
    const shown = async (): Promise<number> => Number(await page.getAttribute('[data-at]', 'data-at'));
    await expect.poll(shown).toBeGreaterThan(2);
    await isAs(await shown());
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

  test('[W62] [W65] steps are found, gone through with the keys, and show what they were given and sent', async () => {
    const { url, run } = await demoRun();
    const tree = await vitrineClient({ url }).tree(run, undefined, everything);
    const { page, complaints } = await opened(browser(), `${url}/runs/${run}`);
    await page.waitForSelector('[data-run-status=completed]');
    await page.focus('[role=tree]');
    await page.keyboard.press('ArrowDown');
    await page.waitForURL(`**/runs/${run}/steps/1`);
    await page.keyboard.press('ArrowLeft');
    await page.waitForSelector('[data-row="1"][aria-expanded=false]');
    await expect.poll(() => page.locator('[data-row="2"]').count()).toBe(0);
    await page.keyboard.press('ArrowRight');
    await page.waitForSelector('[data-row="2"]');

    const called = tree.steps.find(({ title }) => title === 'dispatch_field_engineer')?.id;
    await page.fill('[data-find]', 'tool:dispatch status:completed');
    await expect.poll(() => page.locator('[data-row]:not(.aside)').count()).toBe(1);
    await page.click(`[data-row="${called}"]`);
    await page.waitForURL(`**/runs/${run}/steps/${called}`);
    await page.reload();
    await page.waitForSelector(`[data-row="${called}"][aria-selected=true]`);
    await expect.poll(() => page.textContent('.inspector h2')).toBe('dispatch_field_engineer');

    const turn = tree.steps.find(({ prompt }) => prompt !== undefined)?.id;
    await page.click(`[data-row="${turn}"]`);
    await page.click('[data-tab=prompt]');
    await page.waitForSelector('[data-sent=user]');
    await expect.poll(() => page.textContent('[data-sent=user] pre')).toContain('Dispatch a field engineer');
    await page.click('[data-tab=frames]');
    await expect.poll(() => page.textContent('[data-frames=steps]')).toContain('"type":"run.ended"');
    await page.selectOption('.frames-choice select', 'openai-chat');
    await expect.poll(() => page.textContent('[data-frames=openai-chat]')).toContain('chat.completion.chunk');
    await page.click('[data-tab=events]');
    await page.click('[data-event] >> nth=0');
    await page.waitForSelector('[data-replay]');
    expect(complaints).toEqual([]);
  });

  test('[W66] [W67] runs are listed, searched and filtered as they come; home says what waits', async () => {
    const { url, run } = await demoRun();
    const client = vitrineClient({ url });
    const { page, complaints } = await opened(browser(), `${url}/runs`);
    await page.waitForSelector(`[data-listed-run="${run}"][data-status=completed]`);
    const other = await client.start({ text: 'Delete user Ada King' });
    await page.waitForSelector(`[data-listed-run="${other.run}"][data-status=waiting]`);
    await page.fill('[data-find-runs]', 'urgent');
    await expect.poll(() => page.locator('[data-listed-run]').count()).toBe(1);
    await page.reload();
    await expect.poll(() => page.inputValue('[data-find-runs]')).toBe('urgent');
    await page.waitForSelector(`[data-listed-run="${run}"]`);
    await page.selectOption('[data-choice=status]', 'failed');
    await page.waitForSelector('.state');
    await expectAccessible(page);
    await page.click('[data-clear]');
    await page.waitForSelector(`[data-listed-run="${other.run}"]`);
    await expectAccessible(page);

    await page.goto(`${url}/home`);
    await page.waitForSelector(`[data-listed-run="${other.run}"] .run-strip i.waiting`);
    const { approvals } = await client.approvals();
    await expect.poll(() => page.locator('[data-question]').count()).toBe(approvals.length);
    await expectAccessible(page);
    await page.setViewportSize({ width: 390, height: 844 });
    for (const place of ['home', 'runs', `runs/${run}`]) {
      await page.goto(`${url}/${place}`);
      await page.waitForSelector('[data-home=ready], [data-runs=ready], [data-run-status=completed]');
      const beside = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
      await expect.poll(() => page.evaluate(beside), { message: place }).toBe(0);
    }
    await expectAccessible(page);
    await page.goto(`${url}/home`);
    await page.click('[data-question]');
    await page.waitForSelector('[data-decide=reject]');
    expect(complaints).toEqual([]);
  });
});
