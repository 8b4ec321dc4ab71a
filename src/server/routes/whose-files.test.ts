import { beforeAll, describe, expect, test } from 'vitest';
import { deskConfig, planOf, planStep } from '../../../test/pipeline.ts';
import {
  appWith,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  type Serving,
} from '../../../test/serving.ts';
import type { Graph } from '../../graph/graph.ts';
import { graphOf } from '../../../test/workflow/world.ts';
import { envelopeOf } from '../runs/files.ts';
import { blobName } from '../../stores/blob-name.ts';

const settings = { access: { everyone: false, people: ['ann'] }, retrieval: { uploads: true } };
const desk = deskConfig({ plans: [planOf('single', [planStep(1, 'graph')])], settings });
const open = appWith(async () => 'x'.repeat(50_000), 'open');
const say = { id: 'say', type: 'template', value: 'Hello' };
const workflows = { greet: { ...graphOf([say], ''), name: 'greet' } as unknown as Graph };
const config = { ...desk, apps: { ...desk.apps, open }, workflows, auth: { required: true } };

let at: Serving;
const keys: Record<string, string> = {};

beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    for (const [name, role] of Object.entries({ ann: 'member', bob: 'member', vic: 'viewer' } as const))
      keys[name] = keyIn(data, { name, tenant: 't', role });
    keys['boss'] = keyIn(data, { name: 'boss', tenant: 't', role: 'operator' });
    at = await serving({ data, config });
  }),
);

const headers = { 'content-type': 'text/markdown' };
const reading = async (who: string, file: string): Promise<number> =>
  (await at.ask(`/api/files/${file}`, { key: keys[who] })).status;
const erasing = async (who: string, file: string): Promise<number> =>
  (await at.ask(`/api/files/${file}`, { key: keys[who], method: 'DELETE' })).status;
const sent = async (who: string, body: string): Promise<string> =>
  textAt(await at.ask(`/api/files?name=${body}.md`, { key: keys[who], body, headers }), 'file');
const listed = async (who: string): Promise<readonly { file: string; uses: number }[]> =>
  ((await at.ask('/api/files', { key: keys[who] })).json as { files: { file: string; uses: number }[] })
    .files;
const said = async (who: string, json: object): Promise<{ run: string; conversation: string }> => {
  const begun = await at.ask('/api/runs', { key: keys[who], json });
  expect(begun.status, begun.text).toBe(201);
  const run = textAt(begun, 'run');
  await at.ask(`/api/runs/${run}/events`, { key: keys[who] });
  return { run, conversation: textAt(begun, 'conversation') };
};
const blobsOf = async (run: string, who: string): Promise<string[]> => {
  const { text } = await at.ask(`/api/runs/${run}/entries?after=0`, { key: keys[who] });
  return Array.from(text.matchAll(/"blob":"([0-9a-f]{64})"/g), ([, blob = '']) => blob);
};
const brought = async (body: string, session: string): Promise<string> => {
  const path = `/api/applications/desk/chat/upload?name=pay.md&session_id=${session}`;
  return textAt(await at.ask(path, { key: keys['ann'], body, headers }), 'document_id');
};

describe('[V329] a file is there for who sent it, and who may see what uses it', () => {
  test('a document of a session is there for nobody else, who guesses what it says either', async () => {
    const file = await brought('ann earns 4000', 's2');
    const guess = { name: 'pay.md', type: 'text/markdown', bytes: Buffer.from('ann earns 4000') };
    expect(blobName(envelopeOf(guess))).toBe(file);
    await said('ann', { app: 'desk', conversation: 's2', input: { text: 'What of pay?' } });
    const nobody = await at.ask(`/api/files/${'a'.repeat(64)}`, { key: keys['vic'] });
    const hidden = await at.ask(`/api/files/${file}`, { key: keys['vic'] });
    expect([hidden.status, hidden.text.replace(file, '')]).toEqual([
      404,
      nobody.text.replace('a'.repeat(64), ''),
    ]);
    expect([await reading('bob', file), await erasing('bob', file)]).toEqual([404, 404]);
    expect((await listed('ann')).some((one) => one.file === file)).toBe(true);
    const attachments = [{ file }];
    const taken = { key: keys['bob'], json: { app: 'open', input: { text: 'x', attachments } } };
    expect((await at.ask('/api/runs', taken)).status).toBe(404);
    expect(await reading('ann', file)).toBe(200);
    expect(await erasing('ann', file)).toBe(204);
    expect(await reading('ann', file)).toBe(404);
  });

  test('what several sent each erases for themselves', async () => {
    const file = await sent('ann', 'same');
    expect(await reading('bob', file)).toBe(404);
    expect(await sent('bob', 'same')).toBe(file);
    expect(await erasing('bob', file)).toBe(204);
    expect([await reading('bob', file), await reading('ann', file)]).toEqual([404, 200]);
    expect([(await listed('bob')).length, (await listed('ann')).map((one) => one.file)]).toEqual([0, [file]]);
    expect(await erasing('ann', file)).toBe(204);
    expect(await reading('ann', file)).toBe(404);
  });

  test('who may go on with a conversation reads what was sent along, and erases nothing', async () => {
    const file = await sent('ann', 'along');
    const { conversation } = await said('ann', {
      app: 'open',
      input: { text: 'x', attachments: [{ file }] },
    });
    expect([await reading('vic', file), await erasing('bob', file)]).toEqual([200, 403]);
    await at.ask(`/api/conversations/${conversation}`, { key: keys['ann'], method: 'DELETE' });
    expect(await reading('ann', file)).toBe(404);
  });

  test('what a run keeps beside its journal is there for whom the run is', async () => {
    const text = 'y'.repeat(40_000);
    const attachments = [{ type: 'text/plain', title: 'y.txt', data: text }];
    const { run } = await said('ann', { app: 'desk', input: { text: 'x', attachments } });
    const { run: other } = await said('ann', { app: 'open', input: { text: 'x' } });
    const [blob = ''] = await blobsOf(run, 'ann');
    for (const [who, status] of Object.entries({ ann: 200, boss: 200, bob: 404, vic: 404 }))
      expect([who, await reading(who, blob)]).toEqual([who, status]);
    expect([await erasing('bob', blob), await erasing('ann', blob)]).toEqual([404, 409]);
    for (const one of await blobsOf(other, 'ann')) expect(await reading('vic', one)).toBe(200);
  });
});

