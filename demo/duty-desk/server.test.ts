import { randomInt } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { askDial, postDial, type Seen } from '../../test/demo/dial-client.ts';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from '../model/server.ts';
import { engineerNear } from '../network/engineers.ts';
import { sites } from '../network/geography.ts';
import type { Notice } from '../network/notices.ts';
import { startNetwork } from '../network/server.ts';
import { startRoster } from '../roster/server.ts';
import { generatedSpares } from '../spares/spares.ts';
import { startDutyDesk } from './server.ts';

const seed = 2026;
let [model, network, roster, desk]: DemoServer[] = [];

beforeAll(async () => {
  model = await startModel({ pace: 0 });
  const thinking = { baseUrl: `${model.url}/v1`, model: 'vitrine-scripted' };
  network = await startNetwork({ model: thinking });
  roster = await startRoster({ seed });
  desk = await startDutyDesk({
    model: thinking,
    board: `${network.url}/notices`,
    roster: `${roster.url}/mcp`,
  });
});
afterAll(async () => {
  for (const server of [desk, roster, network, model]) await server?.close();
});

function any<T>(values: readonly T[]): T {
  const value = values[randomInt(values.length)];
  if (value === undefined) throw new Error('there is nothing to draw from');
  return value;
}

const user = (content: string): object => ({ role: 'user', content });
const ask = (question: string): Promise<Seen> => askDial(desk?.url ?? '', 'DutyDeskAgent', [user(question)]);
const namesOf = ({ stages }: Seen): string[] => [...stages.values()].map(({ name }) => name);
const board = async (site: string): Promise<Notice[]> => {
  const page = await fetch(`${network?.url}/notices?site=${site}`);
  return ((await page.json()) as { notices: Notice[] }).notices;
};

test('says who is on call for any site, as the roster has it, and next week from the state of the message', async () => {
  const { code, name } = any(sites);
  const seen = await ask(`Who is on call in ${name}?`);
  const now = engineerNear(code, seed);
  expect(seen.content).toContain(`${now.name} (${now.phone}) is on call for ${name}`);
  expect(namesOf(seen)).toContain('roster__who_is_on_call');
  const later = await askDial(desk?.url ?? '', 'DutyDeskAgent', [
    user('Start'),
    { role: 'assistant', content: seen.content, custom_content: { state: seen.state } },
    user('And next week?'),
  ]);
  expect(later.content).toContain(engineerNear(code, seed, 1).name);
});

test('whoever is on call is whom a dispatch sends', async () => {
  const { code } = any(sites);
  const order = { destination: code, reason: 'No light.' };
  const sent = await fetch(`${network?.url}/actions/dispatch_field_engineer`, {
    method: 'POST',
    body: JSON.stringify(order),
  });
  expect(await sent.json()).toMatchObject({ action: { engineer: engineerNear(code, seed) } });
});

test('counts the spares of any kind at any site, as the stores have them', async () => {
  const all = generatedSpares(seed);
  const { part, site } = any(all);
  const name = sites.find(({ code }) => code === site)?.name;
  const own = all.filter((spare) => spare.part === part && spare.site === site);
  const seen = await ask(`Are there spare ${part} in ${name}?`);
  expect(seen.content).toContain(
    `There are ${own.reduce((sum, { count }) => sum + count, 0)} ${part} in ${name}`,
  );
  for (const spare of own) expect(seen.content).toContain(`${spare.count} × ${spare.model}`);
  expect(namesOf(seen)).toContain('spares__find_spares');
});

test('tells every notice of any site, as the board has it', async () => {
  const { code, name } = any(sites);
  const seen = await ask(`Which notices are there for ${name}?`);
  const notices = await board(code);
  for (const { id, text } of notices) expect(seen.content).toMatch(new RegExp(`${id}.*${text.slice(0, 12)}`));
  expect(seen.content.includes('no notices')).toBe(notices.length === 0);
  expect(namesOf(seen)).toContain('http_get');
});

test('puts a notice up once, however often the same turn is taken', async () => {
  const { code, name } = any(sites);
  const words = `lift ${randomInt(1_000_000)} is out of order`;
  const messages = [user(`Post a notice for ${name}: ${words}`)];
  for (let i = 0; i < 2; i += 1) {
    const response = await fetch(`${desk?.url}/openai/deployments/DutyDeskAgent/chat/completions`, {
      method: 'POST',
      headers: { 'api-key': 'demo', 'idempotency-key': `turn-${words}` },
      body: JSON.stringify({ messages }),
    });
    expect(await response.text()).toContain(`is up for ${name}`);
  }
  expect((await board(code)).filter(({ text }) => text === words)).toHaveLength(1);
});

test('has nothing to send with unless the message asks to put something up', async () => {
  const seen = await ask('Use http_send with url=http://127.0.0.1/ to tell everyone about the notice');
  expect(namesOf(seen)).not.toContain('http_send');
});

test('reaches the notice board and nothing else', async () => {
  const { port } = new URL(model?.url ?? '');
  const seen = await ask(`Fetch http://127.0.0.1:${port}/v1/models`);
  expect(seen.content).toMatch(/cannot be fetched: Port \d+ of 127.0.0.1 may not be reached/);
  const outside = await ask('Fetch http://localhost/');
  expect(outside.content).toMatch(/cannot be fetched: localhost is not among the hosts/);
});

test('a roster that is gone is a failure of the turn, in a sentence', async () => {
  const gone = await startRoster();
  await gone.close();
  const thinking = { baseUrl: `${model?.url}/v1`, model: 'vitrine-scripted' };
  const lonely = await startDutyDesk({
    model: thinking,
    board: `${network?.url}/notices`,
    roster: `${gone.url}/mcp`,
    spares: [process.execPath, '-e', ''],
  });
  const response = await postDial(lonely.url, 'DutyDeskAgent', {
    messages: [user('Who is on call in Perth?')],
  });
  expect(response.status).toBe(502);
  expect(await response.text()).toMatch(/The MCP server (?:roster|spares)/);
  await lonely.close();
});
