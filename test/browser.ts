import { chromium, type Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, inject } from 'vitest';

/** Long enough for a busy machine, short enough to say what is missing. Milliseconds. */
const patience = 60_000;

/** Tests with a real browser, which is open as long as they run. Skipped where there is none; why was said at the start. */
export function describeInBrowser(name: string, tests: (browser: () => Browser) => void): void {
  const executablePath = inject('chromium');
  describe.skipIf(executablePath === '')(name, () => {
    let browser: Browser | undefined;
    beforeAll(async () => {
      browser = await chromium.launch({ executablePath, args: ['--no-sandbox'], timeout: 240_000 });
      browser.on('context', (context) => context.setDefaultTimeout(patience));
    });
    afterAll(() => browser?.close());
    tests(() => {
      if (browser) return browser;
      throw new Error('the browser is open only while tests run');
    });
  });
}
