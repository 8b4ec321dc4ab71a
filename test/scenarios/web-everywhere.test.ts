// What holds on every screen: nothing jumps, whoever listens is told, every language, every state.
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { appWith, serving, temporaryFolder, textAt, untilAnswer } from '../serving.ts';
import { bakery } from '../web/bakery.ts';
import { expectStill, watchShifts } from '../web/shifts.ts';
import { expectAccessible, opened, say } from '../web.ts';

describeInBrowser('everywhere', (browser) => {
  test('[W205] while words stream in, what one reads does not jump: the layout shifts by at most 0.1', async () => {
    const told: (() => void)[] = [];
    const talks = appWith(async (scope) => {
      scope.plan(
        ['gather', 'talk', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((key) => ({ key, title: key })),
      );
      await scope.step({ key: 'gather', title: 'gather' }, async (step) =>
        step.say('It folds.\n\n'.repeat(3)),
      );
      await scope.step({ key: 'talk', title: 'talk' }, async (step) => {
        for (let i = 0; i < 36; i += 1) {
          await new Promise<void>((resolve) => told.push(resolve));
          // Lines that wrap above what is planned, then paragraphs.
          step.say(`Sentence ${i} of many, long enough to fill most of a line.${i < 18 ? ' ' : '\n\n'}`);
        }
      });
      return 'All is said.\n\n- one\n- two\n- three';
    }, 'talks');
    const at = await serving({ config: { apps: { talks } } });
    const { page } = await opened(browser(), at.url);
    await watchShifts(page);
    await say(page, 'talk');
    for (let i = 0; i < 36; i += 1) {
      await expect.poll(() => told.length).toBeGreaterThan(0);
      told.shift()?.();
      await page.locator('.stream', { hasText: `Sentence ${i} of` }).waitFor({ state: 'attached' });
    }
    await expectStill(page);
    await page.locator('[data-answer=given] li').nth(2).waitFor();
    await page.locator('.folded').waitFor();
  });

  test('[W206] whoever listens is told of new steps, of questions and of the end', async () => {
    const at = await bakery();
    const { page } = await opened(browser(), at.url);
    await page.evaluate(`
      window.told = [];
      new MutationObserver(() => told.push(document.querySelector('[data-announcements]').textContent))
        .observe(document.querySelector('[data-announcements]'), { childList: true, characterData: true, subtree: true });
    `);
    await say(page, 'bread');
    const told = (): Promise<unknown> => page.evaluate('told.join()');
    await expect.poll(told).toContain('Step: Rain');
    at.goOn();
    for (const title of ['bake', 'Taste it?'])
      await page
        .locator('[data-approval]', { hasText: title })
        .locator('[data-decide=approve]:enabled')
        .click();
    await page.locator('[data-answer=given]').waitFor();
    await expect.poll(told).toMatch(/Waits for you: Taste it\?.*The run has ended: Done/s);
  });

  test('[W207] every screen says all of it in another language, and in both themes axe finds nothing serious', async () => {
    const at = await bakery();
    at.goOn();
    const { page, complaints } = await opened(browser(), at.url);
    await page.getByRole('button', { name: 'Theme and language' }).click();
    await page.getByRole('menuitemradio', { name: 'Deutsch' }).click();
    await expect.poll(() => page.getAttribute('html', 'lang')).toBe('de');
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Was soll getan werden?' }).waitFor();
    await say(page, 'Brot');
    await page.waitForSelector('[data-decide=approve]:enabled');
    for (const [path, ready] of [
      ['/home', '[data-home=ready] [data-question]'],
      ['/runs', '[data-listed-run]'],
      ['/approvals', '[data-detail] [data-decide=approve]:enabled'],
      ['/workflows', '[data-new-name]'],
      ['/apps', '[data-app]'],
    ] as const) {
      await page.goto(`${at.url}${path}`);
      await page.waitForSelector(ready);
      const words = await page.innerText('body');
      expect(words, path).not.toMatch(/\b(Waits for you|Approvals|Conversations|Approve|Loading|There is)\b/);
      await expectAccessible(page);
    }
    expect(complaints).toEqual([]);
  });

  test('[W208] what is missing, what cannot be loaded and what is empty says so, and what to do', async () => {
    const at = await bakery();
    const { page } = await opened(browser(), `${at.url}/runs`);
    await page.getByText('Nothing has run yet').waitFor();
    await expectAccessible(page);
    await page.goto(`${at.url}/approvals`);
    await page.getByText('When an agent needs a yes').waitFor();
    await page.goto(`${at.url}/c/never-was`);
    await page.getByText('There is no such conversation.').waitFor();
    await page.goto(`${at.url}/runs/run_never`);
    await page.locator('[role=alert], .state').first().waitFor();
    await page.goto(at.url);
    await page.route('**/api/runs', (route) => route.fulfill({ status: 503, json: {} }));
    await say(page, 'bread');
    await page.locator('[role=alert]', { hasText: 'It did not start.' }).waitFor();
  });

  test('[W208] a run that nobody can go on with says so where it stands', async () => {
    const data = temporaryFolder();
    const asks = appWith(async (scope) => {
      await scope.ask({ key: 'q', title: 'Shall I?' });
      return 'done';
    }, 'asks');
    const before = await serving({ data, config: { apps: { asks } } });
    const begun = await before.ask('/api/runs', { json: { conversation: 'c', input: { text: 'go' } } });
    await untilAnswer(
      () => before.ask(`/api/runs/${textAt(begun, 'run')}`),
      ({ json }) => (json as { status: string }).status === 'waiting',
    );
    await before.close();
    const at = await serving({ data, config: { apps: { other: appWith(async () => 'x', 'other') } } });
    const { page } = await opened(browser(), `${at.url}/c/c`);
    await page.locator('[data-hindered]', { hasText: 'asks' }).waitFor();
    await expectAccessible(page);
    await page.goto(`${at.url}/runs/${textAt(begun, 'run')}`);
    await page.locator('[data-trace] [data-hindered]', { hasText: 'asks' }).waitFor();
    await expectAccessible(page);
  });

  test('[W209] files come by button, by drop and by paste, and are sent along', async () => {
    const reads = appWith(async () => 'Read.', 'reads');
    const at = await serving({ config: { apps: { reads } } });
    const { page } = await opened(browser(), at.url);
    const file = { name: 'by-button.txt', mimeType: 'text/plain', buffer: Buffer.from('one') };
    await page.setInputFiles('.composer input[type=file]', file);
    for (const [type, field, name] of [
      ['drop', 'dataTransfer', 'by-drop.txt'],
      ['paste', 'clipboardData', 'by-paste.txt'],
    ] as const)
      await page.evaluate(`(() => {
        const data = new DataTransfer();
        data.items.add(new File(['two'], '${name}', { type: 'text/plain' }));
        const made = '${type}' === 'drop' ? DragEvent : ClipboardEvent;
        document.querySelector('#message').dispatchEvent(
          new made('${type}', { bubbles: true, cancelable: true, ${field}: data }));
      })()`);
    await page.locator('.picked [data-state=kept]').nth(2).waitFor();
    await say(page, 'Read these');
    await page.locator('[data-answer=given]').waitFor();
    await expect
      .poll(() => page.locator('.said .chip').allTextContents())
      .toEqual(['by-button.txt', 'by-drop.txt', 'by-paste.txt']);
  });

  test('[W206] [W12] a new question is notified where the page is out of sight, and whoever comes is told how much is on its way', async () => {
    const at = await bakery();
    at.goOn();
    const { page } = await opened(browser(), at.url);
    await page.context().addInitScript(`
      window.notified = [];
      window.Notification = class { static permission = 'granted'; constructor(title, { body }) { notified.push(title + ': ' + body); } };
      Object.defineProperty(document, 'hidden', { get: () => true });
      window.pills = [];
      new MutationObserver(() => pills.push(document.querySelector('[data-connection]')?.textContent))
        .observe(document, { childList: true, characterData: true, subtree: true });
    `);
    await page.goto(`${at.url}/runs`);
    await page.getByText('Nothing has run yet').waitFor();
    await at.ask('/api/runs', { json: { conversation: 'c', input: { text: 'bread' } } });
    await expect.poll(() => page.evaluate('notified')).toEqual(['Vitrine: A question waits for you: bake']);
    await page.goto(`${at.url}/c/c`);
    await page.locator('[data-approval]').waitFor();
    await page.locator('[data-connection=live]').waitFor();
    const told = (await page.evaluate('pills')) as (string | undefined)[];
    expect(told.some((text) => /^Catching up, \d+ events$/.test(text ?? ''))).toBe(true);
  });

  test('[S19] nothing that a model writes makes the page ask anybody else', async () => {
    const elsewhere = 'http://127.0.0.1:9';
    const says = `![a](${elsewhere}/a.png) <img src="${elsewhere}/b.png"> [read me](${elsewhere}/c?secret=1)
      <link rel=prefetch href="${elsewhere}/d"> <style>body{background:url(${elsewhere}/e)}</style> ${elsewhere}/f
      ![g](//127.0.0.1:9/g.png) [![h](${elsewhere}/h.png)](${elsewhere}/i)`;
    const leaks = appWith(async (scope) => {
      await scope.step({ key: 'say', title: says }, async (step) => {
        step.say(says);
        step.attach({
          kind: 'attachment',
          attachment: { type: 'text/markdown', title: says, data: says, referenceUrl: `${elsewhere}/j` },
        });
        step.attach({ kind: 'visualization', shape: 'documents', data: { content: says } });
      });
      return says;
    }, 'leaks');
    const at = await serving({ config: { apps: { leaks } } });
    const { page } = await opened(browser(), at.url);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    await say(page, 'leak');
    await page.locator('[data-answer=given] a', { hasText: /^read me$/ }).waitFor();
    await page.locator('.folded').click();
    for (const chip of await page.locator('.found .chip').all()) {
      await chip.click();
      await page.locator('.dialog').waitFor();
      await page.keyboard.press('Escape');
    }
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((url) => !url.startsWith(at.url) && !url.startsWith('blob:'))).toEqual([]);
    await expect.poll(() => page.locator('main :is(img, iframe, link, style)').count()).toBe(0);
    await expect
      .poll(() => page.locator('[data-answer=given] a').first().getAttribute('rel'))
      .toMatch(/noreferrer/);
  });
});
