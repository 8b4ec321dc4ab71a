// Workflows in a real browser: drawn, broken, mended, published, run, answered, killed and seen to end.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { vitrineClient } from '../../src/client/client.ts';
import type { Json } from '../../src/run/values.ts';
import type { WorkflowDraft } from '../../src/wire/native/workflows.ts';
import { describeInBrowser } from '../browser.ts';
import { ownPort } from '../own-port.ts';
import { configured } from '../served-config.ts';
import { serving } from '../serving.ts';
import { start, type Running } from '../vitrine.ts';
import { expectAccessible, opened } from '../web.ts';
import { toolOf } from '../world.ts';

/** Posts what it is given, once it may; what was begun and cut off is begun again. */
const config = `
  import { appendFileSync, existsSync } from 'node:fs';
  export default {
    tools: [{
      name: 'post_notice', description: 'Posts.', effect: 'idempotent', schema: { type: 'object' },
      async run(notice) {
        while (!existsSync('go')) await new Promise((again) => setTimeout(again, 20));
        appendFileSync('posted', JSON.stringify(notice) + '\\n');
        return { posted: true };
      },
    }],
  };`;

async function served(
  cwd: string,
  port: string,
): Promise<{ readonly url: string; readonly server: Running }> {
  const server = start(['serve', '--port', port, '--data', 'data'], { cwd });
  onTestFinished(async () => {
    server.child.kill('SIGKILL');
    await server.ended;
  });
  const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
  return { url, server };
}

/** An edge that goes straight has no height, and is there all the same. */
const attached = { state: 'attached' } as const;

/** Adds a step after the one that is chosen, and waits until it is the chosen one. */
async function add(page: Page, type: string): Promise<void> {
  await page.click(`[data-add=${type}]`);
  await page.waitForSelector(`[data-inspects^="${type}"]`);
}

/** What a code editor says from now on. It takes out itself what was there: a browser that does leaves styles behind. */
async function rewrite(page: Page, editor: Locator, text: string): Promise<void> {
  await editor.click();
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Delete');
  await page.keyboard.insertText(text);
}

async function write(page: Page, field: string, text: string): Promise<void> {
  const place = page.locator(`[data-field="${field}"]`);
  await place.locator('.cm-content, input').first().waitFor();
  const editor = place.locator('.cm-content');
  if ((await editor.count()) > 0) await rewrite(page, editor, text);
  else await place.locator('input').first().fill(text);
}

/** How each node stands, as it is on the screen. */
function statesOn(page: Page): Promise<unknown> {
  return page.evaluate(`Object.fromEntries([...document.querySelectorAll('[data-node]')]
    .map((node) => [node.dataset.node, node.dataset.state]))`);
}

/** The steps of a run, as its chat shows them, without those inside others. */
function chatSteps(page: Page, run: string): Promise<readonly string[]> {
  return page
    .locator(`[data-turn="${run}"] .steps [data-step]:not(.kids [data-step])`)
    .evaluateAll((rows) =>
      rows.map((row) => `${row.getAttribute('data-step')} ${row.getAttribute('data-status')}`),
    );
}

