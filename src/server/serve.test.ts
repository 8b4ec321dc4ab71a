import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { appWith, keyIn, serving, temporaryFolder, textAt } from '../../test/serving.ts';
import { streamViewer } from '../../test/stream.ts';
import { vitrine } from '../../test/vitrine.ts';
import { createKey } from './access/keys.ts';
import { changeSharedIn } from './compose/shared-in.ts';
import type { Shared } from '../stores/store.ts';
import { serve } from './serve.ts';

const apps = {
  asks: appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks'),
};

const anna = (shared: Shared) => createKey(shared, { name: 'anna', tenant: 'local', role: 'member' }, 1);

test('a port that is taken is named, with what to do, and the folder is free again', async () => {
  const at = await serving({ config: { apps } });
  const data = temporaryFolder();
  const port = Number(new URL(at.url).port);
  const why = `Cannot listen on 127.0.0.1 port ${port}: something else listens there`;
  await expect(serve({ data, port, config: { apps } })).rejects.toThrow(why);
  await serving({ data, config: { apps } });
});

test('an address that is none of this machine is named', async () => {
  const data = temporaryFolder();
  keyIn(data);
  await expect(serve({ data, host: '192.0.2.1', port: 0 })).rejects.toThrow(/192\.0\.2\.1 .*--host/);
});

test.for([
  ['a file', 'file', 'it is a file'],
  ['in a file', 'file/folder', 'it is a file'],
  ['where nothing can be made', '/proc/nothing', 'ENOENT'],
] as const)('a data folder that is %s is named, with what to do', async ([, name, why]) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'file'), '');
  const data = name.startsWith('/') ? name : join(folder, name);
  const sentence = new RegExp(`The data folder .* cannot be written \\(${why}\\): choose another`);
  await expect(serve({ data, port: 0 })).rejects.toThrow(sentence);
  await expect(changeSharedIn(data, () => {}, anna)).rejects.toThrow(sentence);
});

test('a data folder that another process holds is named with its holder', async () => {
  const at = await serving({ config: { apps } });
  await expect(serve({ data: at.data, port: 0 })).rejects.toThrow(
    /is in use by process \d+ .*: stop it first/,
  );
});

test('a folder that was made for keys is its owner’s alone', async () => {
  const data = join(temporaryFolder(), 'deep', 'new');
  await changeSharedIn(data, () => {}, anna);
  expect(statSync(data).mode & 0o777).toBe(0o700);
});

test('[V150] keys that were spoilt are told of until they are restored, and those that were good stay so', async () => {
  const data = temporaryFolder();
  const key = keyIn(data);
  const warned: string[] = [];
  const at = await serving({
    data,
    config: { apps, auth: { required: true } },
    warn: (line) => warned.push(line),
  });
  const disk = new DatabaseSync(join(data, 'vitrine.db'));
  const ready = async () => {
    await at.server.context.door.lookAgain();
    return (await at.ask('/readyz')).json;
  };
  expect(await ready()).toEqual({ status: 'ok' });
  disk.exec(`UPDATE shared SET value = value || ' ' WHERE kind = 'keys'`);
  const warning = expect.stringMatching(/«keys local» is damaged.*Restore a backup.*revoked/);
  expect(await ready()).toEqual({ status: 'ok', warnings: [warning] });
  expect(JSON.stringify(await ready())).not.toContain(data);
  expect(warned).toEqual([warning]);
  expect((await at.ask('/api/me', { key })).status).toBe(200);
  expect((await at.ask('/api/me', { key: `vit_000000000000_${'a'.repeat(43)}` })).status).toBe(401);
  expect(at.problems.map(({ message }) => message)).toEqual(['Keys that were made or revoked are not seen.']);
  disk.exec(`UPDATE shared SET value = rtrim(value) WHERE kind = 'keys'`);
  disk.close();
  expect(await ready()).toEqual({ status: 'ok' });
  expect(warned).toHaveLength(2);
});

test('[V150] a server is not started with keys that were spoilt, and «vitrine keys» says so', async () => {
  const data = temporaryFolder();
  writeFileSync(join(data, 'keys.json'), '{"version":1,');
  for (const words of [
    ['serve', '--port', '0'],
    ['keys', 'list'],
    ['keys', 'create', 'ann'],
  ])
    expect(await vitrine([...words, '--data', data], { cwd: data })).toMatchObject({
      out: '',
      error: expect.stringContaining('keys.json is not a list of keys any more; restore it'),
    });
});

test('a viewer that does not answer does not keep a server from ending', async () => {
  const at = await serving({ config: { apps } });
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
  const { hostname, port, host } = new URL(at.url);
  // It asks for a socket, and never says anything again: not even goodbye.
  const mute = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  const opened = new Promise((resolve) => mute.once('data', resolve));
  mute.on('error', () => mute.destroy());
  mute.write(
    `GET /ws/runs/${run} HTTP/1.1\r\nHost: ${host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n',
  );
  await opened;
  const viewer = streamViewer({ url: at.url, path: `/api/runs/${run}/events` });
  await viewer.until((body) => body.includes('May I?'));
  viewer.socket.pause();
  await at.close();
  mute.destroy();
  viewer.socket.destroy();
});

test('what is asked while a server ends is refused like everything else, and it says that it ends', async () => {
  const gate = Promise.withResolvers<void>();
  const slow = appWith(async (scope) => {
    await scope.step({ key: 's', title: 'Slow' }, () => gate.promise);
    return 'done';
  }, 'slow');
  const at = await serving({ config: { apps: { slow } } });
  await at.ask('/api/runs', { json: { input: { text: 'x' } } });
  const { host, hostname, port } = new URL(at.url);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.setEncoding('utf8').on('data', (piece: string) => (heard += piece));
  // A request that is half there keeps its connection: the rest of it comes when the server is on its way.
  const begun = 'GET /readyz HTTP/1.1\r\n';
  await new Promise<void>((resolve) => socket.write(begun, () => resolve()));
  const over = at.close();
  socket.write(`Host: ${host}\r\n\r\n`);
  await new Promise((resolve) => socket.once('close', resolve));
  gate.resolve();
  await over;
  expect(heard).toMatch(/^HTTP\/1\.1 503 /);
  expect(heard).toContain('content-security-policy');
  expect(heard).toContain('{"status":"closing"}');
});

test('a folder with a dot-dot in its name is the folder that is meant', async () => {
  const base = temporaryFolder();
  mkdirSync(join(base, 'a'));
  const at = await serving({ data: join(base, 'a', '..', 'b'), config: { apps } });
  expect(statSync(join(base, 'b', 'vitrine.db')).isFile()).toBe(true);
  await at.close();
});
