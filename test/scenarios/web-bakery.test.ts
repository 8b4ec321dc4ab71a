// The app with an app that it was not made for: every sign of a run, from the welcome to the answer.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { bakery, levels } from '../web/bakery.ts';
import { expectAccessible, opened, say } from '../web.ts';

describeInBrowser('a bakery', (browser) => {
  test('[W203] from the welcome to the answer: plan, thoughts, depth, repeats, refusals, failures, an edit in JSON', async () => {
    const at = await bakery();
    const { page, complaints } = await opened(browser(), at.url);
    const styleOf = (selector: string, name: string): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector('${selector}')).getPropertyValue('${name}')`);
    await page.getByText('Bread, from the soil on.').waitFor();
    await expect
      .poll(() => page.locator('.examples button').allTextContents())
      .toEqual(['Bake a rye bread', 'Bake rolls']);
    await expectAccessible(page);
    await page.getByRole('button', { name: 'Bake a rye bread' }).click();

    // It works: six levels are open, what is planned stands below, and the head turns.
    const row = (title: string) => page.locator('.row', { has: page.getByText(title, { exact: true }) });
    await page.locator('.stream', { hasText: 'It rains.' }).waitFor();
    const deepest = levels.map(() => '.kids [data-step]').join(' ');
    await expect
      .poll(() => page.locator(`section[data-run] ${deepest} > .row .name`).textContent())
      .toBe('Rain');
    await expect.poll(() => page.locator('.thought', { hasText: 'Soil comes first.' }).count()).toBe(1);
    await expect
      .poll(() => page.locator('[data-step][data-status=pending] .name').allTextContents())
      .toEqual(['Rest', 'Serve']);
    await expect.poll(() => page.locator('section[data-run] > header .spin').count()).toBe(1);
    await expect
      .poll(() => page.textContent('section[data-run] > header'))
      .toMatch(/Working.*0 of 3 steps.*\d s/s);
    await expect.poll(() => page.locator('[data-answer]').count()).toBe(0);
    await page.locator('.row-chips .chip').first().click();
    await page.locator('.dialog table', { hasText: 'spelt' }).waitFor();
    await page.keyboard.press('Escape');
    at.goOn();

    // It waits: the question is there, pulsing; what has ended well is one line, what failed is open, what was refused dim.
    await page.locator('[data-approval]').waitFor();
    await expect.poll(() => row('Mix').first().textContent()).toMatch(/6 steps/);
    await expect
      .poll(() => page.locator('[data-step][data-status=failed] > .row .hit[aria-expanded=true]').count())
      .toBe(3);
    await expect.poll(() => styleOf('.row.waiting > .mark', 'animation-name')).toBe('none');
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    await expect.poll(() => styleOf('.row.waiting > .mark', 'animation-name')).toBe('pulse');
    await expect.poll(() => styleOf('.row.skipped .tool', 'text-decoration-line')).toBe('line-through');
    await expect
      .poll(() => page.locator('[data-status=skipped] > .row').textContent())
      .toContain('Nobody weighs at night.');
    for (const [repeated, title] of [
      ['[data-status=reused]', 'weigh'],
      ['[data-status=failed]:has(> .row .chip)', 'smell'],
    ] as const) {
      await page.locator(`${repeated} > .row .chip`).first().click();
      const focused = () => page.evaluate('document.activeElement.getAttribute("aria-label")');
      await expect.poll(focused).toMatch(new RegExp(`${title}`));
    }
    await page.click('[data-decide=edit]');
    await page.getByLabel('oven', { exact: true }).selectOption('right');
    const editor = page.locator('.code-field .cm-content');
    await editor.fill('{"flour": "spelt"');
    await page.getByText('This is no JSON.').waitFor();
    await expect.poll(() => page.isDisabled('[data-decide=approve]')).toBe(true);
    await editor.fill('{"flour": "spelt"}');
    await expect
      .poll(() => page.locator('.diff .added').allTextContents())
      .toEqual(['+oven: right', '+recipe: {"flour": "spelt"}']);
    await expectAccessible(page);
    await page.click('[data-decide=approve]:enabled');
    await page.locator('[data-approval]', { hasText: 'Taste it?' }).waitFor();
    expect(at.baked).toEqual([{ oven: 'right', minutes: 40, recipe: { flour: 'spelt' } }]);
    await expect
      .poll(() => page.textContent('[data-approval]'))
      .toMatch(/left.*A new flour was used\..*High priority.*No answer by \d+:\d+/s);
    await page.click('[data-decide=approve]:enabled');

    // It is done: one line, the answer, and what it speaks of.
    await page.locator('[data-answer=given] strong', { hasText: 'bread' }).waitFor();
    await page.locator('[data-answer=given] .figure[data-shape=chart] canvas').waitFor();
    await expect
      .poll(() => page.locator('[data-answer=given] .found .chip').allTextContents())
      .toEqual(['1 passage', 'recipe.txt']);
    await page.locator('.folded.completed', { hasText: /\d+ steps/ }).waitFor();
    await expect.poll(() => page.title()).toBe('Bake a rye bread · Vitrine');
    expect(complaints).toEqual([]);
  });

  test('[W204] a link to a step opens it, and what one prefers to see is the same in another browser', async () => {
    const at = await bakery();
    at.goOn();
    const { page } = await opened(browser(), at.url);
    await say(page, 'rolls');
    for (const title of ['bake', 'Taste it?'])
      await page
        .locator('[data-approval]', { hasText: title })
        .locator('[data-decide=approve]:enabled')
        .click();
    await page.locator('[data-answer=given]').waitFor();
    const { runs } = (await at.ask('/api/runs')).json as { runs: { run: string; conversation: string }[] };
    const { run, conversation } = runs[0] ?? expect.fail('no run');
    const deep = await opened(browser(), `${at.url}/c/${conversation}#${run}.9`);
    await deep.page.locator(`[id="${run}.9"] > .row`).waitFor();
    await expect
      .poll(() => deep.page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toMatch(/Rain/);
    await page.getByRole('button', { name: 'Answer', exact: true }).click();
    await expect
      .poll(async () => (await at.ask('/api/me/preferences')).text)
      .toContain('"verbosity":"answer"');
    const other = await opened(browser(), `${at.url}/c/${conversation}`);
    await other.page.locator('.segments [aria-pressed=true]', { hasText: 'Answer' }).waitFor();
    await other.page.click('.folded');
    await expect.poll(() => other.page.locator('[data-step]').count()).toBe(0);
    await other.page.getByRole('button', { name: 'Everything', exact: true }).click();
    await other.page.locator('.folded').click();
    await other.page.locator('[data-step]').first().waitFor();
  });

  test('[W253] axes say what they measure and in what; a table is sorted, filtered, copied and taken along as it is shown', async () => {
    const at = await bakery();
    at.goOn();
    const context = { permissions: ['clipboard-read', 'clipboard-write'], acceptDownloads: true };
    const { page, complaints } = await opened(browser(), at.url, context);
    await page.evaluate(`
      window.drawn = [];
      const draw = CanvasRenderingContext2D.prototype.fillText;
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        drawn.push(text);
        return draw.call(this, text, ...rest);
      };
    `);
    await say(page, 'rolls');
    for (const title of ['bake', 'Taste it?'])
      await page
        .locator('[data-approval]', { hasText: title })
        .locator('[data-decide=approve]:enabled')
        .click();
    await page.locator('.figure[data-shape=chart] canvas').waitFor();
    const drawn = (): Promise<unknown> => page.evaluate('drawn');
    await expect.poll(drawn).toEqual(expect.arrayContaining(['hour', 'heat', '220 °C']));
    await expect
      .poll(() => page.locator('.figure .plot').getAttribute('aria-label'))
      .toMatch(/oven 3: 180 °C – 240 °C\. hour \/ heat/);
    const table = page.locator('.figure[data-shape=table]');
    const names = () => table.locator('tbody td:first-child').allTextContents();
    await expect.poll(() => names()).toEqual(['rye', 'spelt', 'wheat']);
    const head = table.getByRole('button', { name: 'grams' });
    await head.click();
    await expect.poll(names).toEqual(['spelt', 'rye', 'wheat']);
    await expect.poll(() => table.locator('th').nth(1).getAttribute('aria-sort')).toBe('descending');
    await head.click();
    await expect.poll(names).toEqual(['wheat', 'rye', 'spelt']);
    await table.getByRole('button', { name: 'Filter' }).click();
    await table.getByLabel('Filter').fill('he');
    await expect.poll(names).toEqual(['wheat']);
    await table.getByRole('button', { name: 'Copy' }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe('loaf\tgrams\nwheat\t500');
    const saving = page.waitForEvent('download');
    await table.getByRole('button', { name: 'Download' }).click();
    const saved = await saving;
    expect(readFileSync(await saved.path(), 'utf8')).toMatch(/^\uFEFF?loaf,grams\r?\nwheat,500\r?\n?$/);
    expect(complaints).toEqual([]);
  });
});
