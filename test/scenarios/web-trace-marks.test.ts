// What a trace shows of a run that was taken over, that worked in parallel, remembered something and cost something.
import { expect, test } from 'vitest';
import { keepRun } from '../../bench/lists/keep-run.ts';
import { localTenant } from '../../src/run/owner.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { describeInBrowser } from '../browser.ts';
import { closed, ended, journal, opened as opens, said, started } from '../journal.ts';
import { appWith, serving, temporaryFolder } from '../serving.ts';
import { expectAccessible, opened } from '../web.ts';

const baker = { agent: 'baker', kind: 'agent' };
const saved = (step: number, loaves: number) =>
  ({ type: 'state.saved', step, agent: 'baker', strategy: 'own', state: { loaves } }) as const;

describeInBrowser('the marks of a trace', (browser) => {
  test('[W60] [W64] takeover, path of the end, cost, state before and after, and what worked at once are seen', async () => {
    const data = temporaryFolder();
    const store = await sqliteStore({ folder: data });
    const entries = journal(
      started('Bake for Monday', { tenant: localTenant, conversation: 'baked' }),
      opens(1, 0, { ...baker, title: 'First batch' }),
      saved(1, 20),
      closed(1, { usage: { input: 1_000, output: 200, cost: 0.05 } }),
      opens(2, 0, { ...baker, title: 'Second batch' }),
      opens(3, 0, { agent: 'tester', kind: 'agent', title: 'Tester' }),
      said(3, 'Tastes good.'),
      { type: 'worker.took', worker: 'another', epoch: 2, reason: 'recovered' },
      saved(2, 45),
      closed(2, { usage: { input: 2_000, output: 400, cost: 0.07 } }),
      closed(3),
      ended('45 loaves.'),
    );
    await keepRun(store, 'run_baked', entries, true);
    await store.close();
    const at = await serving({ data, config: { apps: { echo: appWith(async () => 'x', 'echo') } } });
    const { page, complaints } = await opened(browser(), `${at.url}/runs/run_baked`);
    await page.waitForSelector('[data-run-status=completed]');
    await expect.poll(() => page.locator('[data-mark=takeover]').count()).toBe(1);
    await expect.poll(() => page.locator('[data-gap]').count()).toBe(1);
    await expect.poll(() => page.textContent('[data-figure=cost]')).toMatch(/0[.,]12/);
    await expect.poll(() => page.locator('[data-row] .bar-critical').count()).toBe(0);
    await page.click('[data-critical]');
    await expect.poll(() => page.locator('[data-row="3"] .bar-critical').count()).toBe(1);
    await page.click('.trace-chat .folded');
    await page.locator('.trace-chat .group-head', { hasText: '2 in parallel' }).waitFor();
    await page.click('[data-row="2"]');
    await page.click('[data-tab=state]');
    const state = page.locator('.inspector-content');
    await state.getByText('20').waitFor();
    await state.getByText('45').waitFor();
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });
});
