// A run as it was watched, as it is replayed and as it is exported: the same lines at the same events.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { vitrineClient, type Client } from '../../src/client/client.ts';
import { exportedRun } from '../../src/server/runs/exported-run.ts';
import { describeInBrowser } from '../browser.ts';
import { Chance } from '../random.ts';
import { appWith, serving, temporaryFolder, type Serving } from '../serving.ts';
import { vitrine } from '../vitrine.ts';
import { deepTeam, files } from '../web/deep-team.ts';
import { expectAccessible, hashAt, hashOfRows, opened, rowsOnScreen } from '../web.ts';

/** Long enough for a busy machine; whoever is quick does not wait. Milliseconds. */
const often = { interval: 20 };
/** High enough for every line: what is not on the screen is not drawn. */
const viewport = { width: 1440, height: 2600 };
/** What moves by itself is drawn again and again, which costs more than all the rest. */
const screen = { viewport, reducedMotion: 'reduce' } as const;

/** Writes down, whenever the page has drawn something, which lines it shows at which event. */
const recording = `
  globalThis.seen = {};
  const look = () => {
    const at = document.querySelector('[data-at]')?.dataset.at;
    if (at !== undefined && !document.querySelector('[data-replay]')) globalThis.seen[at] = ${rowsOnScreen};
  };
  new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();`;

interface Told {
  readonly at: Serving;
  readonly client: Client;
  readonly run: string;
  readonly head: number;
}

/** A run of the made-up team. \`watched\` is called after every piece of it. */
async function told(attached: Parameters<typeof deepTeam>[0], watched: Watched): Promise<Told> {
  const { config, goOn, isWaiting } = deepTeam(attached);
  const at = await serving({ config });
  const client = vitrineClient({ url: at.url });
  const { run } = await client.start({ text: 'How deep is it? </script>' });
  const drawn = await watched(at, run);
  for (let before = 0; ;) {
    // What waited before the tree was read has all that led to it in the tree.
    const waits = isWaiting();
    const { status, seq, approvals } = await client.tree(run);
    const [asked] = approvals.filter((one) => one.status === 'undecided');
    if (seq === before || !(waits || asked || status === 'completed')) continue;
    before = seq;
    await drawn(seq);
    if (status === 'completed') return { at, client, run, head: seq };
    if (asked) await client.decide(asked.id, { decision: 'approve', fingerprint: asked.fingerprint });
    else goOn();
  }
}

type Watched = (at: Serving, run: string) => Promise<(seq: number) => Promise<void>>;
const unwatched: Watched = async () => async () => {};

/** Opens what was exported, where no network is. */
async function openedFile(
  browser: Browser,
  html: string,
): Promise<{ page: Page; complaints: string[]; asked: () => string[] }> {
  const file = join(temporaryFolder(), 'run.html');
  writeFileSync(file, html);
  const { page, complaints } = await opened(browser, 'about:blank', { ...screen, offline: true });
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector('[data-recorded]');
  return { page, complaints, asked: () => asked.filter((url) => !/^(file|blob|data):/.test(url)) };
}

