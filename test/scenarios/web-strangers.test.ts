// What somebody found who had never seen the app: each was wrong once.
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { appWith, serving, type Serving } from '../serving.ts';
import { opened } from '../web.ts';

const asks = appWith(async (scope) => {
  const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5 } });
  return decision;
}, 'asks');

async function started(at: Serving, count: number): Promise<void> {
  for (let i = 0; i < count; i += 1)
    await at.ask('/api/runs', { json: { app: 'asks', input: { text: `water ${i}` } } });
}

describeInBrowser('a stranger', (browser) => {
  test('[W300] however many runs and tabs are open, the next one loads and is told what happens', async () => {
    const at = await serving({ config: { apps: { asks } } });
    await started(at, 7);
    const { page } = await opened(browser(), `${at.url}/home`);
    await page.locator('[data-question]').nth(6).waitFor();
    for (let i = 0; i < 6; i += 1) {
      const other = await page.context().newPage();
      await other.goto(`${at.url}/approvals`);
      await other.locator('[data-detail] [data-decide=approve]:enabled').waitFor();
    }
    const last = await page.context().newPage();
    await last.goto(`${at.url}/approvals`);
    await last.locator('[data-detail] [data-decide=approve]:enabled').click();
    await expect.poll(() => page.locator('[data-question]').count()).toBe(6);
  });
});