test('[V248] a file stays for who sent it when the conversation of another who sent it is gone', async () => {
  const file = await sent('ann', 'two of us');
  await sent('bob', 'two of us');
  const input = { text: 'x', attachments: [{ file }] };
  const { conversation } = await said('bob', { app: 'open', input });
  const uses = [(await listed('bob'))[0]?.uses, (await listed('ann'))[0]?.uses];
  await at.ask(`/api/conversations/${conversation}`, { key: keys['bob'], method: 'DELETE' });
  expect([await reading('ann', file), await reading('bob', file), uses]).toEqual([200, 404, [1, 0]]);
});

/** The blob that a run keeps of what it was given: as the text of a file. */
async function forged(who: string, given: { name: string; type: string; bytes: Buffer }): Promise<string> {
  const text = envelopeOf(given);
  const json = { input: JSON.parse(text) as object };
  const begun = await at.ask('/api/workflows/greet/runs', { key: keys[who], json });
  expect(begun.status, begun.text).toBe(201);
  expect(await blobsOf(textAt(begun, 'run'), who)).toContain(blobName(text));
  return blobName(text);
}

describe('[V330] what a run keeps is no file, whatever it looks like', () => {
  const bytes = Buffer.from('<b>'.repeat(16_000));

  test('it comes back as a record, and goes with the run alone', async () => {
    const file = { name: 'x'.repeat(50_000), type: 'text/html', bytes };
    const blob = await forged('ann', file);
    const back = await at.ask(`/api/files/${blob}`, { key: keys['ann'] });
    expect([back.status, back.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(back.headers.get('content-disposition')?.length).toBeLessThan(100);
    expect(back.text).toBe(envelopeOf(file));
    expect(await erasing('ann', blob)).toBe(409);
  });

  test('nor does it tell whether somebody sent that file', async () => {
    const body = bytes.toString();
    const file = textAt(await at.ask('/api/files?name=x.md', { key: keys['ann'], body, headers }), 'file');
    expect(await reading('bob', file)).toBe(404);
    expect(await forged('bob', { name: 'x.md', type: 'text/markdown', bytes })).toBe(file);
    const back = await at.ask(`/api/files/${file}`, { key: keys['bob'] });
    expect([back.status, back.headers.get('content-type')]).toEqual([200, 'application/json']);
    await said('bob', { app: 'open', input: { text: 'x', attachments: [{ file }] } });
    expect((await listed('bob')).some((one) => one.file === file)).toBe(false);
    expect(await erasing('bob', file)).toBe(409);
    expect((await at.ask(`/api/files/${file}`, { key: keys['ann'] })).text).toBe(body);
    expect(await erasing('ann', file)).toBe(204);
  });
});

test('[V330] the name of a file is bounded, and keeps its ending', async () => {
  const form = new FormData();
  form.set('file', new File(['long'], `${'ä'.repeat(50_000)}.md`, { type: 'text/markdown' }));
  const answer = await fetch(`${at.url}/api/applications/desk/chat/upload`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${keys['ann']}` },
  });
  const { document_id: file, filename } = (await answer.json()) as Record<string, string>;
  expect(filename).toBe(`${'ä'.repeat(197)}.md`);
  const back = await at.ask(`/api/files/${file}`, { key: keys['ann'] });
  expect(back.headers.get('content-disposition')?.length).toBeLessThan(2_000);
});

test('[V248] a place in the list of files that is none is refused', async () => {
  for (const after of ['zzz', 'a'.repeat(64), '1', '%20']) {
    const { status, text } = await at.ask(`/api/files?after=${after}`, { key: keys['ann'] });
    expect([after, status, text]).toEqual([after, 400, expect.stringContaining('begin without one')]);
  }
});
