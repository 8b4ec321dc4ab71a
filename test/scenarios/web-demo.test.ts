// What can be asked of the demo world, asked in one conversation in the browser.
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { temporaryFolder } from '../serving.ts';
import { start } from '../vitrine.ts';
import { expectAccessible, opened, say } from '../web.ts';

/** What the answer of each question must show with it. */
const questions: readonly { readonly ask: string; readonly shows?: string; readonly approve?: boolean }[] = [
  { ask: 'Calculate fibonacci(10)' },
  { ask: 'Now fibonacci(20)' },
  { ask: 'Draw a chart of the first 12 fibonacci numbers', shows: '.figure[data-shape=chart] canvas' },
  { ask: 'What do the documents say about maintenance windows?' },
  { ask: 'Summarise the runbook for fibre cuts', shows: '.sources .cite' },
  { ask: 'List users named John' },
  { ask: 'Show the second one' },
  { ask: 'Create user Ada King' },
  { ask: 'Delete user Ada King', approve: true },
  { ask: 'What paths depend on LINK-SYD-MEL-FIBRE-01?', shows: '.figure[data-shape=graph] .graph-node.bad' },
  { ask: 'Which links have the highest utilisation?', shows: '.figure[data-shape=table] tbody tr' },
  { ask: 'What is the route from Perth to Hobart?', shows: '.figure[data-shape=graph] .graph-edge' },
  { ask: 'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01, urgent', approve: true },
  { ask: 'Who is on call in Melbourne?' },
  { ask: 'And next week?' },
];

describeInBrowser('the demo world', (browser) => {
  test('[W13] every kind of question is answered in one conversation, with what the answer speaks of beside it', async () => {
    const cwd = temporaryFolder();
    const server = start(['demo', '--port', '0'], { cwd });
    onTestFinished(async () => {
      server.child.kill('SIGTERM');
      await server.ended;
    });
    const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
    const { page, complaints } = await opened(browser(), url);
    for (const [i, { ask, shows, approve = false }] of questions.entries()) {
      await say(page, ask);
      const turn = page.locator('[data-turn]').nth(i);
      if (approve) await turn.locator('[data-decide=approve]:enabled').click();
      await turn.locator('[data-answer=given]').waitFor();
      expect(await turn.locator('[data-answer=given]').textContent(), ask).not.toMatch(/none of my rules/);
      if (shows !== undefined)
        await turn.locator(`[data-answer=given] ${shows}`).first().waitFor({ state: 'attached' });
    }
    await page.locator('.scripted').waitFor();
    const hops = page.locator('[data-turn]').nth(11).locator('.graph-node text');
    expect((await hops.allTextContents()).slice(0, 2)).toEqual(['PER', 'KGI']);
    expect(complaints).toEqual([]);
    await expectAccessible(page);
  });
});
