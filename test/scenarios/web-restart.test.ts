// The server is killed under an open page, and started again: the page says so, waits, and goes on.
import { expect, onTestFinished, test } from 'vitest';
import { describeInBrowser } from '../browser.ts';
import { ownPort } from '../own-port.ts';
import { temporaryFolder } from '../serving.ts';
import { start, type Running } from '../vitrine.ts';
import { opened } from '../web.ts';

/** A demo world whose model speaks slower than people read, so that there is something to interrupt, or at once. */
async function world(
  cwd: string,
  { port, pace }: { readonly port: string; readonly pace: string },
): Promise<{ readonly url: string; readonly server: Running }> {
  const server = start(['demo', '--port', port, '--data', `${cwd}/data`], {
    cwd,
    env: { VITRINE_PACE: pace },
  });
  onTestFinished(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
  });
  const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
  return { url, server };
}

describeInBrowser('a server that dies', (browser) => {
  test('[W12] the page shows nested steps, says that the run is safe, and after a restart what was kept', async () => {
    const cwd = temporaryFolder();
    const first = await world(cwd, { port: String(await ownPort()), pace: '4' });
    const { page } = await opened(browser(), first.url);
    await page.locator('.conversations a.running').first().click();
    const inner = page.locator('section[data-run] .kids [data-step]');
    await inner.first().waitFor();
    await expect.poll(() => page.locator('[data-answer]').count()).toBe(0);
    first.server.child.kill('SIGKILL');
    await first.server.ended;
    await page.locator('[data-connection=away]', { hasText: /safe\. Resumes at #\d+/ }).waitFor();
    await page.locator('.away-note').waitFor();
    await page.locator('section[data-run] .row', { hasText: 'Coordination' }).waitFor();
    await world(cwd, { port: new URL(first.url).port, pace: '0' });
    await page.locator('[data-connection=live]').waitFor();
    await page
      .locator('.note', {
        hasText: /Server restarted\. Taken over after .*: \d+ steps? kept, \d+ asked again/,
      })
      .waitFor();
    await page.waitForSelector('[data-decide=approve]:enabled');
    await page.click('[data-decide=approve]');
    await page.waitForSelector('[data-answer=given]');
    const ids = await page
      .locator('section[data-run] > .steps [data-step]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-step')));
    expect(new Set(ids).size).toBe(ids.length);
  });
});
