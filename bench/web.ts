// What the web app costs in a real browser: a trace of 100,000 events, a chat of 5,000 steps, a canvas of 300 nodes, and the first load.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser, type Page, type JSHandle } from 'playwright-core';
import { buildWeb } from '../scripts/build-web.ts';
import type { RunEvent } from '../src/run/events.ts';
import { localTenant } from '../src/run/owner.ts';
import { serve } from '../src/server/serve.ts';
import { sqliteStore } from '../src/stores/sqlite.ts';
import { keepRun } from './lists/keep-run.ts';
import { shiftOfDemo } from './web/shift.ts';
import { closed, ended, journal, opened, said, started } from '../test/journal.ts';

const seeks = 40;
const scrolling = 3_000;

export async function webBench(): Promise<void> {
  await buildWeb();
  const data = mkdtempSync(join(tmpdir(), 'vitrine-web-bench-'));
  await fill(data);
  const echo = { flow: { name: 'echo', version: '1', run: async () => 'nothing' } };
  const server = await serve({ data, port: 0, config: { apps: { echo }, server: { log: 'silent' } } });
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await firstLoad(browser, server.url);
    await trace(browser, server.url);
    await chat(browser, server.url);
    await canvas(browser, server.url);
    mkdirSync(join(data, 'demo'));
    const [answered, asked] = await shiftOfDemo(browser, join(data, 'demo'));
    tell('layout shift while the demo answers', answered.toFixed(3), '0.1');
    tell('  and while somebody is asked', asked.toFixed(3), '0.1');
  } finally {
    await browser.close();
    await server.close();
    rmSync(data, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** A run of as many steps, each of which says so many words. Every tenth step has nine below it, and ends with them. */
function runOf(conversation: string, steps: number, words: number): RunEvent[] {
  const work = Array.from({ length: steps }, (_, i) => {
    const step = i + 1;
    const parent = i % 10 === 0 ? 0 : step - (i % 10);
    return [
      opened(step, parent, { agent: `agent-${i % 7}` }),
      ...Array.from({ length: words }, () => said(step, 'a few words ')),
      ...(parent === 0 ? [] : [closed(step)]),
      ...(i % 10 === 9 ? [closed(parent)] : []),
    ];
  });
  return [
    started(`A run of ${steps} steps`, { tenant: localTenant, conversation }),
    ...work.flat(),
    ended('Done.'),
  ];
}

async function fill(data: string): Promise<void> {
  const store = await sqliteStore({ folder: data });
  for (const [run, events] of [
    ['run_trace', runOf('traced', 10_000, 8)],
    ['run_chat', runOf('chatted', 5_000, 2)],
  ] as const) {
    await keepRun(store, run, journal(...events), true);
  }
  await store.close();
}

async function firstLoad(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage();
  let bytes = 0;
  page.on('response', (response) => {
    if (!new URL(response.url()).pathname.startsWith('/api/'))
      bytes += Number(response.headers()['content-length'] ?? 0);
  });
  await page.goto(url);
  await page.waitForSelector('#message');
  await page.close();
  tell('first load', `${Math.round(bytes / 1_000)} KB`, 'at most 300 KB');
}

/** When the first line was drawn, by the page's own clock: whoever asks from outside is answered once the page has time for that. */
const noteFirstRow = `new MutationObserver((_, looking) => {
  if (!document.querySelector('[data-row="1"]')) return;
  looking.disconnect();
  requestAnimationFrame(() => { window.firstRow = performance.now(); });
}).observe(document, { childList: true, subtree: true });`;

async function trace(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(noteFirstRow);
  await page.goto(`${url}/runs/run_trace`, { waitUntil: 'commit' });
  await page.waitForSelector('[data-row="1"]', { timeout: 120_000 });
  const first = (await (await page.waitForFunction('window.firstRow')).jsonValue()) as number;
  tell('trace of 100,000 events, first row', `${(first / 1_000).toFixed(2)} s`, '1.5 s');
  await page.waitForSelector('[data-run-status=completed]', { timeout: 120_000 });
  tell('  frames while it is scrolled', `${await framesOf(page, '.trace-grid')} /s`, '50 /s');
  const took = await seeking(page);
  const sorted = took.toSorted((one, other) => one - other);
  tell('  seek, p95', `${Math.round(sorted[Math.ceil(seeks * 0.95) - 1] ?? 0)} ms`, '50 ms');
  await page.close();
}

async function chat(browser: Browser, url: string): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/c/chatted`);
  await page.click('.folded', { timeout: 120_000 });
  await page.waitForSelector('[data-step]');
  tell('chat of 5,000 steps, frames', `${await framesOf(page, '.thread')} /s`, '50 /s');
  await page.close();
}

const nodesDrawn = 300;

/** A graph of 300 nodes, all of them in view, while it is moved around and while one goes closer and away. */
async function canvas(browser: Browser, url: string): Promise<void> {
  const nodes = Array.from({ length: nodesDrawn }, (_, i) => ({
    id: `n${i}`,
    type: i === 0 ? 'start' : i === nodesDrawn - 1 ? 'end' : 'template',
    ...(i === 0 || i === nodesDrawn - 1 ? {} : { value: String(i) }),
  }));
  const edges = nodes.slice(1).map((_, i) => ({ from: `n${i}`, to: `n${i + 1}` }));
  const layout = Object.fromEntries(
    nodes.map(({ id }, i) => [id, [(i % 20) * 240, Math.floor(i / 20) * 110]]),
  );
  await fetch(`${url}/api/workflows`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'many', graph: { name: 'many', nodes, edges, layout } }),
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(`${url}/workflows/many`);
  await page.getByRole('button', { name: 'Whole graph' }).click();
  await page.waitForSelector(`[data-node=n${nodesDrawn - 1}]`);
  const { x = 0, y = 0, width = 0, height = 0 } = (await page.locator('.flow-stage').boundingBox()) ?? {};
  const [left, top] = [x + width / 2, y + height / 2];
  await page.mouse.move(left, top);
  const panned = framesWhile(page);
  await page.mouse.down();
  for (let i = 0; i < 90; i += 1)
    await page.mouse.move(left + 120 * Math.sin(i / 6), top + 80 * Math.cos(i / 6));
  await page.mouse.up();
  tell(`canvas of ${nodesDrawn} nodes, moved`, `${await panned()} /s`, '50 /s');
  const zoomed = framesWhile(page);
  for (let i = 0; i < 60; i += 1) await page.mouse.wheel(0, i % 20 < 10 ? -40 : 40);
  tell('  zoomed', `${await zoomed()} /s`, '50 /s');
  await page.close();
}

/** Counts frames from now until it is asked for them, a second. Each count is its own: one that has ended counts no more. */
function framesWhile(page: Page): () => Promise<number> {
  const begun = page.evaluateHandle(`(() => {
    const count = { frames: 0, began: performance.now(), isOver: false };
    requestAnimationFrame(function draw() {
      if (count.isOver) return;
      count.frames += 1;
      requestAnimationFrame(draw);
    });
    return count;
  })()`);
  return async () =>
    page.evaluate(
      (count) => {
        count.isOver = true;
        return Math.round((count.frames * 1000) / (performance.now() - count.began));
      },
      (await begun) as JSHandle<{ isOver: boolean; readonly frames: number; readonly began: number }>,
    );
}

/** Frames a second while something is scrolled to and fro. */
function framesOf(page: Page, selector: string): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    let box = document.querySelector('${selector}');
    while (box && box.scrollHeight <= box.clientHeight + 1) box = box.parentElement;
    box ??= document.scrollingElement;
    const began = performance.now();
    let frames = 0;
    const draw = (now) => {
      frames += 1;
      box.scrollTop += Math.floor((now - began) / 1000) % 2 === 0 ? 60 : -60;
      if (now - began < ${scrolling}) requestAnimationFrame(draw);
      else resolve(Math.round((frames * 1000) / (now - began)));
    };
    requestAnimationFrame(draw);
  })`);
}

/** How long it takes from pointing at a moment until that moment is on the screen. Milliseconds. */
async function seeking(page: Page): Promise<readonly number[]> {
  await page.evaluate(`
    window.took = [];
    document.querySelector('.scrub-track').addEventListener('pointerdown', () => { window.began = performance.now(); }, true);
    new MutationObserver(() => requestAnimationFrame(() => {
      if (window.began) took.push(performance.now() - began);
      window.began = 0;
      tell();
    })).observe(document.querySelector('[data-at]'), { attributes: true });
  `);
  const { x = 0, y = 0, width = 0 } = (await page.locator('.scrub-track').boundingBox()) ?? {};
  for (let i = 1; i <= seeks; i += 1) {
    await page.evaluate('void (window.seen = new Promise((resolve) => { window.tell = resolve; }))');
    await page.mouse.click(x + 4 + ((i * 379) % (width - 8)), y + 8);
    await page.evaluate('seen');
  }
  return (await page.evaluate('took')) as number[];
}

function tell(name: string, figure: string, target: string): void {
  console.log(`  ${name.padEnd(38)} ${figure.padStart(9)}   (${target})`);
}
