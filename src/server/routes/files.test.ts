import { beforeAll, expect, test } from 'vitest';
import {
  appWith,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  type Answered,
  type Serving,
} from '../../../test/serving.ts';

let at: Serving;
const seen: unknown[] = [];

beforeAll(() =>
  shareServing(async () => {
    const reads = {
      flow: {
        name: 'reads',
        version: '1',
        async run(_: never, { attachments }: { readonly attachments: readonly unknown[] }) {
          seen.push(...attachments);
          return 'x'.repeat(150_000);
        },
      },
    };
    const config = { apps: { reads, other: appWith(async () => 'x', 'other') }, defaultApp: 'reads' };
    at = await serving({ config: { ...config, server: { quotas: { bytes: 400_000 } } } });
  }),
);

function send(body: string, type: string, name?: string): Promise<Answered> {
  const query = name === undefined ? '' : `?name=${encodeURIComponent(name)}`;
  return at.ask(`/api/files${query}`, { body, headers: { 'content-type': type } });
}

test('a file comes back as it was, to be saved and not to be run', async () => {
  const kept = await send('a,b\n1,2', 'text/csv; charset=utf-8', 'numbers.csv');
  expect(kept.status).toBe(201);
  const file = textAt(kept, 'file');
  expect(kept.json).toEqual({ file, name: 'numbers.csv', type: 'text/csv', size: 7 });
  const back = await at.ask(`/api/files/${file}`);
  expect(back.text).toBe('a,b\n1,2');
  expect(back.headers.get('content-type')).toBe('text/csv');
  expect(back.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''numbers.csv");
  expect(back.headers.get('x-content-type-options')).toBe('nosniff');
  expect(textAt(await send('a,b\n1,2', 'text/csv', 'numbers.csv'), 'file')).toBe(file);
});

test.for([
  ['text/html', '<script>alert(1)</script>'],
  ['image/svg+xml', '<svg onload="alert(1)"/>'],
  ['application/xhtml+xml', '<html/>'],
  ['text/javascript', 'alert(1)'],
  ['x/nonsense', 'x'],
] as const)('what could act as %s comes back as mere bytes', async ([type, body]) => {
  const file = textAt(await send(body, type), 'file');
  const back = await at.ask(`/api/files/${file}`);
  expect(back.headers.get('content-type')).toBe('application/octet-stream');
  expect(back.headers.get('content-disposition')).toContain('attachment');
  expect(back.headers.get('content-security-policy')).toContain("default-src 'none'");
});

test.for([
  ['../../etc/passwd', 'passwd'],
  ['C:\\boot.ini', 'boot.ini'],
  ['a\r\nSet-Cookie: x=1', 'aSet-Cookie: x=1'],
  ['\u202Egpj.exe', 'gpj.exe'],
] as const)('a file called %j has a harmless name', async ([name, kept]) => {
  const answer = await send('x', 'text/plain', name);
  expect(textAt(answer, 'name')).toBe(kept);
  const back = await at.ask(`/api/files/${textAt(answer, 'file')}`);
  expect(back.headers.get('content-disposition')).toBe(
    `attachment; filename*=UTF-8''${encodeURIComponent(kept)}`,
  );
});

test('a run gets what a file holds, and its long answer can be fetched whole', async () => {
  const text = textAt(await send('words', 'text/plain', 'note.txt'), 'file');
  const bytes = textAt(await send('\u0000\u0001', 'application/octet-stream', 'b.bin'), 'file');
  const attachments = [{ file: text }, { file: bytes, title: 'bytes' }, { type: 'text/x', data: 'inline' }];
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'read', attachments } } }), 'run');
  await at.ask(`/api/runs/${run}/events`);
  expect(seen).toMatchObject([
    { type: 'text/plain', title: 'note.txt', data: 'words' },
    { type: 'application/octet-stream', title: 'bytes', data: 'AAE=' },
    { type: 'text/x', data: 'inline' },
  ]);
  const blob = textAt(await at.ask(`/api/runs/${run}`), 'answer', 'blob');
  const kept = await at.ask(`/api/files/${blob}`, { method: 'DELETE' });
  expect(kept.status).toBe(409);
  expect(textAt(kept, 'error', 'message')).toContain('A run keeps this');
  expect((await at.ask(`/api/files/${blob}`)).text).toBe(JSON.stringify('x'.repeat(150_000)));
  for (const id of ['nope', 'a'.repeat(64), '../keys.json', '%2e%2e'])
    expect((await at.ask(`/api/files/${id}`)).status).toBe(404);
});

test('an erased file is gone, and what a run took from it is not', async () => {
  const file = textAt(await send('erase me', 'text/plain'), 'file');
  expect((await at.ask(`/api/files/${file}`, { method: 'DELETE' })).status).toBe(204);
  expect((await at.ask(`/api/files/${file}`)).status).toBe(404);
});

test('[S50] nobody fills the disk, and what is erased is free again, also when the server starts anew', async () => {
  const config = {
    apps: { other: appWith(async () => 'x', 'other') },
    server: { quotas: { bytes: 300_000 } },
  };
  const first = await serving({ config });
  const post = (to: Serving, path: string, body: string) =>
    to.ask(path, { body, headers: { 'content-type': 'text/plain' } });
  const file = textAt(await post(first, '/api/files', 'x'.repeat(150_000)), 'file');
  expect((await post(first, '/api/files', 'y'.repeat(150_000))).status).toBe(429);
  await first.close();
  const at = await serving({ data: first.data, config });
  expect((await at.ask(`/api/files/${file}`)).text).toHaveLength(150_000);
  const full = await post(at, '/api/files', 'y'.repeat(150_000));
  expect(full.status).toBe(429);
  expect(textAt(full, 'error', 'message')).toContain('more than your share');
  const start = () => at.ask('/api/runs', { json: { input: { text: 'z'.repeat(200_000) } } });
  expect((await start()).status).toBe(429);
  expect((await at.ask('/api/runs', { json: { input: { text: 'small' } } })).status).toBe(201);
  expect((await at.ask(`/api/files/${file}`, { method: 'DELETE' })).status).toBe(204);
  expect((await start()).status).toBe(201);
});

