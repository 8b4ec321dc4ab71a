// Pictures of every screen, from the demo world, in both themes: `node scripts/take-pictures.ts <folder>`. Look at them.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import { start } from '../test/vitrine.ts';
import { vitrineClient } from '../src/client/client.ts';
import type { WorkflowDraft } from '../src/wire/native/workflows.ts';
import { buildWeb } from './build-web.ts';
import { leaveEarlierRuns } from './earlier-runs.ts';

const [folder = resolve(import.meta.dirname, '../docs/pictures')] = process.argv.slice(2);
const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };
const question =
  'Which services are at risk, what does the runbook say, and dispatch a field engineer to LINK-SYD-MEL-FIBRE-01';

const notice: WorkflowDraft['graph'] & { readonly name: string } = {
  name: 'planned-work',
  title: 'Planned work',
  input: {
    type: 'object',
    required: ['text'],
    properties: { text: { type: 'string', description: 'Which link.' } },
  },
  nodes: [
    { id: 'start', type: 'start' },
    {
      id: 'known',
      type: 'branch',
      title: 'Link known?',
      cases: [{ port: 'yes', when: "input.text.startsWith('LINK')" }],
    },
    {
      id: 'paths',
      type: 'agent',
      title: 'Dependencies',
      agent: 'GraphExplorerAgent',
      message: 'What paths depend on {{input.text}}?',
    },
    {
      id: 'load',
      type: 'agent',
      title: 'Load, last 24 h',
      agent: 'TelemetryAgent',
      message: 'Telemetry of {{input.text}}',
    },
    { id: 'unknown', type: 'template', title: 'Say so', value: 'There is no link {{input.text}}.' },
    {
      id: 'draft',
      type: 'template',
      title: 'Draft notice',
      value: '{{input.text}} is changed tonight. {{nodes.paths.output}}',
    },
    {
      id: 'review',
      type: 'loop',
      title: 'Look again',
      times: 2,
      body: {
        nodes: [
          { id: 'read', type: 'template', title: 'Read', value: '{{nodes.draft.output}}' },
          { id: 'count', type: 'template', title: 'Count', value: '{{index}}' },
        ],
        edges: [{ from: 'read', to: 'count' }],
      },
    },
    {
      id: 'check',
      type: 'human',
      title: 'Post this?',
      shows: '{{input.text}} is changed tonight.',
      allowed: ['edit'],
      expiresIn: 86_400,
    },
    { id: 'post', type: 'template', title: 'Post notice', value: '{{nodes.check.output.value}}' },
    { id: 'end', type: 'end', title: 'Posted' },
    { id: 'no', type: 'end', title: 'Not posted', output: 'Not posted.' },
  ],
  edges: [
    { from: 'start', to: 'known' },
    { from: 'known', port: 'yes', to: 'paths' },
    { from: 'known', port: 'yes', to: 'load' },
    { from: 'known', port: 'otherwise', to: 'unknown' },
    { from: 'unknown', to: 'no' },
    { from: 'paths', to: 'draft' },
    { from: 'load', to: 'draft' },
    { from: 'draft', to: 'review' },
    { from: 'review', to: 'check' },
    { from: 'check', port: 'approved', to: 'post' },
    { from: 'check', port: 'rejected', to: 'no' },
    { from: 'post', to: 'end' },
  ],
};

await buildWeb();
mkdirSync(folder, { recursive: true });
const data = mkdtempSync(join(tmpdir(), 'vitrine-pictures-'));
await leaveEarlierRuns(data);
const server = start(['demo', '--port', '0', '--data', data], { cwd: data, env: { VITRINE_PACE: '1' } });
const [, url = ''] = /listens on (\S+)/.exec(await server.until('listens on')) ?? [];
const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
try {
  for (const theme of ['light', 'dark'] as const) await take(browser, theme);
} finally {
  await browser.close();
  server.child.kill('SIGTERM');
  await server.ended;
  rmSync(data, { recursive: true, force: true, maxRetries: 5 });
}

async function take(from: Browser, theme: 'light' | 'dark'): Promise<void> {
  const page = await (await from.newContext({ viewport: desk, colorScheme: theme })).newPage();
  page.setDefaultTimeout(90_000);
  const picture = async (name: string): Promise<void> => {
    await page.screenshot({ path: join(folder, `${name}-${theme}.png`) });
    console.log(`${name}-${theme}.png`);
  };
  await page.goto(url);
  await page.locator('.examples button').first().waitFor();
  await picture('welcome');
  await say(page, question);
  await page.locator('[data-step] .stream[data-writing=true]').nth(1).waitFor();
  await page.waitForTimeout(1_200);
  await picture('chat-live');
  await page.waitForSelector('[data-decide=approve]:enabled');
  await page.locator('.ask').scrollIntoViewIfNeeded();
  await picture('chat-approval');
  await page.goto(`${url}/approvals`);
  await page.waitForSelector('[data-decide=approve]:enabled');
  await page.keyboard.press('e');
  await page.waitForTimeout(300);
  await picture('approvals');
  await page.setViewportSize(phone);
  await page.goto(url);
  await page.click('.menu-button');
  await page.locator('.conversations a.waiting').first().click();
  await page.waitForSelector('[data-decide=approve]:enabled');
  await page.waitForTimeout(500);
  const panel = page.getByRole('button', { name: 'Close panel' });
  if (await panel.isVisible()) await panel.click();
  await page.locator('[data-decide=approve]').scrollIntoViewIfNeeded();
  await picture('phone-approval');
  await page.click('[data-decide=approve]');
  await page.setViewportSize(desk);
  await page.goto(url);
  await say(page, 'What paths depend on LINK-SYD-MEL-FIBRE-01?');
  await page.waitForSelector('[data-answer=given] .graph-node');
  await page.waitForTimeout(2_500);
  await page.locator('[data-turn]').last().scrollIntoViewIfNeeded();
  await picture('chat-answer');
  await takeCanvas(page, picture);
  await takeApps(page, picture);
  await everyStatus(page, picture);
  await takeLists(page, picture);
}

