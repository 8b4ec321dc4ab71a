// Applications in a real browser: made, mended, guarded, published, talked to with a document, and seen by others.
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { deskConfig, planOf, planStep } from '../pipeline.ts';
import { serving } from '../serving.ts';
import { expectAccessible, opened, say } from '../web.ts';

const plans = [planOf('single', [planStep(1, 'graph')])];
const guide = {
  name: 'guide.md',
  mimeType: 'text/markdown',
  buffer: Buffer.from('# Valves\n\nThe valve of Lisbon opens slowly.\n'),
};
const broken = { name: 'broken.pdf', mimeType: 'application/pdf', buffer: Buffer.from('none') };

/** Goes to a section by its link, and waits for its form. */
async function to(page: Page, section: string): Promise<void> {
  await page.click(`[data-to-section=${section}]`);
  await page.waitForSelector(`[data-section=${section}]`);
}

/** What is focused, by the field it belongs to. */
function focusedField(page: Page): Promise<unknown> {
  return page.evaluate(`document.activeElement.closest('[data-field]')?.dataset.field`);
}

async function expectWithin(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 844 });
  await expect.poll(() => page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
}

/** Browsers complain of every refusal: a rule that does not fit, another's draft, what is gone. */
const isUnexpected = (complaint: string): boolean => !/status of 4(00|04|09)/.test(complaint);

const fieldOf = (field: string): string => `[data-field="${field}"]`;