describeInBrowser('the canvas', (browser) => {
  test('[CV2] [CV6] [CV7] [CV9] [CV10] [CV11] draw, break, mend, publish, run, edit at the question, kill the server, see it end', async () => {
    const cwd = configured(config);
    const first = await served(cwd, String(await ownPort()));
    const { page, complaints } = await opened(browser(), `${first.url}/workflows`);
    await page.getByText('There are no workflows yet').waitFor();
    await page.fill('[data-new-name]', 'notice');
    await page.click('[data-create]');
    await page.click('[data-node=start]');
    await add(page, 'template');
    await write(page, 'value', 'Link {{input.text}} is down.');
    await add(page, 'human');
    await write(page, 'title', 'Post this?');
    await write(page, 'shows', '{{nodes.template.output}}');
    await page.locator('[data-field=allowed]').getByLabel('edit').check();
    await add(page, 'tool');
    await write(page, 'tool', 'post_notice');
    await write(page, 'arguments', '{"notice": "{{nodes.humann.output.value}}"}');
    await page.locator('[data-node=tool] [data-port=done]').hover();
    await page.mouse.down();
    await page.locator('[data-node=end] .react-flow__handle-left').hover();
    await page.mouse.up();
    await page.waitForSelector('[data-edge="tool:done:end"]', attached);

    const problem = page.locator('[data-problem=tool]');
    await problem.getByText('«humann»').first().waitFor();
    await expect.poll(() => page.isDisabled('[data-publish]')).toBe(true);
    await page.waitForSelector('[data-node=tool][data-bad=true]');
    await page.click('[data-node=start]');
    await problem.click();
    await page.waitForSelector('[data-inspects=tool] [data-field=arguments][data-wrong=true]');
    await expectAccessible(page);
    await write(page, 'arguments', '{"notice": "{{nodes.human.output.value}}"}');
    await page.waitForSelector('[data-problems="0"]');
    await page.click('[data-publish]');
    await page.locator('[data-published]', { hasText: 'v1' }).waitFor();

    await page.click('[data-run-workflow]');
    await page.getByRole('dialog').getByLabel('text').fill('A-1');
    await page.click('[data-start-run]');
    await page.waitForSelector('[data-node=human][data-state=waiting]');
    await expectAccessible(page);
    await page.click('[data-question-of] [data-decide=edit]');
    await page.locator('[data-question-of] textarea').fill('Link A-1 was cut.');
    await page.click('[data-question-of] [data-decide=approve]');
    await page.waitForSelector('[data-node=tool][data-state=running]');
    first.server.child.kill('SIGKILL');
    await first.server.ended;
    await page.waitForSelector('[data-connection=away]');
    writeFileSync(join(cwd, 'go'), '');
    await served(cwd, new URL(first.url).port);
    await page.waitForSelector('[data-run-status=completed]');
    expect(readFileSync(join(cwd, 'posted'), 'utf8')).toBe('{"notice":"Link A-1 was cut."}\n');

    const run = new URL(page.url()).pathname.split('/')[2] ?? '';
    const client = vitrineClient({ url: first.url });
    const { nodes } = await client.workflows.graphOf(run);
    const told = Object.fromEntries(nodes.map(({ node, state }) => [node, state]));
    await expect.poll(() => statesOn(page)).toEqual(told);
    expect(Object.values(told)).toEqual(Object.keys(told).map(() => 'completed'));
    await page.focus('.scrub-track');
    await page.keyboard.press('Home');
    await page.waitForSelector('[data-node=start][data-state=pending]');
    await page.waitForSelector('[data-node=end][data-state=pending]');
    await page.keyboard.press('End');
    await page.waitForSelector('[data-edge="tool:done:end"][data-edge-state=taken]', attached);
    await page.click('[data-view-as=list]');
    for (const id of Object.keys(told))
      await page.waitForSelector(`[data-listed=${id}][data-state=completed]`);
    await expectAccessible(page);
    await page.getByRole('link', { name: 'Trace' }).click();
    await page.click('[data-to-canvas]');
    await page.waitForSelector('[data-node=end][data-state=completed]');
    await page.locator('[data-node=tool]', { hasText: /\d+(\.\d+)?\s?s|\d+ ?m/ }).waitFor();
    const [{ conversation } = expect.fail('it is not listed')] = (await client.runs()).runs;
    await page.goto(`${first.url}/c/${conversation}`);
    await page.locator(`[data-turn="${run}"] .folded`).click();
    const drawn = nodes.map(({ step, state }) => `${step} ${state}`);
    await expect.poll(() => chatSteps(page, run)).toEqual(drawn);
    expect(complaints.filter((one) => !one.includes('ERR_'))).toEqual([]);
    expect(existsSync(join(cwd, 'data'))).toBe(true);
  });

  test('[CV1] [CV2] [CV3] [CV4] [CV5] [CV9] [CV26] [CV30] [CV31] by key, as text, and beside somebody else: one graph, and nothing lost', async () => {
    const at = await serving({ config: {} });
    await at.ask('/api/workflows', { json: { name: 'rounds', graph: rounds } });
    const { page, complaints } = await opened(browser(), `${at.url}/workflows`);
    await page.click('a[href="/workflows/rounds"]');
    const kept = async (): Promise<WorkflowDraft> =>
      (await at.ask('/api/workflows/rounds/draft')).json as WorkflowDraft;
    const isSaved = async (revision: number): Promise<void> =>
      void (await page.waitForSelector(`[data-saving=saved] [data-saved="${revision}"]`));
    await page.waitForSelector('[data-node="again.body.look"]');
    await page.locator('.react-flow__node[data-id=start]').focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-inspects=start]');
    await page.keyboard.press('ArrowDown');
    await isSaved(2);
    const { layout } = (await kept()).graph as { layout?: Record<string, readonly number[]> };
    expect(Object.keys(layout ?? {}).toSorted()).toEqual([
      'again',
      'again.body.look',
      'end',
      'start',
      'tell',
    ]);
    await page.locator('.react-flow__node[data-id=tell]').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Delete');
    await page.waitForSelector('[data-node=tell]', { state: 'detached' });
    await page.keyboard.press('Control+z');
    await page.waitForSelector('[data-node=tell]');
    await page.waitForSelector('[data-edge="again:done:tell"]', attached);

    await page.click('[data-view-as=yaml]');
    const text = page.locator('.yaml-view .cm-content');
    const yaml = (await kept()).graph;
    await rewrite(page, text, `# kept\n${JSON.stringify({ ...yaml, title: 'Written' })}`);
    await page.getByRole('heading', { name: 'Written' }).waitFor();
    await rewrite(page, text, 'name: rounds\nnodes: [');
    await page.waitForSelector('[data-yaml-problem]');
    await page.getByRole('heading', { name: 'Written' }).waitFor();
    await page.click('[data-view-as=canvas]');
    for (const place of ['.bar', '.problems'])
      await page.locator(place).getByText('Not saved: the YAML cannot be read.').waitFor();
    await expect.poll(() => page.isDisabled('[data-publish]')).toBe(true);
    await page.click('[data-run-workflow]');
    await page.click('[data-start-run]');
    await page.getByRole('dialog').getByText('What is drawn is not saved, and so it is not run.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.click('[data-view-as=yaml]');
    await text.getByText('nodes: [').waitFor();
    await expectAccessible(page);
    await page.locator('[data-yaml-problem]').getByRole('button', { name: 'Take what is drawn' }).click();
    await text.getByText('# kept').waitFor();
    await page.click('[data-view-as=canvas]');
    await page.click('[data-node=tell]');
    const value = page.locator('[data-field=value] .cm-content');
    await rewrite(page, value, '{{nodes.');
    await value.press('Control+Space');
    await page.locator('.cm-tooltip-autocomplete li', { hasText: 'again' }).waitFor();
    await page.keyboard.press('Escape');
    await rewrite(page, value, 'Done.');
    await page.waitForSelector('[data-saving=saved]');
    await page.click('[data-view-as=yaml]');
    await text.getByText('# kept').waitFor();
    await text.getByText('Done.').waitFor();
    await page.click('[data-view-as=canvas]');

    const theirs = { ...yaml, title: 'Theirs' };
    await at.ask('/api/workflows/rounds/draft', { method: 'PUT', json: { graph: theirs } });
    await rewrite(page, value, 'Mine.');
    await page
      .locator('[data-conflict]', { hasText: /^local has saved another draft, .+ Yours is not saved\./ })
      .waitFor();
    await expectAccessible(page);
    const leaving = page.getByRole('alertdialog', { name: 'Not saved' });
    await page.getByRole('link', { name: 'Runs', exact: true }).click();
    await leaving.waitFor();
    await expectAccessible(page);
    await leaving.getByRole('button', { name: 'Stay' }).click();
    await leaving.waitFor({ state: 'detached' });
    const drawn = page.url();
    await page.evaluate('history.back()');
    await leaving.waitFor();
    expect(page.url()).toBe(drawn);
    await page.keyboard.press('Escape');
    await leaving.waitFor({ state: 'detached' });
    await page.locator('[data-conflict]').waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByRole('heading', { name: 'Theirs' }).waitFor();
    expect((await kept()).graph['title']).toBe('Theirs');
    expect(complaints.filter((one) => !one.includes('409'))).toEqual([]);
  });

  test('[CV6] [CV7] rounds, paths not taken, failures and workflows inside others are seen in a run', async () => {
    const at = await serving({ config: {} });
    const client = vitrineClient({ url: at.url });
    for (const graph of [rounds, outer]) {
      await client.workflows.create(graph.name, graph);
      await client.workflows.publish(graph.name);
    }
    const { run } = await client.workflows.start('outer', { input: { text: 'x' } });
    const { page } = await opened(browser(), `${at.url}/runs/${run}/canvas`);
    await page.waitForSelector('[data-run-status=completed]');
    await page.click('[data-open=sub]');
    await page.waitForSelector('[data-node="sub.body.again"] [data-rounds="3/3"]');
    await page.waitForSelector('[data-node="sub.body.again.body.look"][data-state=completed]');
    await page.waitForSelector('[data-node=other][data-state=skipped]');
    await page.waitForSelector('[data-edge="way:otherwise:other"][data-edge-state=dead]', attached);
    await page.waitForSelector('[data-node="safe.body.bad"][data-state=failed]');
    await page.locator('[data-node="safe.body.bad"]', { hasText: 'no such key' }).waitFor();
    await page.waitForSelector('[data-node="safe.fallback.good"][data-state=completed]');
    await page.click('[data-node=safe] b');
    await page.locator('[data-inspects=safe] .node-output', { hasText: 'mended' }).waitFor();
    await page.click('[data-open=sub]');
    await page.waitForSelector('[data-node="sub.body.again"]', { state: 'detached' });
  });

  test('[CV20] [CV22] versions are compared, opened, taken as the draft, archived, restored, cloned and tried', async () => {
    const at = await serving({ config: {} });
    const { workflows } = vitrineClient({ url: at.url });
    await workflows.create('asks', asking('First?'));
    await workflows.publish('asks');
    await workflows.start('asks');
    await workflows.save('asks', asking('Second?'));
    await workflows.publish('asks');
    const { page, complaints } = await opened(browser(), `${at.url}/workflows/asks`);
    await page.click('[data-workflow-menu]');
    await page.click('[data-open-versions]');
    const line = (version: number) => page.locator(`[data-version="${version}"]`);
    await line(1).locator('[data-open="1"]').waitFor();
    await line(2)
      .getByText(/^local, /)
      .waitFor();
    await line(2).getByRole('link').press('Enter');
    const changed = line(2).locator('[data-diff="1 2"] [data-changed-node=ask]');
    await expect.poll(() => changed.locator('dl').innerText()).toMatch(/^Title\s+First\?\s+Second\?$/);
    await expectAccessible(page);

    await line(1).getByRole('link').click();
    await page.locator('[data-version-shown="1"] [data-node=ask]', { hasText: 'First?' }).waitFor();
    expect(new URL(page.url()).hash).toBe('#versions/1');
    await expect.poll(() => page.locator('[data-publish], [data-add]').count()).toBe(0);
    await page.click('[data-take-version]');
    await page.locator('[data-node=ask]', { hasText: 'First?' }).waitFor();
    await page.waitForSelector('[data-saving=saved] [data-saved="3"]');
    await page.keyboard.press('Control+z');
    await page.locator('[data-node=ask]', { hasText: 'Second?' }).waitFor();

    await line(1).getByRole('link').click();
    await page.click('[data-move-version]');
    await page.waitForSelector('[data-version="1"][data-state=archived]');
    await page.click('[data-move-version]');
    await page.waitForSelector('[data-version="1"][data-state=published]');
    await page.click('[data-workflow-menu]');
    await page.click('[data-clone]');
    await page.fill('[data-clone-name]', 'asks-too');
    await page.click('[data-make-clone]');
    await page.waitForSelector('[data-workflow=asks-too] [data-node=ask]');
    expect((await workflows.draft('asks-too')).graph['nodes']).toEqual(asking('First?')['nodes']);
    await page.click('[data-run-workflow]');
    await page.check('[data-dry]');
    await expectAccessible(page);
    await page.click('[data-start-run]');
    await page.waitForSelector('[data-dry-run]');
    await page.waitForSelector('[data-node=ask][data-state=waiting]');
    expect(complaints).toEqual([]);
  });

  test('[CV32] the list says what a workflow names that is not there any more', async () => {
    const at = await serving({ config: {} });
    const { workflows } = vitrineClient({ url: at.url });
    for (const graph of [rounds, outer]) {
      await workflows.create(graph.name, graph);
      await workflows.publish(graph.name);
    }
    await workflows.archive('rounds');
    const { page, complaints } = await opened(browser(), `${at.url}/workflows`);
    const gone = page.locator('[data-workflow=outer] [data-gone=sub]');
    await gone.waitFor();
    expect(await gone.innerText()).toBe('There is no workflow «rounds».');
    expect(await page.locator('[data-gone]').count()).toBe(1);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('[CV24] a failed run goes on in a new one, and a step is tried alone with what that gave it', async () => {
    const given: Json[] = [];
    const shaky = toolOf('shaky', (input) => {
      if (given.push(input) === 1) throw new Error('not yet');
      return { times: given.length };
    });
    const at = await serving({ config: { tools: [shaky] } });
    const { workflows } = vitrineClient({ url: at.url });
    await workflows.create('fails', failing);
    const { run } = await workflows.start('fails', { input: { text: 'x' }, mode: 'draft' });
    const { page, complaints } = await opened(browser(), `${at.url}/runs/${run}/canvas`);
    await page.waitForSelector('[data-node=act][data-state=failed]');
    await expectAccessible(page);
    await page.focus('[data-go-on]');
    await page.keyboard.press('Enter');
    await page.waitForSelector(`[data-goes-on-from=${run}]`, attached);
    await page.waitForSelector('[data-run-status=completed]');
    await page.waitForSelector('[data-node=say][data-state=completed]');
    expect(given).toEqual([{ text: 'Say x.' }, { text: 'Say x.' }]);

    await page.goto(`${at.url}/workflows/fails`);
    await page.click('[data-node=act]');
    await page.click('[data-try-node]');
    await page.waitForSelector('[data-tries=act]');
    await page.waitForSelector('[data-node=act][data-state=completed]');
    expect(given).toHaveLength(3);
    expect(given[2]).toEqual({ text: 'Say x.' });
    expect(complaints).toEqual([]);
  });

  test('[CV23] on a phone steps are added from a sheet, and everything is in reach', async () => {
    const at = await serving({ config: {} });
    await vitrineClient({ url: at.url }).workflows.create('asks', asking('Well?'));
    const viewport = { width: 390, height: 800 };
    const { page, complaints } = await opened(browser(), `${at.url}/workflows/asks`, { viewport });
    await page.click('[data-node=ask]');
    await page.waitForSelector('[data-inspects=ask]');
    await page.focus('[data-add-step]');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Add a step' }).waitFor();
    await expectAccessible(page);
    await page.focus('[data-add=template]');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[data-inspects=template]');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const boxes = `[...document.querySelectorAll('.bar button, .bar a')]
      .map((one) => one.getBoundingClientRect()).filter((box) => box.width > 0)`;
    await expect.poll(() => page.evaluate(`${boxes}.length`)).toBeGreaterThan(8);
    const outside = `${boxes}.filter(({ left, right }) => left < 0 || right > innerWidth).length`;
    await expect.poll(() => page.evaluate(outside)).toBe(0);
    await expectAccessible(page);
    expect(complaints).toEqual([]);
  });

  test('[CV21] schedules are added, say when they come, hold from publish on, are paused and resumed', async () => {
    const at = await serving({ config: {} });
    const { workflows } = vitrineClient({ url: at.url });
    await workflows.create('asks', asking('Well?'));
    const { page, complaints } = await opened(browser(), `${at.url}/workflows/asks#schedules`);
    await page.click('[data-add-schedule]');
    await page.fill('[data-cron]', '0 8 31 2 *');
    await page.locator('[data-schedule-problem]', { hasText: 'never comes' }).waitFor();
    await expect.poll(() => page.isDisabled('[data-keep-schedule]')).toBe(true);
    await page.fill('[data-cron]', '30 7 * * 1');
    await page.fill('[data-timezone]', 'Asia/Kolkata');
    await page.locator('[data-schedule-form]').getByLabel('text', { exact: true }).fill('LINK-1');
    await page.waitForSelector('[data-schedule-form] [data-next-times="3"]');
    await expectAccessible(page);
    await page.click('[data-keep-schedule]');
    const times = page.locator('[data-schedule] [data-next-times="3"] li');
    const monday = expect.stringMatching(/^Mon, .*07:30$/);
    await expect.poll(() => times.allInnerTexts()).toEqual([monday, monday, monday]);
    await page.getByText('with the next publish').waitFor();
    await page.click('[data-publish]');
    await page.locator('[data-published]', { hasText: 'v1' }).waitFor();
    const schedule = { cron: '30 7 * * 1', timezone: 'Asia/Kolkata', input: { text: 'LINK-1' } };
    expect(await workflows.schedules('asks')).toMatchObject([schedule]);

    await page.click('[data-steer-schedule]');
    await page.locator('[data-paused]', { hasText: 'Paused by local' }).waitFor();
    await expect.poll(() => times.count()).toBe(0);
    expect(await workflows.schedules('asks')).toMatchObject([{ paused: { by: 'local' }, next: [] }]);
    await expectAccessible(page);
    await page.click('[data-steer-schedule]');
    await page.waitForSelector('[data-schedule] [data-next-times="3"]');
    await page.click('[data-remove-schedule]');
    await page.getByText('until the next publish').waitFor();
    await page.keyboard.press('Control+z');
    await page.waitForSelector('[data-change-schedule]');
    expect(complaints).toEqual([]);
  });
});

const failing: WorkflowDraft['graph'] = {
  name: 'fails',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'say', type: 'template', value: 'Say {{input.text}}.' },
    { id: 'act', type: 'tool', tool: 'shaky', arguments: { text: '{{nodes.say.output}}' } },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'say' },
    { from: 'say', to: 'act' },
    { from: 'act', to: 'end' },
  ],
};

