// What somebody found who had never seen the app: each was wrong once.
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { appWith, serving, type Serving } from '../serving.ts';
import { bakery } from '../web/bakery.ts';
import { expectAccessible, opened, say } from '../web.ts';

const words = 'water every fern in the long row by the window '.repeat(40);
const asks = appWith(async (scope) => {
  const { decision } = await scope.ask({ key: 'q', title: 'May I?', arguments: { amount: 5, words } });
  return decision;
}, 'asks');

/** What has the focus. */
const focused = `(() => {
  const { tagName, dataset } = document.activeElement;
  return dataset.decide ?? tagName.toLowerCase();
})()`;

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

  test('[W301] on a phone the inbox shows what is asked whole, and nothing stands beside the screen', async () => {
    const at = await serving({ config: { apps: { asks } } });
    await started(at, 4);
    const { page } = await opened(browser(), `${at.url}/approvals`, {
      viewport: { width: 390, height: 844 },
      isMobile: true,
      hasTouch: true,
    });
    await page.locator('[data-detail] [data-decide=approve]').waitFor();
    const beside = `[...document.querySelectorAll('main *')]
      .filter((each) => each.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(each).position !== 'absolute')
      .map((each) => each.outerHTML.slice(0, 80))`;
    await expect.poll(() => page.evaluate(beside)).toEqual([]);
    await expectAccessible(page);
  });

  test('[W302] a run that is not there looks like none', async () => {
    const at = await serving({ config: { apps: { asks } } });
    const { page } = await opened(browser(), `${at.url}/runs/run_never`);
    await page.getByRole('alert').getByText('There is no run «run_never».').waitFor();
    expect(await page.getByText('Running').count()).toBe(0);
    expect(await page.locator('[data-trace]').count()).toBe(0);
    await expectAccessible(page);
  });

  test('[W303] Home says nothing that it does not know yet', async () => {
    const at = await serving({ config: { apps: { asks } } });
    await started(at, 1);
    const { promise: known, resolve: tell } = Promise.withResolvers<void>();
    const { page } = await opened(browser(), 'about:blank');
    await page.route('**/api/approvals?**', async (route) => {
      await known;
      await route.continue();
    });
    await page.goto(`${at.url}/home`);
    await page.getByRole('status', { name: 'Loading' }).waitFor();
    expect(await page.getByText('Nothing waits for you').count()).toBe(0);
    await expectAccessible(page);
    tell();
    await page.locator('[data-question]', { hasText: 'water every fern' }).waitFor();
  });

  test('[W209] a file that is dropped beside the composer is attached, too', async () => {
    const at = await serving({ config: { apps: { asks } } });
    const { page } = await opened(browser(), at.url);
    await page.locator('#message').waitFor();
    const drag = (type: string): Promise<unknown> =>
      page.evaluate(`(() => {
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File(['two'], 'beside.txt', { type: 'text/plain' }));
        const event = new DragEvent('${type}', { bubbles: true, cancelable: true, dataTransfer });
        document.querySelector('main').dispatchEvent(event);
        return event.defaultPrevented;
      })()`);
    expect(await drag('dragover')).toBe(true);
    await page.locator('.composer[data-over=true]').waitFor();
    expect(await drag('drop')).toBe(true);
    await page.locator('.composer[data-over=false] [data-file="beside.txt"][data-state=kept]').waitFor();
  });

  test('[W304] a question in the chat is answered by keys alone, and the focus is never lost', async () => {
    const at = await bakery();
    at.goOn();
    const { page } = await opened(browser(), at.url);
    await say(page, 'bread');
    const card = page.locator('[data-approval]', { hasText: 'bake' });
    await card.locator('[data-decide=approve]:enabled').waitFor();
    expect(await card.locator('kbd').first().isVisible()).toBe(false);
    // Within its card: the thread may still be scrolled meanwhile.
    const place = (): Promise<unknown> =>
      card.locator('[data-decide=reject]').evaluate((one) => {
        const { offsetLeft, offsetWidth } = one as unknown as Record<string, number>;
        return [offsetLeft, offsetWidth];
      });
    const before = await place();
    await card.locator('[data-decide=edit]').focus();
    await expect.poll(() => card.locator('kbd').first().isVisible()).toBe(true);
    expect(await place()).toEqual(before);
    await page.keyboard.press('e');
    await expect.poll(() => page.evaluate(focused)).toBe('select');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(focused)).toBe('edit');
    await page.keyboard.press('r');
    await expect.poll(() => page.evaluate(focused)).toBe('textarea');
    await page.keyboard.press('Escape');
    await expect.poll(() => page.evaluate(focused)).toBe('reject');
    await page.keyboard.press('e');
    await card.getByLabel('minutes').fill('41');
    await card.getByText('under a new fingerprint').waitFor();
    expect(await card.getByText(/^Fingerprint/).count()).toBe(0);
    await card.getByText('Ctrl ↵').waitFor();
    await card.getByLabel('minutes').press('Control+Enter');
    await expect
      .poll(() => at.baked)
      .toEqual([{ oven: 'left', minutes: 41, recipe: { flour: 'rye', salt: 9 } }]);
    expect(await page.locator('[data-run]').getAttribute('data-status')).not.toBe('stopped');
  });

  test('[W305] what cannot be drawn takes nothing else from the screen', async () => {
    const draws = appWith(async (scope, text) => {
      if (text === 'strange')
        scope.attach({ kind: 'visualization', shape: '__proto__' as 'table', data: {} });
      return `You said ${text}.`;
    }, 'draws');
    const at = await serving({ config: { apps: { draws } } });
    const { page } = await opened(browser(), at.url);
    await say(page, 'plain');
    await page.locator('[data-answer=given]').waitFor();
    await say(page, 'strange');
    await page.locator('[data-undrawn]').waitFor();
    await page.locator('[data-answer=given]', { hasText: 'You said plain.' }).waitFor();
    await say(page, 'again');
    await page.locator('[data-answer=given]', { hasText: 'You said again.' }).waitFor();
    await page.route('**/assets/**', (route) => route.abort());
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('alert').getByText('Could not load this').waitFor();
    await expectAccessible(page);
    await page.unroute('**/assets/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-home=ready]').waitFor();
  });

  test('[W306] an address that leads nowhere is answered with a page, and a program with a refusal', async () => {
    const at = await serving({ config: { apps: { asks } } });
    const { page } = await opened(browser(), at.url);
    const answered = await page.goto(`${at.url}/no/such/place`);
    expect(answered?.status()).toBe(404);
    await page.getByText('There is nothing at this address.').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await expectAccessible(page);
    expect((await at.ask('/no/such/place')).json).toEqual({
      error: { code: 'unknown', message: 'There is nothing at this address.' },
    });
  });

  test('[W307] a run that was stopped says so, also folded', async () => {
    const waits = appWith(async (scope) => {
      await scope.step({ key: 'w', title: 'Wait' }, () => new Promise(() => {}));
      return '';
    }, 'waits');
    const at = await serving({ config: { apps: { waits } } });
    const { page } = await opened(browser(), at.url);
    await say(page, 'wait');
    await page.locator('[data-run]', { hasText: 'Wait' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('.folded', { hasText: / · stopped/ }).waitFor();
  });

  test('[W308] beside a run stands where its time went, and what waits goes on', async () => {
    const at = await bakery();
    at.goOn();
    const { page } = await opened(browser(), at.url);
    await say(page, 'bread');
    await page.locator('[data-approval]', { hasText: 'bake' }).waitFor();
    const spent = async (who: string): Promise<number> => {
      const told = (await page.locator('.split').getAttribute('aria-label')) ?? '';
      return Number(new RegExp(`${who} ([\\d.]+) s`).exec(told)?.[1] ?? 0);
    };
    await expect.poll(() => spent('You')).toBeGreaterThan(0);
    const before = await spent('You');
    await expect.poll(() => spent('You')).toBeGreaterThan(before + 0.5);
    // The call that is asked about does not work meanwhile.
    await expect.poll(async () => (await spent('You')) - (await spent('Tools'))).toBeGreaterThan(1);
  });

  test('[W309] a conversation is found however many there were since', async () => {
    const echo = appWith(async (_, text) => text, 'echo');
    const at = await serving({ config: { apps: { echo } } });
    for (let i = 0; i < 103; i += 1) await at.ask('/api/runs', { json: { input: { text: `number ${i}` } } });
    const { page } = await opened(browser(), at.url);
    const first = page.getByRole('link', { name: /number 0\b/ });
    await page.getByRole('button', { name: 'Show older' }).waitFor();
    // Whatever is far down in the list, the frame of the app stays where it is.
    const frame = `(() => {
      const app = document.querySelector('.app');
      app.scrollTop = 500;
      return [app.scrollTop, app.scrollHeight - app.clientHeight];
    })()`;
    expect(await page.evaluate(frame)).toEqual([0, 0]);
    expect(await first.count()).toBe(0);
    await page.getByRole('button', { name: 'Show older' }).click();
    await first.click();
    await page.locator('[data-answer=given]', { hasText: 'number 0' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Show older' }).count()).toBe(0);
  });
});
