// What is only seen: dots before the first step, the budget, until when a question waits, the theme, and what stands still.
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { appWith, serving } from '../serving.ts';
import { opened, say } from '../web.ts';

const turning = `[...document.querySelectorAll('.spin, .dots i')]
 .some((one) => getComputedStyle(one).animationName !== 'none' &&
    parseFloat(getComputedStyle(one).animationDuration) > 0.1)`;

describeInBrowser('what is seen', (browser) => {
  test('[W203] dots stand where the first step will be, then what was spent of the budget, and until when a question waits', async () => {
    const begun = Promise.withResolvers<void>();
    const asks = {
      ...appWith(async (scope) => {
        await begun.promise;
        await scope.step({ key: 'look', title: 'Look' }, async (step) => step.say('Seen.'));
        const { decision } = await scope.ask({ key: 'may', title: 'May I?', expiresIn: 3_600_000 });
        return decision;
      }, 'asks'),
      limits: { calls: 7 },
    };
    const at = await serving({ config: { apps: { asks } } });
    const { page, complaints } = await opened(browser(), at.url);
    await say(page, 'Go');
    await page.locator('.dots').first().waitFor();
    await expect.poll(() => page.evaluate(turning)).toBe(true);
    begun.resolve();
    await page.getByText('budget 0/7').waitFor();
    await page.getByText(/No answer by .+: it does not happen\./).waitFor();
    await expect.poll(() => page.locator('.dots').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  test('[W203] a message that begins a conversation is there from its sending on', async () => {
    const at = await serving({ config: { apps: { echo: appWith(async (_, text) => text, 'echo') } } });
    const { page } = await opened(browser(), at.url);
    await page.evaluate(`
      window.gone = 0;
      new MutationObserver(() => {
        if (document.querySelector('.said')) window.wasSaid = true;
        else if (window.wasSaid) window.gone += 1;
      }).observe(document.body, { childList: true, subtree: true });
    `);
    await say(page, 'Are you there?');
    await page.waitForSelector('[data-answer=given]');
    expect(await page.evaluate('[window.wasSaid, window.gone]')).toEqual([true, 0]);
  });

  test('[W15] the theme that is chosen goes before that of the machine, and stays', async () => {
    const at = await serving({ config: { apps: { echo: appWith(async (_, text) => text, 'echo') } } });
    const { page } = await opened(browser(), at.url, { colorScheme: 'light' });
    const paper = (): Promise<unknown> => page.evaluate(`getComputedStyle(document.body).backgroundColor`);
    await page.getByRole('button', { name: 'Theme' }).waitFor();
    const light = await paper();
    await page.getByRole('button', { name: 'Theme' }).click();
    await page.getByRole('menuitemradio', { name: 'Dark' }).click();
    await expect.poll(paper).not.toEqual(light);
    const dark = await paper();
    await page.reload();
    await page.getByRole('button', { name: 'Theme' }).waitFor();
    expect(await paper()).toEqual(dark);
  });

  test('[W203] nothing turns where less motion is wanted', async () => {
    const begun = Promise.withResolvers<string>();
    const at = await serving({ config: { apps: { slow: appWith(() => begun.promise, 'slow') } } });
    const { page } = await opened(browser(), at.url, { reducedMotion: 'reduce' });
    await say(page, 'Go');
    await page.locator('.dots').first().waitFor();
    expect(await page.evaluate(turning)).toBe(false);
    begun.resolve('Done.');
    await page.waitForSelector('[data-answer=given]');
  });
});
