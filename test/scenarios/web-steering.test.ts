// Whoever watches a run in the browser steps in: stops, decides, asks on, comes back.
import { expect, test } from 'vitest';
import type { Tool } from '../../src/tools/tool.ts';
import type { Json } from '../../src/run/values.ts';
import { describeInBrowser } from '../browser.ts';
import { appWith, serving, type Serving } from '../serving.ts';
import { expectAccessible, opened, say } from '../web.ts';

interface Stage extends Serving {
  /** What the tool was called with. */
  readonly ran: Json[];
  /** Lets the run say its next words. */
  readonly words: { next(): void };
}

const words = Array.from({ length: 40 }, (_, i) => `word${i} `);

/** An app that says one word for each permission, three levels deep, and one that sends something. */
async function stage(): Promise<Stage> {
  const ran: Json[] = [];
  const waiting: (() => void)[] = [];
  let allowed = 0;
  const turn = (): Promise<void> =>
    new Promise((resolve) => {
      if (allowed > 0) {
        allowed -= 1;
        resolve();
      } else waiting.push(resolve);
    });
  const send: Tool = {
    name: 'send',
    description: 'Sends a message.',
    schema: { type: 'object' },
    effect: 'once',
    approval: 'always',
    run: async (input) => {
      ran.push(input);
      return { sent: true };
    },
  };
  const talks = appWith(async (scope) => {
    await scope.step({ key: 'outer', title: 'Outer' }, (outer) =>
      outer.step({ key: 'middle', title: 'Middle' }, (middle) =>
        middle.step({ key: 'inner', title: 'Inner' }, async (inner) => {
          for (const word of words) {
            await turn();
            inner.say(word);
          }
        }),
      ),
    );
    return 'All is said.';
  }, 'talks');
  const sends = appWith(async (scope, text) => {
    const sent = await scope.call('send', { to: 'ana@shop.example', amount: 5, text });
    return `Result: ${JSON.stringify(sent)}`;
  }, 'sends');
  const apps = { talks, sends };
  const at = await serving({ config: { apps, tools: [send], defaultApp: 'sends' } });
  const next = (): void => {
    const [one] = waiting.splice(0, 1);
    if (one) one();
    else allowed += 1;
  };
  return { ...at, ran, words: { next } };
}

const start = (at: Serving, app: string, text = 'go') =>
  at.ask('/api/runs', { json: { app, conversation: 'c', input: { text } } });

