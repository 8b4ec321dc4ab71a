// The web app in a real browser, as a person has it: what the browser complained about, and what axe finds.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { expect } from 'vitest';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export interface Opened {
  readonly page: Page;
  /** What the browser complained about: a script that failed, something the policy of the page forbids. */
  readonly complaints: string[];
}

/** A page of its own, at an address of the app. */
export async function opened(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => void (message.type() === 'error' && complaints.push(message.text())));
  page.on('pageerror', (error) => complaints.push(error.message));
  await page.goto(address);
  return { page, complaints };
}

/** Asks something in the chat. */
export async function say(page: Page, text: string): Promise<void> {
  await page.fill('#message', text);
  await page.press('#message', 'Enter');
}

/** The lines of a trace as they are on the screen, from the top: role, name, state and text of each, without durations. */
export const rowsOnScreen = `[...document.querySelectorAll('.trace-grid [role=treeitem]')]
  .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top)
  .map((row) => [row.getAttribute('role'), row.querySelector('.name, .tool').textContent,
    row.dataset.status, row.getAttribute('aria-level'), row.getAttribute('aria-expanded'),
    [...row.querySelectorAll('.trace-name > :not(.time), .trace-note')].map((part) => part.textContent).join(' ')])`;

/** A trace at an event, once it is on the screen. \`place\` is the address of the event, behind the sign. */
export async function hashAt(page: Page, at: number, place = String(at)): Promise<string> {
  await page.evaluate(`location.hash = ${JSON.stringify(place)}`);
  await page.waitForSelector(`[data-at="${at}"]`);
  return hashOfRows(await page.evaluate(rowsOnScreen));
}

export function hashOfRows(rows: unknown): string {
  return createHash('sha256').update(JSON.stringify(rows)).digest('hex');
}

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
  }[];
}

/** Fails where axe finds something serious in what is on the screen, in either theme. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(axe);
    const { violations } = (await page.evaluate(
      'axe.run(document, { resultTypes: ["violations"] })',
    )) as Found;
    const serious = violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => ({ id, colorScheme, nodes: nodes.slice(0, 3) }));
    expect(serious).toEqual([]);
  }
}