/** A workflow that is drawn, and one that waits for somebody. */
async function takeCanvas(page: Page, picture: (name: string) => Promise<void>): Promise<void> {
  const { workflows } = vitrineClient({ url });
  const listed = await workflows.list({});
  if (!listed.workflows.some(({ name }) => name === notice.name)) {
    await workflows.create(notice.name, notice);
    await workflows.publish(notice.name);
  }
  const { run } = await workflows.start(notice.name, { input: { text: 'LINK-SYD-MEL-FIBRE-01' } });
  await page.goto(`${url}/runs/${run}/canvas`);
  await page.waitForSelector('[data-question-of] [data-decide=approve]:enabled');
  await page.waitForTimeout(600);
  await picture('canvas-live');
  await page.goto(`${url}/workflows/${notice.name}`);
  await page.click('[data-node=check]');
  await page.locator('[data-field=shows] .cm-content').waitFor();
  await page.waitForTimeout(600);
  await picture('canvas-edit');
}

/** Applications: the list, a guard that is tried, the chat that people meet and its stages. */
async function takeApps(page: Page, picture: (name: string) => Promise<void>): Promise<void> {
  const { applications } = vitrineClient({ url });
  const listed = await applications.list();
  if (!listed.some(({ name }) => name === 'field-desk'))
    await applications.clone('network-desk', 'Field desk');
  await page.goto(`${url}/apps`);
  await page.waitForSelector('[data-app=field-desk]');
  await picture('apps');
  await page.goto(`${url}/apps/field-desk#guards`);
  await page.waitForSelector('[data-section=guards]');
  await page.fill('[data-try]', 'Tell ann@example.org that her card 4111 1111 1111 1111 is blocked.');
  await page.waitForSelector('[data-verdict] [data-finding]');
  await picture('app-editor');
  await page.goto(`${url}/apps/network-desk/chat`);
  await say(page, 'What do the runbooks say about a fibre cut? Write to ann@example.org.');
  await page.waitForSelector('[data-answer=given]');
  await page.waitForTimeout(1_000);
  await picture('app-chat');
}

/** Where runs are looked back at. */
async function takeLists(page: Page, picture: (name: string) => Promise<void>): Promise<void> {
  for (const [name, path, ready] of [
    ['home', '/home', '[data-home=ready] .slowest'],
    ['runs', '/runs', '[data-listed-run]'],
    ['workflows', '/workflows', '[data-workflow]'],
    ['api', '/api', '[data-api=ready] [data-operation]'],
  ] as const) {
    await page.goto(`${url}${path}`);
    await page.waitForSelector(ready);
    await picture(name);
  }
  await page.goto(`${url}/runs`);
  await page.locator('[data-listed-run][data-status=completed]', { hasText: 'services' }).first().click();
  await page.waitForSelector('[data-run-status=completed]');
  await page.waitForTimeout(1_000);
  await picture('trace');
  await page.focus('.scrub-track');
  for (let i = 0; i < 8; i += 1) await page.keyboard.press('PageDown');
  await page.waitForTimeout(600);
  await picture('trace-replay');
}

/** Runs of every status: stopped, paused, failed, of an app that is gone, damaged. */
async function everyStatus(page: Page, picture: (name: string) => Promise<void>): Promise<void> {
  const ask = async (text: string): Promise<void> => {
    await page.goto(url);
    await page.waitForSelector('#message');
    await say(page, text);
    await page.locator('[data-step] .stream').first().waitFor();
  };
  await ask(question);
  await page.click('[data-stop]');
  await page.locator('.folded.stopped').first().waitFor();
  await page.click('.folded.stopped');
  await picture('chat-stopped');
  await ask(question);
  await page.getByRole('button', { name: 'Pause after step' }).click();
  await page.locator('section[data-status=paused]').waitFor();
  await picture('chat-paused');
  for (const [conversation, name] of [
    ['forecast', 'chat-failed'],
    ['handover', 'chat-stranded'],
    ['inventory', 'chat-damaged'],
  ] as const) {
    await page.goto(`${url}/c/${conversation}`);
    await page.locator('.run-failure').first().waitFor();
    await page.waitForTimeout(2_000);
    await picture(name);
  }
}

async function say(page: Page, text: string): Promise<void> {
  await page.fill('#message', text);
  await page.press('#message', 'Enter');
}
