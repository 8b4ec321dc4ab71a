import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { frames } from '../../test/chat-frames.ts';
import { openUpstream, sse } from '../../test/upstream.ts';
import type { DemoServer } from '../loopback-server.ts';
import { startModel } from '../model/server.ts';
import { asksForDeletion } from './deletion.ts';
import { generatedUsers } from './generated-users.ts';
import { startUserService } from './server.ts';

const folder = mkdtempSync(join(tmpdir(), 'vitrine-users-'));
const database = join(folder, 'users.db');
let [model, service]: DemoServer[] = [];
let data: DatabaseSync;

const start = (): Promise<DemoServer> =>
  startUserService({ model: { baseUrl: `${model?.url}/v1`, model: 'vitrine-scripted' }, database });

beforeAll(async () => {
  model = await startModel({ pace: 0 });
  service = await start();
  data = new DatabaseSync(database, { readOnly: true });
});
afterAll(async () => {
  data.close();
  await service?.close();
  await model?.close();
  rmSync(folder, { recursive: true });
});

const request = (method: string, path: string, body?: unknown): Promise<Response> =>
  fetch(`${service?.url}${path}`, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });

async function create(): Promise<string> {
  const made = (await (await request('POST', '/conversations', {})).json()) as { id: string };
  return made.id;
}

async function ask(id: string, content: string): Promise<string> {
  const response = await request('POST', `/conversations/${id}/chat`, {
    message: { role: 'user', content },
    stream: false,
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { content: string }).content;
}

interface Row {
  readonly id: number;
  readonly first_name: string;
  readonly last_name: string;
  readonly city: string;
}

const rows = (where: string, ...values: (string | number)[]): Row[] =>
  data
    .prepare(`SELECT id, first_name, last_name, city FROM users ${where} ORDER BY last_name, first_name, id`)
    .all(...values) as unknown as Row[];

function any<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('there is nothing to draw from');
  return value;
}