test('[S50] journals count, also of runs that have ended, and over a restart', async () => {
  const data = temporaryFolder();
  const apps = { says: appWith(async (scope) => (scope.say('x'.repeat(30_000)), 'said'), 'says') };
  const config = { apps, server: { quotas: { bytes: 200_000 } } };
  const first = await serving({ data, config });
  const start = (at: Serving) => at.ask('/api/runs', { json: { app: 'says', input: { text: 'x' } } });
  const runs: Answered[] = [];
  for (let i = 0; i < 30; i += 1) {
    const started = await start(first);
    runs.push(started);
    if (started.status === 201) await first.ask(`/api/runs/${textAt(started, 'run')}/events`);
  }
  const refused = runs.filter(({ status }) => status === 429);
  expect(runs.length - refused.length).toBe(7);
  expect(textAt(refused[0] as Answered, 'error', 'message')).toContain('erase some');
  const usage = (await first.ask('/api/usage')).json;
  expect(usage).toMatchObject({ bytes: { held: expect.any(Number), most: 200_000 } });
  await first.close();
  const again = await serving({ data, config });
  expect((await again.ask('/api/usage')).json).toEqual(usage);
  expect((await start(again)).status).toBe(429);
  const conversation = textAt(runs[0] as Answered, 'conversation');
  await again.ask(`/api/conversations/${conversation}`, { method: 'DELETE' });
  expect((await start(again)).status).toBe(201);
});

test('[S50] a file that is named again and again is not kept again and again', async () => {
  const at = await serving({ config: { apps: { other: appWith(async () => 'x', 'other') } } });
  const body = 'x'.repeat(19 * 1024 * 1024);
  const sent = await at.ask('/api/files', { body, headers: { 'content-type': 'text/plain' } });
  const file = textAt(sent, 'file');
  const attachments = [{ file }, { file }];
  const answer = await at.ask('/api/runs', { json: { input: { text: 'x', attachments } } });
  expect(answer.status).toBe(413);
  expect(textAt(answer, 'error', 'message')).toContain('attach less at once');
});

test('[V248] files are listed for who sent them, and go with the last conversation that uses them', async () => {
  const at = await serving({ config: { apps: { other: appWith(async () => 'x', 'other') } } });
  const sent = async (body: string): Promise<string> =>
    textAt(
      await at.ask(`/api/files?name=${body}`, { body, headers: { 'content-type': 'text/plain' } }),
      'file',
    );
  const start = async (conversation: string, files: readonly string[]): Promise<void> => {
    const attachments = files.map((file) => ({ file }));
    const begun = await at.ask('/api/runs', { json: { conversation, input: { text: 'x', attachments } } });
    expect(begun.status).toBe(201);
    await at.ask(`/api/runs/${textAt(begun, 'run')}/events`);
  };
  const [alone, both, unused] = [await sent('alone'), await sent('both'), await sent('unused')];
  await start('one', [alone, both]);
  await start('two', [both]);
  const listed = async (): Promise<unknown> =>
    ((await at.ask('/api/files')).json as { files: { name: string; uses: number }[] }).files
      .map(({ name, uses }) => `${name} ${uses}`)
      .toSorted();
  expect(await listed()).toEqual(['alone 1', 'both 2', 'unused 0']);
  const statuses = async (): Promise<readonly number[]> => {
    const answers: number[] = [];
    for (const file of [alone, both, unused]) answers.push((await at.ask(`/api/files/${file}`)).status);
    return answers;
  };
  expect((await at.ask('/api/conversations/one', { method: 'DELETE' })).status).toBe(204);
  expect([await statuses(), await listed()]).toEqual([
    [404, 200, 200],
    ['both 1', 'unused 0'],
  ]);
  await sent('both');
  expect((await at.ask('/api/conversations/two', { method: 'DELETE' })).status).toBe(204);
  expect([await statuses(), await listed()]).toEqual([[404, 404, 200], ['unused 0']]);
  expect(await sent('alone')).toBe(alone);
  expect((await at.ask('/api/files?limit=1')).json).toMatchObject({
    files: [{ file: alone }],
    next: expect.any(String),
  });
  const { next } = (await at.ask('/api/files?limit=1')).json as { next: string };
  expect((await at.ask(`/api/files/${alone}`, { method: 'DELETE' })).status).toBe(204);
  expect((await at.ask(`/api/files?after=${next}`)).json).toMatchObject({
    files: [{ file: unused }],
    next: null,
  });
});

test('[V248] a document of two conversations stays until both are gone', async () => {
  const at = await serving({ config: { apps: { other: appWith(async () => 'x', 'other') } } });
  const bring = async (conversation: string): Promise<string> => {
    await at.ask('/api/runs', { json: { conversation, input: { text: 'x' } } });
    const path = `/api/conversations/${conversation}/documents?name=note.txt`;
    return textAt(await at.ask(path, { body: 'ferns', headers: { 'content-type': 'text/plain' } }), 'file');
  };
  const file = await bring('one');
  expect(await bring('two')).toBe(file);
  await at.ask('/api/conversations/one', { method: 'DELETE' });
  expect((await at.ask(`/api/files/${file}`)).status).toBe(200);
  await at.ask('/api/conversations/two', { method: 'DELETE' });
  expect((await at.ask(`/api/files/${file}`)).status).toBe(404);
});
