// How much what one reads jumps while the demo answers. A figure, not a test: how much comes between two frames is the machine's.
import type { Browser } from 'playwright-core';
import { shiftOf, shiftsOn, watchShifts } from '../../test/web/shifts.ts';
import { start } from '../../test/vitrine.ts';

const rounds = 3;
const answered = 'Which services are at risk and what does the runbook say?';
const asked =
  'Which services are at risk, what does the runbook say, and dispatch a field engineer to LINK-SYD-MEL-FIBRE-01';

/** The most of some rounds, for a question that is answered and for one that waits for somebody. */
export async function shiftOfDemo(browser: Browser, folder: string): Promise<readonly [number, number]> {
  const server = start(['demo', '--port', '0'], { cwd: folder, env: { VITRINE_PACE: '1' } });
  try {
    const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
    const most: [number, number] = [0, 0];
    for (let round = 0; round < rounds; round += 1) {
      most[0] = Math.max(most[0], await shiftWhile(browser, url, answered));
      most[1] = Math.max(most[1], await shiftWhile(browser, url, asked));
    }
    return most;
  } finally {
    server.child.kill('SIGTERM');
    await server.ended;
  }
}

async function shiftWhile(browser: Browser, url: string, ask: string): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  await page.goto(url);
  await watchShifts(page);
  await page.fill('#message', ask);
  await page.press('#message', 'Enter');
  if (ask === asked) await page.locator('[data-decide=approve]:enabled').click();
  await page.locator('[data-answer=given]').waitFor({ timeout: 60_000 });
  await page.locator('.folded').waitFor();
  const shift = shiftOf(await shiftsOn(page));
  await page.close();
  return shift;
}