describe('the wire', () => {
  test('answers health, creation, listing and deletion as the original does', async () => {
    expect(await (await request('GET', '/health')).text()).toBe(
      '{"status":"healthy","conversation_manager_initialized":true}',
    );
    const missing = await request('POST', '/conversations');
    expect([missing.status, await missing.text()]).toEqual([
      422,
      '{"detail":[{"loc":["body"],"msg":"field required","type":"value_error.missing"}]}',
    ]);
    const made: unknown = await (await request('POST', '/conversations', {})).json();
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(made).toEqual({
      id: expect.stringMatching(/^[\da-f-]{36}$/),
      title: 'New Conversation',
      messages: [],
      created_at: time,
      updated_at: time,
    });
    const { id } = made as { id: string };
    const [first] = (await (await request('GET', '/conversations')).json()) as unknown[];
    expect(first).toEqual({
      id,
      title: 'New Conversation',
      created_at: time,
      updated_at: time,
      message_count: 0,
    });
    expect(await (await request('DELETE', `/conversations/${id}`)).text()).toBe(
      '{"message":"Conversation deleted successfully"}',
    );
    for (const method of ['DELETE', 'GET']) {
      const gone = await request(method, `/conversations/${id}`);
      expect([gone.status, await gone.text()]).toEqual([404, '{"detail":"Conversation not found"}']);
    }
    const titled = (await (await request('POST', '/conversations', { title: 'Mine' })).json()) as {
      title: string;
    };
    expect(titled.title).toBe('Mine');
  });

  test('streams with a space after every colon, and keeps tools out of sight', async () => {
    const id = await create();
    const response = await request('POST', `/conversations/${id}/chat`, {
      message: { role: 'user', content: 'How many users are called Nobody?' },
    });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = (await response.text()).split('\n\n');
    expect(events[0]).toBe(`data: {"conversation_id": "${id}"}`);
    expect(events[1]).toMatch(
      /^data: \{"choices": \[\{"delta": \{"content": ".+"\}, "index": 0, "finish_reason": null\}\]\}$/,
    );
    expect(events.slice(-3)).toEqual([
      'data: {"choices": [{"delta": {}, "index": 0, "finish_reason": "stop"}]}',
      'data: [DONE]',
      '',
    ]);
    expect(events.join('')).not.toContain('search_users');
  });

  test('keeps the whole history, the system prompt first and tools included', async () => {
    const id = await create();
    await ask(id, 'List users named John');
    const { messages } = (await (await request('GET', `/conversations/${id}`)).json()) as {
      messages: { role: string }[];
    };
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
  });

  test('is cut without an end when its model fails, and the history shows that the message arrived', async () => {
    const alone = await startUserService({ model: { baseUrl: 'http://127.0.0.1:9/v1', model: 'm' } });
    const made = (await (
      await fetch(`${alone.url}/conversations`, { method: 'POST', body: '{}' })
    ).json()) as { id: string };
    const body = JSON.stringify({ message: { role: 'user', content: 'List users' } });
    const response = await fetch(`${alone.url}/conversations/${made.id}/chat`, { method: 'POST', body });
    await expect(response.text()).rejects.toThrow();
    const kept = (await (await fetch(`${alone.url}/conversations/${made.id}`)).json()) as {
      messages: { role: string }[];
    };
    expect(kept.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    await alone.close();
  });

  test('two turns at once on one conversation wait for each other', async () => {
    const id = await create();
    await Promise.all(['John', 'Mia', 'Wei'].map((name) => ask(id, `List users named ${name}`)));
    const { messages } = (await (await request('GET', `/conversations/${id}`)).json()) as {
      messages: { role: string }[];
    };
    expect(messages.filter(({ role }) => role === 'user')).toHaveLength(3);
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(3);
  });
});

describe('the users', () => {
  let id = '';
  beforeEach(async () => {
    id = await create();
  });

  test('are a thousand, and the same for the same seed', () => {
    const [one, again, other] = [generatedUsers(7, 1000), generatedUsers(7, 1000), generatedUsers(8, 1000)];
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    expect(new Set(one.map(({ email }) => email)).size).toBe(1000);
    expect(rows('')).toHaveLength(1000);
    expect(rows('WHERE first_name = ?', 'John').length).toBeGreaterThan(2);
  });

  test('are listed by any first name, all of them and no others', async () => {
    const { first_name: name } = any(rows(''));
    const answer = await ask(id, `List users named ${name}`);
    const expected = rows('WHERE first_name = ? OR last_name = ?', name, name);
    expect(answer).toContain(`Found ${expected.length} user`);
    const listed = [...answer.matchAll(/^\d+\. (.+?) \(user (\d+)\)/gm)].map(([, full, number]) => [
      full,
      Number(number),
    ]);
    expect(listed).toEqual(
      expected.slice(0, 25).map((user) => [`${user.first_name} ${user.last_name}`, user.id]),
    );
  });

  test('are found by city and by both names', async () => {
    const { city, first_name: first, last_name: last } = any(rows(''));
    expect(await ask(id, `List users in ${city}`)).toContain(
      `Found ${rows('WHERE city = ?', city).length.toLocaleString('en-AU')} user`,
    );
    const both = rows('WHERE first_name = ? AND last_name = ?', first, last);
    expect(await ask(id, `Find users named ${first} ${last}`)).toContain(`Found ${both.length} user`);
  });

  test('“Delete the first one” really deletes that one and no other, and writes it down', async () => {
    const before = rows('');
    const { first_name: name } = any(before);
    const victim = rows('WHERE first_name = ? OR last_name = ?', name, name)[0];
    await ask(id, `List users named ${name}`);
    const answer = await ask(id, 'Delete the first one');
    expect(answer).toContain(`Deleted ${victim?.first_name} ${victim?.last_name} (user ${victim?.id})`);
    expect(rows('').map((user) => user.id)).toEqual(
      before.filter((user) => user.id !== victim?.id).map((user) => user.id),
    );
    const changes = (await (await request('GET', '/changes')).json()) as object[];
    expect(changes.at(-1)).toMatchObject({ action: 'deleted', user_id: victim?.id, conversation_id: id });
    expect(await ask(id, `Delete user ${victim?.id}`)).toContain(`There is no user ${victim?.id}`);
  });

  test('are created, changed and shown', async () => {
    const name = `Zed${String.fromCodePoint(97 + Math.floor(Math.random() * 26))}`;
    const before = rows('').length;
    const created = await ask(id, `Create user ${name} Citizen`);
    const [made] = rows('WHERE first_name = ? AND last_name = ?', name, 'Citizen').slice(-1);
    expect(created).toContain(`Created ${name} Citizen (user ${made?.id})`);
    expect(created).toContain(`There are ${(before + 1).toLocaleString('en-AU')} users now.`);
    await ask(id, `Change the city of user ${made?.id} to Broome`);
    expect(rows('WHERE id = ?', made?.id ?? 0)[0]?.city).toBe('Broome');
    expect(await ask(id, `Show user ${made?.id}`)).toContain('Broome');
  });

  test('no message deletes that does not ask for a deletion in words a person is asked about', async () => {
    expect(
      ['Delete the first one', 'Please remove user 3', 'erase him', 'Get rid of user 4'].map(asksForDeletion),
    ).toEqual([true, true, true, true]);
    expect(
      ['List users named John', 'Show the first one', 'Create user Ada King'].map(asksForDeletion),
    ).toEqual([false, false, false]);
    const eager = await openUpstream();
    const call = frames.call({ index: 0, id: 'c1', name: 'delete_user', arguments: '{"id":1}' });
    eager.answer(
      [sse, { send: call }, { send: frames.finish('tool_calls') }, { send: frames.done }, 'end'],
      [sse, { send: frames.text('Done.') }, { send: frames.finish() }, { send: frames.done }, 'end'],
    );
    const misled = await startUserService({ model: { baseUrl: eager.url, model: 'm' } });
    const made = (await (
      await fetch(`${misled.url}/conversations`, { method: 'POST', body: '{}' })
    ).json()) as { id: string };
    const body = JSON.stringify({ message: { role: 'user', content: 'Show user 1' }, stream: false });
    await fetch(`${misled.url}/conversations/${made.id}/chat`, { method: 'POST', body });
    const kept = await (await fetch(`${misled.url}/conversations/${made.id}`)).text();
    expect(kept).toContain('There is no tool delete_user.');
    expect(await (await fetch(`${misled.url}/changes`)).json()).toEqual([]);
    await misled.close();
    await eager.close();
  });

  test('and their conversations outlive the process', async () => {
    const [, second] = rows('WHERE first_name = ? OR last_name = ?', 'Mia', 'Mia');
    await ask(id, 'List users named Mia');
    await service?.close();
    service = await start();
    expect(await ask(id, 'Show the second one')).toContain(`(user ${second?.id})`);
  });
});
