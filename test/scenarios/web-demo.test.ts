// What can be asked of the demo world, asked in one conversation in the browser, in the order of its document.
import { expect, onTestFinished, test } from 'vitest';
import { documentedRows } from '../demo/documented.ts';
import { describeInBrowser } from '../browser.ts';
import { temporaryFolder } from '../serving.ts';
import { start } from '../vitrine.ts';
import { drawnGraphs } from '../web/crossings.ts';
import { expectAccessible, opened, say } from '../web.ts';

/** What the answers of some questions must show with them. */
const shows: Readonly<Record<string, string>> = {
  'Draw a chart of the first 12 fibonacci numbers': '.figure[data-shape=chart] canvas',
  'Plot energy-2025.csv': '.figure[data-shape=chart] canvas',
  'What do the documents say about maintenance windows?': '.sources .cite',
  'Summarise the runbook for fibre cuts': '.sources .cite',
  'Has LINK-SYD-MEL-FIBRE-01 failed before?': '.sources .cite',
  'Which tickets are about Perth?': '.sources .cite',
  'What paths depend on LINK-SYD-MEL-FIBRE-01?': '.figure[data-shape=graph] .graph-node.bad',
  'Which services are at risk and what does the runbook say?': '.figure[data-shape=table] tbody tr',
  'Which links have the highest utilisation?': '.figure[data-shape=table] tbody tr',
  'Which links are down?': '.figure[data-shape=graph] .graph-edge.bad',
  'Which routers are in Darwin?': '.figure[data-shape=graph] .graph-node',
  'What is the route from Perth to Hobart?': '.figure[data-shape=graph] .graph-edge',
};

const questions = documentedRows().flatMap((row) => row.questions);

/** The demo in a folder of its own, as it speaks by itself. */
async function demo(): Promise<string> {
  const server = start(['demo', '--port', '0'], { cwd: temporaryFolder() });
  onTestFinished(async () => {
    server.child.kill('SIGTERM');
    await server.ended;
  });
  const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
  return url;
}

describeInBrowser('the demo world', (browser) => {
  test('[W13] [W200] [W310] every documented question is answered in one conversation, with what the answer speaks of beside it', async () => {
    const { page, complaints } = await opened(browser(), await demo());
    expect(questions.length).toBeGreaterThan(25);
    expect(Object.keys(shows).filter((ask) => questions.every((one) => one.ask !== ask))).toEqual([]);
    for (const [i, { ask, isAsked }] of questions.entries()) {
      await say(page, ask);
      const turn = page.locator('[data-turn]').nth(i);
      if (isAsked) await turn.locator('[data-decide=approve]:enabled').click();
      await turn.locator('[data-answer=given]').waitFor();
      expect(await turn.locator('[data-answer=given]').textContent(), ask).not.toMatch(/none of my rules/);
      const shown = shows[ask];
      if (shown !== undefined)
        await turn.locator(`[data-answer=given] ${shown}`).first().waitFor({ state: 'attached' });
    }
    await page.locator('.scripted').waitFor();
    const route = questions.findIndex(({ ask }) => ask.startsWith('What is the route'));
    const hops = page.locator('[data-turn]').nth(route).locator('.graph-node text');
    await expect.poll(async () => (await hops.allTextContents()).slice(0, 2)).toEqual(['PER', 'KGI']);
    await expect.poll(() => page.locator('[data-turn]').count()).toBe(questions.length);
    const { graphs, edges, crossed } = await drawnGraphs(page);
    expect([graphs > 3, edges > 20, crossed]).toEqual([true, true, []]);
    await say(page, 'Dispatch a field engineer to LINK-SYD-MEL-FIBRE-01');
    const refused = page.locator('[data-turn]').nth(questions.length);
    await refused.locator('[data-decide=reject]').waitFor();
    // What a person has opened stays so: by itself it folds soon after it has ended.
    for (const row of await refused.locator('[data-status=waiting] > .row > .hit').all()) {
      await row.click();
      await row.click();
    }
    await refused.locator('[data-decide=reject]').click();
    await refused.locator('.rejecting textarea').fill('not at night');
    await refused.locator('[data-decide=reject-now]').click();
    await refused.locator('[data-answer=given]').waitFor();
    const why = refused.locator('.step-body', { hasText: 'not at night' });
    await expect.poll(async () => (await why.innerText()).match(/not at night/g)).toHaveLength(1);
    expect(complaints).toEqual([]);
    // Loaded again it has what is near the end only, which is quicker to look through.
    await page.reload();
    await page.locator('[data-answer=given]').last().waitFor();
    await expectAccessible(page);
  }, 900_000);
});