describeInBrowser('applications', (browser) => {
  test('[AW1] [AW3] [AW4] [AW5] [AW6] [AW7] [AW8] [AW9] [AW11] make one, be led to what it lacks, break a rule, publish, try a guard, and talk to it with a document', async () => {
    const at = await serving({ config: deskConfig({ plans }) });
    const { page, complaints } = await opened(browser(), `${at.url}/apps`);
    await page.waitForSelector('[data-app=desk][data-state=published]');
    await expectAccessible(page);
    await page.fill('[data-new-title]', 'Field desk');
    await page.press('[data-new-title]', 'Enter');
    await page.waitForSelector('[data-app=field-desk] [data-lacks="6"]');
    await expect.poll(() => page.isDisabled('[data-publish]')).toBe(true);

    await page.click('[data-lack="settings.models.planner"]');
    await page.waitForSelector('[data-section=models]');
    await expect.poll(() => focusedField(page)).toBe('settings.models.planner');
    await page.selectOption(`${fieldOf('settings.models.planner')} select`, 'planner');
    await page.click('[data-lack="settings.skills"]');
    await page.selectOption(`${fieldOf('settings.skills')} select`, 'agent graph');
    await page.waitForSelector('[data-skill=graph]');
    await expectAccessible(page);
    await page.click('[data-lack="settings.persona"]');
    await page.selectOption(`${fieldOf('settings.persona')} select`, 'Technical Expert');
    await page.waitForSelector('[data-lacks="3"]');
    await page.click('[data-lack="settings.chat.welcome"]');
    await page.keyboard.insertText('Ask about valves.');
    await page.fill(`${fieldOf('settings.chat.sorry')} textarea`, 'Sorry.');
    await page.fill(`${fieldOf('settings.chat.disclaimer')} textarea`, 'Check before you act.');
    await page.focus('[data-add-to="settings.chat.starters"]');
    await page.keyboard.press('Enter');
    await page.keyboard.insertText('What of the valve of Lisbon?');
    await page.waitForSelector('[data-lacks="0"]');
    await expectAccessible(page);
    await to(page, 'documents');
    await page.check(`${fieldOf('settings.retrieval.uploads')} input`);

    await to(page, 'guards');
    await page.click('[data-guard=pii] [data-side=input] [data-choice=redact]');
    const rules = page.locator('[data-guard=rules] textarea');
    await rules.fill('Nightjar\nREGEX: (?=x)y');
    await page.locator('[data-guard=rules] [data-wrong=true]', { hasText: 'line 2' }).waitFor();
    await page.waitForSelector('[data-to-section=guards][data-state=wrong]');
    await expect.poll(() => page.isDisabled('[data-publish]')).toBe(true);
    await expectAccessible(page);
    await rules.fill('Nightjar\nREGEX: KX-\\d{4}');
    await page.waitForSelector('[data-guard=rules] [data-wrong=false]');
    await page.fill('[data-try]', 'Send KX-1234 to ann@example.org.');
    await page.waitForSelector('[data-verdict=block] [data-finding="rule 2"][data-action=block]');
    await page.click('[data-guard=rules] [data-side=input] [data-choice=redact]');
    await page.waitForSelector('[data-verdict=redact] [data-finding=email][data-action=redact]');
    await page.locator('[data-finding="rule 2"]', { hasText: 'line 2' }).waitFor();
    await expectAccessible(page);
    await expectWithin(page, 390);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.click('[data-publish]');
    await page.locator('[data-published]', { hasText: 'v1' }).waitFor();
    await to(page, 'basics');
    await page.fill(`${fieldOf('description')} textarea`, 'For the field');
    await page.waitForSelector('[data-saving=saved]');
    await to(page, 'versions');
    await page.waitForSelector('[data-version="1"][data-state=published]');
    await page.click('[data-version="0"] button');
    await page.locator('[data-diff="1 0"]', { hasText: 'For the field' }).waitFor();
    await expectAccessible(page);
    await expectWithin(page, 390);
    await page.setViewportSize({ width: 1280, height: 900 });

    await page.click('[data-to-chat]');
    await page.getByRole('heading', { name: 'Field desk' }).waitFor();
    await page.getByText('Ask about valves.').waitFor();
    await page.getByText('Check before you act.').waitFor();
    await page.getByRole('button', { name: 'What of the valve of Lisbon?' }).waitFor();
    await page.setInputFiles('.composer input[type=file]', [guide, broken]);
    await page.waitForSelector('[data-file="guide.md"][data-state=ready]');
    await page.locator('[data-file="broken.pdf"][data-state=failed]', { hasText: 'no PDF' }).waitFor();
    await expectAccessible(page);
    await say(page, 'What of the valve of Lisbon? Answer to ann@example.org');
    await page.waitForSelector('[data-answer=given]');
    await page.locator('.sources', { hasText: 'Valves' }).waitFor();
    await page.locator('[data-guarded=asked]', { hasText: 'email: redacted' }).waitFor();
    await page.waitForSelector('[data-file="guide.md"][data-state=ready]');
    await expectAccessible(page);
    await expectWithin(page, 390);

    await page.goto(`${at.url}/apps`);
    await page
      .locator('[data-app=field-desk] [data-counts]', { hasText: '1 run · 1 conversation' })
      .waitFor();
    await expectWithin(page, 390);
    expect(complaints.filter(isUnexpected)).toEqual([]);
  });

  test('[AW2] [AW6] [AW10] what somebody else saves is not overwritten; clone, archive, restore and erase by key; all of it in German', async () => {
    const at = await serving({ config: deskConfig({ plans }) });
    const { page, complaints } = await opened(browser(), `${at.url}/apps/desk`, { locale: 'de-DE' });
    await page.waitForSelector('[data-app=desk]');
    await expect.poll(() => page.isEditable(`${fieldOf('description')} textarea`)).toBe(false);
    await page.click('[data-clone]');
    const name = 'desk-kopie';
    await page.waitForSelector(`[data-app=${name}]`);
    for (const section of [
      'persona',
      'models',
      'guards',
      'documents',
      'skills',
      'welcome',
      'access',
      'versions',
      'basics',
    ]) {
      await to(page, section);
      const words = await page.innerText('main');
      expect(words, section).not.toMatch(
        /\b(Publish|Archive|Welcome|Skills|Access|Add|Block|Redact|Title|None)\b/,
      );
    }
    await page.fill(`${fieldOf('description')} textarea`, 'Meine');
    await page.waitForSelector('[data-saving=saved] [data-saved="2"]');
    const { app } = (await at.ask(`/api/apps/${name}/draft`)).json as { app: object };
    const theirs = { ...app, description: 'Ihre' };
    await at.ask(`/api/apps/${name}/draft`, { method: 'PUT', json: { app: theirs } });
    await page.fill(`${fieldOf('description')} textarea`, 'Meine, noch einmal');
    await page.waitForSelector('[data-conflict]');
    await page.click('[data-conflict] button >> nth=0');
    await page.waitForSelector('[data-saving=saved]');
    await expect.poll(() => page.inputValue(`${fieldOf('description')} textarea`)).toBe('Ihre');
    await page.click('[data-publish]');
    await page.locator('[data-published]', { hasText: 'v1' }).waitFor();

    await page.goto(`${at.url}/apps`);
    const choose = async (what: string): Promise<void> => {
      await page.focus(`[data-actions=${name}]`);
      await page.keyboard.press('Enter');
      await page.waitForSelector(`[data-do=${what}]`);
      await page.focus(`[data-do=${what}]`);
      await page.keyboard.press('Enter');
    };
    await page.waitForSelector(`[data-app=${name}][data-state=published]`);
    await choose('archive');
    await page.waitForSelector(`[data-app=${name}][data-state=archived]`);
    await choose('restore');
    await page.waitForSelector(`[data-app=${name}][data-state=published]`);
    await choose('archive');
    await page.waitForSelector(`[data-app=${name}][data-state=archived]`);
    await choose('erase');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`[data-app=${name}]`, { state: 'detached' });
    await page.goto(`${at.url}/apps/${name}`);
    await page.getByText('Diese Anwendung gibt es nicht.').waitFor();
    expect(complaints.filter(isUnexpected)).toEqual([]);
  });
});
