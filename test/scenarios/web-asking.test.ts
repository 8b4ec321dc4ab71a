// How one asks in the browser: in two stages or one, with a pause in between, once more, and when nothing can be sent.
import { expect, test } from 'vitest';
import { scriptedGateway } from '../../src/gateways/scripted/scripted.ts';
import { RunError } from '../../src/run/failure.ts';
import { describeInBrowser } from '../browser.ts';
import { ask, resultsIn, say as answers } from '../conversation.ts';
import { appWith, serving } from '../serving.ts';
import { expectAccessible, opened, say } from '../web.ts';
import { toolOf } from '../world.ts';

describeInBrowser('asking', (browser) => {
  test('[W252] an app that converses is asked in two stages or in one, and a run in two says where it is', async () => {
    const { promise: mayAnswer, resolve: answer } = Promise.withResolvers<void>();
    const { promise: mayList, resolve: list } = Promise.withResolvers<void>();
    const slow = toolOf('list_files', async () => {
      await mayList;
      return ['a.md'];
    });
    const gateway = scriptedGateway(({ messages, tools }) =>
      tools && resultsIn(messages) === 0 ? [ask('list_files', { path: '.' })] : [answers('One file.')],
    );
    const held = {
      ...gateway,
      async *takeTurn(...[turn, signal]: Parameters<typeof gateway.takeTurn>) {
        if (resultsIn(turn.messages) > 0) await mayAnswer;
        yield* gateway.takeTurn(turn, signal);
      },
    };
    const at = await serving({
      config: {
        agents: { model: { description: 'A model.', gateway: held, effect: 'pure' } },
        tools: [slow],
        apps: { talk: { flow: 'converse', settings: { agent: 'model', rules: { protocol: 'unified' } } } },
      },
    });
    const { page, complaints } = await opened(browser(), at.url);
    await page.getByRole('button', { name: /As the app says/ }).click();
    await page.getByRole('menuitemradio', { name: 'Two-stage' }).click();
    await say(page, 'What is there?');
    await page.locator('.ribbon[data-phase=tool_phase] .on', { hasText: 'TOOLS 1' }).waitFor();
    await expectAccessible(page);
    list();
    answer();
    await page.locator('[data-answer=given]', { hasText: 'One file.' }).waitFor();
    await page.click('.folded');
    await page.locator('.ribbon:has(.on:text-is("ANSWER")) .mode', { hasText: 'Two-stage' }).waitFor();
    await page.getByRole('button', { name: /Two-stage/ }).click();
    await page.getByRole('menuitemradio', { name: 'Unified' }).click();
    await say(page, 'And now?');
    const second = page.locator('[data-turn]').nth(1);
    await second.locator('[data-answer=given]').waitFor();
    await second.locator('.folded').click();
    await second.locator('.ribbon .mode', { hasText: 'Unified' }).waitFor();
    expect(complaints).toEqual([]);
  });

  test('[W251] after a pause nothing new begins, what works goes on to its end, and Resume goes on', async () => {
    const { promise: mayEnd, resolve: end } = Promise.withResolvers<void>();
    const walks = appWith(async (scope) => {
      await scope.call('walk', {});
      await scope.call('rest', {});
      return 'There.';
    }, 'walks');
    const walk = toolOf('walk', async () => {
      await mayEnd;
      return 'walked';
    });
    const at = await serving({ config: { apps: { walks }, tools: [walk, toolOf('rest', () => 'rested')] } });
    const { page } = await opened(browser(), at.url);
    await say(page, 'walk');
    await page.locator('[data-step="1"][data-status=running]').waitFor();
    await page.getByRole('button', { name: 'Pause after step' }).click();
    await page.locator('section[data-status=paused] .note', { hasText: 'local' }).waitFor();
    end();
    await page.locator('[data-step="1"][data-status=completed]').waitFor();
    await expect.poll(() => page.locator('[data-step]').count()).toBe(1);
    await page.locator('.composer').getByRole('button', { name: 'Resume' }).click();
    await page.locator('[data-answer=given]', { hasText: 'There.' }).waitFor();
  });

  test('[W254] what failed is tried again in its place, and what could not be sent stays until it is', async () => {
    let tries = 0;
    const fails = appWith(async () => {
      tries += 1;
      if (tries === 1) throw new RunError('unavailable', 'The oven is cold.');
      return 'Baked.';
    }, 'fails');
    const at = await serving({ config: { apps: { fails } } });
    const { page } = await opened(browser(), at.url);
    await say(page, 'bake');
    await page.locator('.run-failure', { hasText: 'The run failed.' }).waitFor();
    await expect.poll(() => page.locator('[data-turn]', { hasText: 'The oven is cold.' }).count()).toBe(1);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-answer=given]', { hasText: 'Baked.' }).waitFor();
    await expect.poll(() => page.locator('[data-turn]').count()).toBe(1);
    await page.route('**/api/runs', (route) => route.fulfill({ status: 503, json: {} }));
    await say(page, 'and rolls');
    const unsent = page.locator('[data-unsent=true]', { hasText: 'and rolls' });
    await unsent.waitFor();
    await expectAccessible(page);
    await page.unroute('**/api/runs');
    await unsent.getByRole('button', { name: 'Try again' }).click();
    await page.locator('[data-answer=given]').nth(1).waitFor();
    await expect.poll(() => page.locator('[data-unsent]').count()).toBe(0);
    expect(tries).toBe(3);
  });

  test('[W260] what is written before a conversation has begun waits for it, and stays where that does not begin', async () => {
    const asked: string[] = [];
    const echo = appWith(async (_scope, text) => {
      asked.push(text);
      return `You said ${text}.`;
    }, 'echo');
    const at = await serving({ config: { apps: { echo } } });
    const { page, complaints } = await opened(browser(), at.url);
    const { promise: mayBegin, resolve: begin } = Promise.withResolvers<void>();
    let posts = 0;
    await page.route('**/api/runs', async (route) => {
      if (route.request().method() !== 'POST') return route.fallback();
      posts += 1;
      if (posts === 1) return route.fulfill({ status: 503, json: {} });
      await mayBegin;
      return route.fallback();
    });
    await say(page, 'first');
    const unsent = page.locator('[data-unsent=true]', { hasText: 'first' });
    await unsent.waitFor();
    await say(page, 'second');
    const second = page.locator('[data-queued]', { hasText: 'second' });
    await second.waitFor();
    await unsent.getByRole('button', { name: 'Try again' }).click();
    await unsent.waitFor({ state: 'detached' });
    await say(page, 'third');
    await page.locator('[data-queued]', { hasText: 'third' }).waitFor();
    await second.waitFor();
    expect([posts, asked]).toEqual([2, []]);
    begin();
    await page.locator('[data-answer=given]', { hasText: 'You said third.' }).waitFor();
    await expect
      .poll(() => page.locator('[data-answer=given]').allInnerTexts())
      .toEqual(['You said first.', 'You said second.', 'You said third.']);
    expect([posts, asked]).toEqual([4, ['first', 'second', 'third']]);
    await expect.poll(() => page.locator('[data-queued]').count()).toBe(0);
    expect(complaints.filter((one) => !one.includes('503'))).toEqual([]);
  });
});
