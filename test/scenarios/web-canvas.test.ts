// Workflows in a real browser: drawn, broken, mended, published, run, answered, killed and seen to end.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import { describeInBrowser } from '../browser.ts';
import { configured } from '../served-config.ts';
import { start, type Running } from '../vitrine.ts';
import { expectAccessible, opened } from '../web.ts';

/** Posts what it is given, once it may; what was begun and cut off is begun again. */
const config = `
  import { appendFileSync, existsSync } from 'node:fs';
  export default {
    tools: [{
      name: 'post_notice', description: 'Posts.', effect: 'idempotent', schema: { type: 'object' },
      async run(notice) {
        while (!existsSync('go')) await new Promise((again) => setTimeout(again, 20));
        appendFileSync('posted', JSON.stringify(notice) + '\\n');
        return { posted: true };
      },
    }],
  };`;

async function served(
  cwd: string,
  port: string,
): Promise<{ readonly url: string; readonly server: Running }> {
  const server = start(['serve', '--port', port, '--data', 'data'], { cwd });
  onTestFinished(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
  });
  const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
  return { url, server };
}

/** Adds a step after the one that is chosen, and waits until it is the chosen one. */
async function add(page: Page, type: string): Promise<void> {
  await page.click(`[data-add=${type}]`);
  await page.waitForSelector(`[data-inspects^="${type}"]`);
}

async function write(page: Page, field: string, text: string): Promise<void> {
  await page.locator(`[data-field="${field}"]`).locator('.cm-content, input, textarea').first().fill(text);
}

/** How each node stands, as it is on the screen. */
function statesOn(page: Page): Promise<unknown> {
  return page.evaluate(`Object.fromEntries([...document.querySelectorAll('[data-node]')]
    .map((node) => [node.dataset.node, node.dataset.state]))`);
}

describeInBrowser('the canvas', (browser) => {
  test('[CV2] [CV6] [CV7] [CV9] [CV10] [CV11] draw, break, mend, publish, run, edit at the question, kill the server, see it end', async () => {
    const cwd = configured(config);
    const first = await served(cwd, '0');
    const { page, complaints } = await opened(browser(), `${first.url}/workflows`);
    await page.getByText('There are no workflows yet').waitFor();
    await page.fill('[data-new-name]', 'notice');
    await page.click('[data-create]');
    await page.click('[data-node=start]');
    await add(page, 'template');
    await write(page, 'value', 'Link {{input.text}} is down.');
    await add(page, 'human');
    await write(page, 'title', 'Post this?');
    await write(page, 'shows', '{{nodes.template.output}}');
    await page.locator('[data-field=allowed]').getByLabel('edit').check();
    await add(page, 'tool');
    await write(page, 'tool', 'post_notice');
    await write(page, 'arguments', '{"notice": "{{nodes.humann.output.value}}"}');
    await page.locator('[data-node=tool] [data-port=done]').hover();
    await page.mouse.down();
    await page.locator('[data-node=end] .react-flow__handle-left').hover();
    await page.mouse.up();
    await page.waitForSelector('[data-edge="tool:done:end"]');

    const problem = page.locator('[data-problem=tool]');
    await problem.getByText('«humann»').first().waitFor();
    expect(await page.isDisabled('[data-publish]')).toBe(true);
    await page.waitForSelector('[data-node=tool][data-bad=true]');
    await page.click('[data-node=start]');
    await problem.click();
    await page.waitForSelector('[data-inspects=tool] [data-field=arguments][data-wrong=true]');
    await expectAccessible(page);
    await write(page, 'arguments', '{"notice": "{{nodes.human.output.value}}"}');
    await page.waitForSelector('[data-problems="0"]');
    await page.click('[data-publish]');
    await page.locator('[data-published]', { hasText: 'v1' }).waitFor();

    await page.click('[data-run-workflow]');
    await page.getByRole('dialog').getByLabel('text').fill('A-1');
    await page.click('[data-start-run]');
    await page.waitForSelector('[data-node=human][data-state=waiting]');
    await expectAccessible(page);
    await page.click('[data-question-of] [data-decide=edit]');
    await page.locator('[data-question-of] textarea').fill('Link A-1 was cut.');
    await page.click('[data-question-of] [data-decide=approve]');
    await page.waitForSelector('[data-node=tool][data-state=running]');
    first.server.child.kill('SIGKILL');
    await first.server.ended;
    await page.waitForSelector('[data-connection=away]');
    writeFileSync(join(cwd, 'go'), '');
    await served(cwd, new URL(first.url).port);
    await page.waitForSelector('[data-run-status=completed]');
    expect(readFileSync(join(cwd, 'posted'), 'utf8')).toBe('{"notice":"Link A-1 was cut."}\n');

    const run = new URL(page.url()).pathname.split('/')[2] ?? '';
    const { nodes } = await vitrineClient({ url: first.url }).workflows.graphOf(run);
    const told = Object.fromEntries(nodes.map(({ node, state }) => [node, state]));
    expect(await statesOn(page)).toEqual(told);
    expect(Object.values(told)).toEqual(Object.keys(told).map(() => 'completed'));
    await page.focus('.scrub-track');
    await page.keyboard.press('Home');
    await page.waitForSelector('[data-node=start][data-state=pending]');
    await page.waitForSelector('[data-node=end][data-state=pending]');
    await page.keyboard.press('End');
    await page.waitForSelector('[data-edge="tool:done:end"][data-edge-state=taken]');
    await page.click('[data-view-as=list]');
    for (const id of Object.keys(told))
      await page.waitForSelector(`[data-listed=${id}][data-state=completed]`);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.click('[data-to-canvas]');
    await page.waitForSelector('[data-node=end][data-state=completed]');
    expect(complaints.filter((one) => !one.includes('ERR_'))).toEqual([]);
    expect(existsSync(join(cwd, 'data'))).toBe(true);
  });
});