describeInBrowser('in the browser', (browser) => {
  test('[W4] a page that is loaded again in the middle of a stream has lost nothing and nothing twice', async () => {
    const at = await stage();
    await start(at, 'talks');
    const { page, complaints } = await opened(browser(), `${at.url}/c/c`);
    for (let i = 0; i < 15; i += 1) at.words.next();
    const stream = page.locator('[data-step="3"] .stream');
    await stream.filter({ hasText: 'word14' }).waitFor();
    await expect.poll(() => page.locator('[data-answer]').count()).toBe(0);
    await page.reload();
    await stream.filter({ hasText: 'word14' }).waitFor();
    expect((await stream.textContent())?.split(' ').filter(Boolean)).toEqual(
      words.slice(0, 15).map((word) => word.trim()),
    );
    for (let i = 15; i < 40; i += 1) at.words.next();
    await page.waitForSelector('[data-answer=given]');
    await expect.poll(() => page.textContent('[data-answer=given]')).toBe('All is said.');
    await page.waitForSelector('.folded');
    await page.click('.folded');
    for (const step of [1, 2, 3])
      await page.click(`[data-step="${step}"] > .row .hit[aria-expanded=false]`, {
        position: { x: 30, y: 9 },
      });
    await expect
      .poll(async () => (await stream.textContent())?.split(' ').filter(Boolean))
      .toEqual(words.map((word) => word.trim()));
    expect(complaints).toEqual([]);
  });

  test('[W5] Stop ends a run in the middle, and Escape does too', async () => {
    const at = await stage();
    const { page } = await opened(browser(), `${at.url}/c/c`);
    await start(at, 'talks');
    at.words.next();
    await page.locator('.stream', { hasText: 'word0' }).waitFor();
    await expectAccessible(page);
    await page.click('[data-stop]');
    await page.waitForSelector('[data-status=stopped]');
    await start(at, 'talks', 'once more');
    await page.waitForSelector('section[data-run][data-status=running]');
    await page.waitForSelector('[data-stop]:enabled');
    await page.keyboard.press('Escape');
    await page.locator('.folded.stopped, section[data-status=stopped]').nth(1).waitFor();
  });

  test('[W7] what is changed in a form runs as it was changed, with a diff before it', async () => {
    const at = await stage();
    const { page, complaints } = await opened(browser(), at.url);
    await say(page, 'pay');
    await page.click('[data-decide=edit]');
    const approve = page.locator('[data-decide=approve]');
    await expect.poll(() => approve.isDisabled()).toBe(true);
    await page.getByLabel('amount').fill('7');
    await page.getByLabel('to', { exact: true }).fill('bo@shop.example');
    await expect
      .poll(() => page.locator('.diff .removed').allTextContents())
      .toEqual(['−to: ana@shop.example', '−amount: 5']);
    await expect
      .poll(() => page.locator('.diff .added').allTextContents())
      .toEqual(['+to: bo@shop.example', '+amount: 7']);
    await expect.poll(() => approve.textContent()).toContain('Approve with 2 changes');
    await expectAccessible(page);
    await approve.click();
    await page.waitForSelector('[data-answer=given]');
    expect(at.ran).toEqual([{ to: 'bo@shop.example', amount: 7, text: 'pay' }]);
    expect(complaints).toEqual([]);
  });

  test('[W7] a rejection says why, and nothing was sent; a question that is put off stays', async () => {
    const at = await stage();
    const { page } = await opened(browser(), at.url);
    await say(page, 'pay');
    await page.click('[data-decide=defer]');
    await page.getByRole('menuitem', { name: 'in an hour' }).click();
    await expect.poll(async () => (await at.ask('/api/approvals')).text).toContain('"deferred"');
    await page.click('[data-decide=reject]');
    await page.fill('.rejecting textarea', 'wrong Mia');
    await page.click('[data-decide=reject-now]');
    await page.locator('[data-decided=reject]', { hasText: 'Rejected by local. “wrong Mia”' }).waitFor();
    expect(at.ran).toEqual([]);
  });

  test('[W8] what is asked while a run works waits for its end, can be taken back, and regenerating takes its place', async () => {
    const at = await stage();
    const { page } = await opened(browser(), at.url);
    await say(page, 'first');
    await page.waitForSelector('[data-approval]');
    await say(page, 'second');
    await say(page, 'third');
    await page.locator('[data-queued]').nth(1).waitFor();
    await page.locator('[data-queued]').nth(1).getByRole('button').click();
    const queued = () => page.locator('[data-queued]').count();
    await expect.poll(queued).toBe(1);
    await page.reload();
    await page.waitForSelector('[data-approval]');
    await expect.poll(queued).toBe(1);
    expect((await at.ask('/api/runs')).json).toMatchObject({ runs: { length: 1 } });
    // Whoever comes to it now is asked as well, and is not told what somebody else has in mind.
    const other = await opened(browser(), page.url());
    await other.page.waitForSelector('[data-decide=approve]:enabled');
    await expect.poll(() => other.page.locator('[data-queued]').count()).toBe(0);
    await page.click('[data-decide=approve]:enabled');
    await other.page.locator('[data-decided=approve]').first().waitFor({ state: 'attached' });
    await page.locator('[data-turn]').nth(1).locator('[data-decide=approve]:enabled').click();
    await page.locator('[data-answer=given]').nth(1).waitFor();
    expect(at.ran.map((one) => (one as { text: string }).text)).toEqual(['first', 'second']);
    await expect.poll(queued).toBe(0);
    await page.getByRole('button', { name: 'Regenerate' }).last().click();
    await page.locator('[data-turn]').nth(1).locator('[data-approval]').waitFor();
    await expect.poll(() => page.locator('[data-turn]').count()).toBe(2);
  });

  test('[W9] the inbox works by its keys, and A does nothing until all of it was shown', async () => {
    const at = await stage();
    const long = 'line\n'.repeat(200);
    await start(at, 'sends', long);
    // The one that asked first is the first of the list.
    await expect.poll(async () => (await at.ask('/api/approvals')).json).toMatchObject({ approvals: [{}] });
    await at.ask('/api/runs', { json: { app: 'sends', conversation: 'd', input: { text: 'short' } } });
    const { page, complaints } = await opened(browser(), `${at.url}/approvals`);
    await page.locator('[data-listed]').nth(1).waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(2\) /);
    await expectAccessible(page);
    const chosen = () => page.getAttribute('[data-detail] [data-approval]', 'data-approval');
    const first = await chosen();
    await page.waitForSelector('[data-decide=approve]:enabled');
    await page.keyboard.press('a');
    await page
      .locator('[data-announcements]', { hasText: 'Scroll to the end of it first' })
      .waitFor({ state: 'attached' });
    expect(at.ran).toEqual([]);
    await page.keyboard.press('j');
    await expect.poll(chosen).not.toBe(first);
    await page.keyboard.press('k');
    await expect.poll(chosen).toBe(first);
    await page.keyboard.press('v');
    await page.waitForSelector('[data-trace] [data-row="1"]');
    await page.goBack();
    await page.locator('[data-listed]').nth(1).waitFor();
    await page.keyboard.press('j');
    await expect.poll(chosen).not.toBe(first);
    await page.waitForSelector('[data-decide=approve]:enabled');
    await page.keyboard.press('e');
    await page.getByLabel('amount').fill('9');
    await page.keyboard.press('Control+Enter');
    await page.locator('[data-answered]').waitFor();
    await expect.poll(() => at.ran).toEqual([{ to: 'ana@shop.example', amount: 9, text: 'short' }]);
    await expect.poll(chosen).toBe(first);
    await page.keyboard.press('r');
    await page.fill('.rejecting textarea', 'too long');
    await page.keyboard.press('Control+Enter');
    await page.getByText('When an agent needs a yes').waitFor();
    expect(at.ran).toHaveLength(1);
    expect(complaints).toEqual([]);
  });

  test('[W9] of two who answer one question at once, one decides and the other is told who was faster', async () => {
    const at = await stage();
    await start(at, 'sends');
    const [one, other] = await Promise.all([
      opened(browser(), `${at.url}/c/c`),
      opened(browser(), `${at.url}/c/c`),
    ]);
    await other.page.route('**/api/approvals/*', async (route) => {
      await one.page.click('[data-decide=approve]:enabled');
      await expect.poll(() => at.ran.length).toBe(1);
      await route.continue();
    });
    await one.page.waitForSelector('[data-decide=approve]:enabled');
    await other.page.click('[data-decide=reject]:enabled');
    await other.page.click('[data-decide=reject-now]');
    await other.page
      .locator('[data-decided=approve]', { hasText: 'Approved by local.' })
      .waitFor({ state: 'attached' });
    await other.page.unrouteAll({ behavior: 'wait' });
    expect(at.ran).toHaveLength(1);
  });

  test('[W10] on a phone nothing stands beside the screen, and what waits can be decided', async () => {
    const at = await stage();
    await start(at, 'sends');
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    const { page } = await opened(browser(), `${at.url}/c/c`, phone);
    await page.waitForSelector('[data-decide=approve]:enabled');
    const sheet = async (selector: string): Promise<void> => {
      const box = async (): Promise<unknown> => {
        const { x, y, width, height } =
          (await page.locator(selector).boundingBox()) ?? expect.fail('not there');
        return [x, width, y > 150, Math.round(y + height)];
      };
      await expect.poll(box).toEqual([0, 390, true, 844]);
      await expectAccessible(page);
    };
    await expect.poll(() => page.locator('.panel').count()).toBe(0);
    await page.getByRole('button', { name: 'Show the run' }).click();
    await page.locator('.panel .plan').waitFor();
    await sheet('.panel');
    await page.keyboard.press('Escape');
    await page.locator('.panel').waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    const button = async (): Promise<unknown> => {
      const { width = 0, height = 0 } = (await page.locator('[data-decide=approve]').boundingBox()) ?? {};
      return [width > 200, height >= 44];
    };
    await expect.poll(button).toEqual([true, true]);
    await expectAccessible(page);
    await page.click('[data-decide=approve]');
    await page.waitForSelector('[data-answer=given]');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('link', { name: 'Approvals' }).click();
    await page.getByText('When an agent needs a yes').waitFor();
    await page.goto(`${at.url}/runs`);
    await page.locator('[data-listed-run]').first().click();
    await page.click('[data-row="1"]');
    await page.locator('.inspector h2', { hasText: 'send' }).waitFor();
    await sheet('.inspector');
    await page.locator('.inspector-close').click();
    await page.locator('.inspector').waitFor({ state: 'hidden' });
  });
});
