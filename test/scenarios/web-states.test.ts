// What stands where something is on its way, or does not come: looked at once, shown here.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { functionTool } from '../../src/tools/function.ts';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { describeInBrowser } from '../browser.ts';
import { appWith, serving, textAt } from '../serving.ts';
import { expectAccessible, opened, say } from '../web.ts';

const weigh = functionTool({
  name: 'weigh',
  description: 'Weighs.',
  effect: 'pure',
  input: z.strictObject({}),
  run: () => ({ grams: 500 }),
});

/** What is to be read, without what could be chosen. */
const shownWords = `(() => {
  const main = document.querySelector('main').cloneNode(true);
  for (const choice of main.querySelectorAll('select')) choice.remove();
  return main.textContent;
})()`;

describeInBrowser('what is on its way', (browser) => {
  test('[W203] a turn says that it asks, with a time that goes on, until its first word; the head names agents and tools', async () => {
    const answers = Promise.withResolvers<void>();
    const goesOn = Promise.withResolvers<void>();
    const held = [answers.promise, goesOn.promise];
    const gateway = scriptedGateway(
      () => [
        { type: 'wait', ms: 1 },
        { type: 'say', text: 'It rises.' },
        { type: 'wait', ms: 1 },
      ],
      { sleep: () => held.shift() ?? Promise.resolve() },
    );
    const bakes = appWith(async (scope, text) => {
      await scope.call('weigh', {});
      const { text: said } = await scope.turn('baker', {
        messages: [{ role: 'user', text }],
        title: 'Baker',
      });
      return said;
    }, 'bakes');
    const agents = { baker: { description: 'Bakes.', gateway } };
    const at = await serving({ config: { apps: { bakes }, agents, tools: [weigh] } });
    const { page } = await opened(browser(), at.url);
    await say(page, 'Bread!');
    const step = page.locator('[data-run] [data-step]', { hasText: 'Baker' });
    await step.locator('.stream', { hasText: 'Querying…' }).waitFor();
    const time = (): Promise<string | null> => step.locator('.row .time').first().textContent();
    await expect.poll(time).toMatch(/^\d+\.\d s$/);
    const before = await time();
    await expect.poll(time).not.toBe(before);
    const head = page.locator('section[data-run] > header');
    await expect.poll(() => head.textContent()).toMatch(/Working.*Baker.*1 of 2 steps.*1 tool.*\d s/s);
    answers.resolve();
    await step.locator('.stream', { hasText: 'It rises.' }).waitFor();
    await expect.poll(() => step.getByText('Querying…').count()).toBe(0);
    goesOn.resolve();
    await page.locator('[data-answer=given]', { hasText: 'It rises.' }).waitFor();
  });

  test('[W208] each screen says that it loads, and nothing that may be untrue, until what it shows is there', async () => {
    const echo = appWith(async (_, text) => `You said ${text}.`, 'echo');
    const at = await serving({ config: { apps: { echo } } });
    const begun = await at.ask('/api/runs', { json: { conversation: 'c', input: { text: 'ferns' } } });
    const run = textAt(begun, 'run');
    await at.ask(`/api/runs/${run}/events`);
    for (const [path, there] of [
      ['/home', '[data-home=ready] .home-figures'],
      ['/runs', '[data-listed-run]'],
      ['/approvals', '[data-detail] .state'],
      ['/c/c', '[data-answer=given]'],
      [`/runs/${run}`, '[data-trace] [role=treeitem]'],
      ['/workflows', '[data-new-name]'],
      ['/apps', '[data-app]'],
    ] as const) {
      const known = Promise.withResolvers<void>();
      const { page } = await opened(browser(), 'about:blank');
      await page.route('**/api/**', async (route) => {
        await known.promise;
        await route.continue();
      });
      await page.routeWebSocket('**/ws/**', async (socket) => {
        await known.promise;
        socket.connectToServer();
      });
      await page.goto(`${at.url}${path}`);
      await page.locator('main').getByRole('status', { name: 'Loading' }).first().waitFor();
      const words = await page.evaluate(shownWords);
      expect(words, path).not.toMatch(/Nothing|Running|Thinking|There is no|\b0\b/);
      if (path === '/runs') await expectAccessible(page);
      known.resolve();
      await page.locator(there).first().waitFor();
      await page.context().close();
    }
  });
});