describeInBrowser('a run', (browser) => {
  test('[EX1] has the same lines live and replayed, at 50 random events', async () => {
    let live: Page | undefined;
    const { at, run, head } = await told([], async ({ url }, name) => {
      const { page } = await opened(browser(), `${url}/runs/${name}`, screen);
      live = page;
      await page.waitForSelector('[data-row="0"]');
      await page.evaluate(recording);
      return async (seq) => {
        const shown = async (): Promise<number> => Number(await page.getAttribute('[data-at]', 'data-at'));
        await expect.poll(shown, often).toBeGreaterThanOrEqual(seq);
      };
    });
    const seen = (await live?.evaluate('seen')) as Readonly<Record<string, readonly unknown[]>>;
    const recorded = Object.keys(seen).map(Number);
    expect(recorded.length).toBeGreaterThan(50);
    expect(recorded).toContain(head);
    // What is compared covers every way a step can look here.
    const looks = new Set(Object.values(seen).flatMap((rows) => rows.map((row) => (row as string[])[2])));
    expect(looks).toEqual(new Set(['pending', 'running', 'waiting', 'completed', 'failed', 'reused']));
    expect(JSON.stringify(seen)).toContain('Waits for the first word');

    const { page, complaints } = await opened(browser(), `${at.url}/runs/${run}`, screen);
    await page.waitForSelector('[data-run-status=completed]');
    const moments = new Chance(14).shuffle(recorded).slice(0, 50);
    const replayed = [];
    for (const moment of moments) replayed.push([moment, await hashAt(page, moment)]);
    expect(replayed).toEqual(moments.map((moment) => [moment, hashOfRows(seen[moment])]));
    expect(new Set(replayed.map(([, hash]) => hash)).size).toBeGreaterThan(15);
    expect(complaints).toEqual([]);
  });

  test('[EX2] [EX3] [EX4] is one file that plays from a disk as at the server, with its files, and asks nobody', async () => {
    const { at, client, run, head } = await told(files, unwatched);
    const row = await at.server.context.home.dispatch.get(run);
    if (!row) throw new Error('the run is there');
    const most = { each: 60_000, together: 1_000_000 };
    const pieces = await Array.fromAsync(exportedRun(at.server.context.home, row, { now: 0, most }));
    const html = pieces.join('');
    const { page, complaints, asked } = await openedFile(browser(), html);
    await page.waitForSelector('[data-run-status=completed]');
    const { page: served } = await opened(browser(), `${at.url}/runs/${run}`, screen);
    await served.waitForSelector('[data-run-status=completed]');
    const chance = new Chance(4);
    for (const moment of [...Array.from({ length: 5 }, () => chance.between(1, head)), head]) {
      const hash = await hashAt(served, moment);
      await expect.poll(() => hashAt(page, moment, `@${moment}`), { message: `at ${moment}` }).toBe(hash);
    }
    const tree = await client.tree(run);
    const step = tree.steps.find(({ items = [] }) => items.length > 0)?.id;
    await page.click(`[data-row="${step}"]`);
    await page.click('.files >> text=kept.txt');
    await expect.poll(() => page.textContent('.dialog-body')).toMatch(/^<\/script><!-- .*the end of it$/s);
    await page.keyboard.press('Escape');
    await page.click('.files >> text=large.zip');
    await page.waitForSelector('.dialog-body >> text=0.09 MB and was not exported');
    await page.keyboard.press('Escape');
    await page.click('[data-tab=frames]');
    await expect.poll(() => page.textContent('[data-frames=steps]')).toContain('"type":"run.started"');
    await page.reload();
    await page.waitForSelector(`[data-row="${step}"][aria-selected=true]`);
    await expectAccessible(page);
    expect(asked()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  test('[EX5] is exported by a button and in the terminal, also while it waits; nothing in it can be answered', async () => {
    const { config, goOn } = deepTeam();
    const at = await serving({ config });
    const client = vitrineClient({ url: at.url });
    const { run } = await client.start({ text: 'wait' });
    while ((await client.tree(run)).status !== 'waiting') goOn();
    const { page } = await opened(browser(), `${at.url}/runs/${run}`, screen);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('[data-export]')]);
    expect(download.suggestedFilename()).toBe(`${run}.html`);
    const cwd = temporaryFolder();
    const typed = await vitrine(['export', run, '--server', at.url], { cwd });
    expect(typed).toMatchObject({ code: 0, error: '' });
    const [saved, written] = [
      readFileSync(await download.path(), 'utf8'),
      readFileSync(join(cwd, `${run}.html`), 'utf8'),
    ];
    expect(withoutTime(written)).toBe(withoutTime(saved));
    const { page: file, complaints } = await openedFile(browser(), written);
    await file.waitForSelector('[data-run-status=waiting]');
    await file.waitForSelector('[data-chat][inert] [data-approval]');
    expect(complaints).toEqual([]);
  });
});

describeInBrowser('the list of runs', (browser) => {
  test('[W66] has the runs of a project and of a request', async () => {
    const apps = { says: appWith(async (_, text) => text, 'says') };
    const at = await serving({ config: { apps } });
    const client = vitrineClient({ url: at.url });
    const start = async (project: string, request: string): Promise<string> =>
      (await client.start({ text: `${project} ${request}`, labels: { project, request } })).run;
    const [one, other, third] = [await start('P7', 'R1'), await start('P7', 'R2'), await start('P8', 'R3')];
    const { page, complaints } = await opened(browser(), `${at.url}/runs`);
    const listed = (): Promise<unknown> =>
      page.evaluate(
        `[...document.querySelectorAll('[data-listed-run]')].map((line) => line.dataset.listedRun)`,
      );
    await expect.poll(listed, often).toEqual([third, other, one]);
    await page.selectOption('[data-choice=label]', 'project=P7');
    await expect.poll(listed, often).toEqual([other, one]);
    await page.selectOption('[data-choice=label]', 'request=R1');
    await expect.poll(listed, often).toEqual([one]);
    await page.reload();
    await expect.poll(listed, often).toEqual([one]);
    expect(complaints).toEqual([]);
  });
});

function withoutTime(html: string): string {
  return html.replace(/("run":"[^"]+","at":)\d+/, '$1');
}