const asking = (title: string): WorkflowDraft['graph'] => ({
  name: 'asks',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'ask', type: 'human', title },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'ask' },
    { from: 'ask', port: 'approved', to: 'end' },
  ],
});

const rounds: WorkflowDraft['graph'] & { readonly name: string } = {
  name: 'rounds',
  nodes: [
    { id: 'start', type: 'start' },
    {
      id: 'again',
      type: 'loop',
      times: 3,
      body: { nodes: [{ id: 'look', type: 'template', value: '{{index}}' }], edges: [] },
    },
    { id: 'tell', type: 'template', value: 'Looked {{nodes.again.output.rounds}} times.' },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'again' },
    { from: 'again', to: 'tell' },
    { from: 'tell', to: 'end' },
  ],
};

const outer: typeof rounds = {
  name: 'outer',
  nodes: [
    { id: 'start', type: 'start' },
    { id: 'way', type: 'branch', cases: [{ port: 'yes', when: "input.text == 'x'" }] },
    { id: 'sub', type: 'workflow', workflow: 'rounds', input: { text: 'y' } },
    { id: 'other', type: 'template', value: 'never' },
    {
      id: 'safe',
      type: 'failsafe',
      body: { nodes: [{ id: 'bad', type: 'template', value: '{{input.missing}}' }], edges: [] },
      fallback: { nodes: [{ id: 'good', type: 'template', value: 'mended' }], edges: [] },
    },
    { id: 'end', type: 'end' },
  ],
  edges: [
    { from: 'start', to: 'way' },
    { from: 'way', port: 'yes', to: 'sub' },
    { from: 'way', port: 'otherwise', to: 'other' },
    { from: 'sub', to: 'safe' },
    { from: 'other', to: 'safe' },
    { from: 'safe', to: 'end' },
  ],
};
