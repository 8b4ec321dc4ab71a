import { mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ended, flowOf, toolOf, until } from '../../../test/world.ts';
import type { ConfigInput } from '../../catalog/config.ts';
import { openFolder } from '../compose/compose.ts';
import { vitrineClient } from '../../client/client.ts';
import { enterHome, lookAround } from '../../cli/place/enter.ts';
import { summaryOf } from '../../cli/place/find.ts';
import type { TerminalHome } from '../../cli/place/terminal-home.ts';
import { heldFolder } from '../../cli/place/held.ts';
import { hostFolder } from '../host-folder.ts';
import { isHeld } from './reach-folder.ts';
import { socketPath } from './socket-path.ts';
import type { OpenFolder } from './open-folder.ts';

let data = '';
const open: TerminalHome[] = [];
beforeEach(() => void (data = mkdtempSync(join(tmpdir(), 'vitrine-home-'))));
afterEach(async () => {
  for (const home of open.splice(0).reverse()) await home.close();
  rmSync(data, { recursive: true });
});

/** An app whose tool waits until it is let through. */
function gated(): { config: ConfigInput; letThrough: () => void } {
  const gate = Promise.withResolvers<void>();
  const wait = toolOf('wait', async () => {
    await gate.promise;
    return null;
  });
  const flow = flowOf(async (scope, text) => {
    await scope.call('wait', {});
    return `${text} went through`;
  }, 'gated');
  return { config: { tools: [wait], apps: { gated: { flow } } }, letThrough: () => gate.resolve() };
}

async function holder(config: ConfigInput = {}, folder = data): Promise<OpenFolder & TerminalHome> {
  const hosted = await hostFolder({ data: folder, config, takes: 'asked' });
  const home = {
    ...hosted.context.home,
    ...heldFolder(hosted),
  };
  open.push(home);
  return home;
}

async function visitor(folder = data): Promise<TerminalHome> {
  const home = await enterHome({ data: folder, takes: 'asked' });
  open.push(home);
  return home;
}

const request = { app: 'gated', flow: 'gated@1', text: 'It', key: 'k' };

test('[Z13] whoever holds a folder asks by the rules of the API, too', async () => {
  const held = await holder(gated().config);
  await expect(held.start({ ...request, key: 'two words' })).rejects.toThrow('An idempotency key');
  await expect(held.send('run_x', { type: 'stop', by: 'ann' })).rejects.toThrow('There is no run «run_x»');
});

test('[Q20] a folder in which nothing would be kept starts nothing, and says so at once', async () => {
  const place = join(data, 'place');
  const held = await holder(gated().config, place);
  renameSync(place, `${place}.aside`);
  await expect(held.start(request)).rejects.toMatchObject({
    failure: { code: 'unready', message: expect.stringContaining('deleted or moved away') },
  });
  renameSync(`${place}.aside`, place);
  expect(await held.dispatch.list({ tenant: 'local' })).toEqual([]);
});

test('[Q43] a process that stands still is asked for nothing but whether it is there', async () => {
  const place = join(data, 'still');
  mkdirSync(place, { recursive: true });
  const asked = Promise.withResolvers<string>();
  const still = createServer((socket) => void socket.once('data', (line) => asked.resolve(String(line))));
  await new Promise<void>((resolve) => still.listen(socketPath(place), resolve));
  const sockets: Socket[] = [];
  still.on('connection', (socket) => sockets.push(socket));
  const entering = visitor(place);
  const first = await Promise.race([asked.promise, entering.then(() => 'entered', String)]);
  expect(first).toMatch(/^GET \/api\/holder HTTP\/1\.1\r\n/);
  still.close();
  for (const socket of sockets) socket.destroy();
  expect((await entering).isHolder).toBe(true);
});

describe('a data folder', () => {
  test('is held by one process, and visited by the others', async () => {
    const { config, letThrough } = gated();
    const held = await holder(config);
    const visiting = await visitor();
    expect([held.isHolder, visiting.isHolder]).toEqual([true, false]);
    const { run } = await visiting.start(request);
    expect((await summaryOf(visiting.server, run)).status).toBe('running');
    letThrough();
    const tree = await ended(held.store, run);
    expect(tree.ended?.answer).toBe('It went through');
    expect(await visiting.standing(run)).toEqual({ is: 'ended' });
  });

  test('is refused to a second holder, who is told who has it', async () => {
    await holder();
    await expect(openFolder({ data })).rejects.toThrow(`in use by process ${process.pid}`);
  });

  test('a holder says which app it does not have, and who it is', async () => {
    await holder();
    const visiting = await visitor();
    await expect(visiting.start(request)).rejects.toThrow(
      `Process ${process.pid} holds this folder and cannot run «gated» (gated@1); it has no app at all`,
    );
  });

  test('commands of a visitor become entries of the run', async () => {
    const { config, letThrough } = gated();
    const held = await holder(config);
    const { run } = await held.start(request);
    await until(held.store, run, ({ working }) => working === 1);
    const visiting = await visitor();
    const paused = await visiting.send(run, { type: 'pause', by: 'bo' });
    expect(paused).toBeGreaterThan(0);
    await visiting.send(run, { type: 'resume', by: 'bo' });
    letThrough();
    expect((await ended(held.store, run)).ended?.outcome).toBe('completed');
    await expect(visiting.send(run, { type: 'stop', by: 'bo' })).rejects.toThrow(`Run ${run} has ended`);
    await expect(visiting.send('run_none', { type: 'stop', by: 'bo' })).rejects.toMatchObject({
      failure: { code: 'unknown' },
    });
  });

  test('[V186] a holder that goes away answers what it was asked before', async () => {
    const held = await holder(gated().config);
    const { run } = await held.start(request);
    await until(held.store, run, ({ working }) => working === 1);
    const visiting = await visitor();
    const sending = vi.spyOn(held.store.mailbox, 'send');
    const stopping = visiting.send(run, { type: 'stop', by: 'bo' });
    await vi.waitFor(() => expect(sending).toHaveBeenCalled(), 60_000);
    open.splice(open.indexOf(held), 1);
    await held.close();
    expect(await stopping).toBeGreaterThan(0);
  });

  test('asked twice with one key, a holder begins one run, also after another process was asked', async () => {
    const { config } = gated();
    const first = await holder(config);
    const begun = await first.start(request);
    expect(await (await visitor()).start(request)).toEqual(begun);
    await first.close();
    open.splice(open.indexOf(first), 1);
    expect(await (await holder(config)).start(request)).toEqual(begun);
  });

  test('a holder works only on what it is asked for', async () => {
    const { config } = gated();
    const first = await holder(config);
    const { run } = await first.start(request);
    await until(first.store, run, ({ working }) => working === 1);
    await first.close();
    open.pop();
    const again = gated();
    const second = await holder(again.config);
    again.letThrough();
    const other = await second.start({ ...request, key: 'other' });
    await ended(second.store, other.run);
    expect(await second.standing(run)).toEqual({ is: 'left' });
    expect(await second.takeUp(run)).toBe(true);
    expect((await ended(second.store, run)).ended?.outcome).toBe('completed');
  });

  test('[E112] a run whose flow is not known here is left alone, and what was asked of it is recorded', async () => {
    const { config, letThrough } = gated();
    const first = await holder(config);
    const paused = await first.start(request);
    await first.send(paused.run, { type: 'pause', by: 'ann' });
    await first.close();
    open.pop();
    const second = await holder();
    expect(await second.takeUp(paused.run)).toBe(false);
    const said = await second.send(paused.run, { type: 'message', by: 'ann', text: 'hurry' });
    expect(said).toBeGreaterThan(0);
    expect(second.inHand()).toEqual([]);
    // Whether an edit fits is known to tools that are not here.
    const edit = {
      type: 'decide',
      decision: 'edit',
      by: 'ann',
      approval: 'x',
      arguments: {},
      fingerprint: 'x',
    } as const;
    const row = await second.dispatch.get(paused.run);
    const sent = row && second.front.command(row, { command: edit, id: 'an edit' });
    await expect(sent).rejects.toThrow('cannot be checked without it');
    await second.close();
    open.pop();
    letThrough();
    const third = await holder(config);
    await third.send(paused.run, { type: 'resume', by: 'ann' });
    const { messages, ended: end } = await ended(third.store, paused.run);
    expect([messages.size, end?.outcome]).toEqual([1, 'completed']);
  });

  test('[E112] to stop a run needs no flow', async () => {
    const first = await holder(gated().config);
    const { run } = await first.start(request);
    await first.close();
    open.pop();
    const second = await holder();
    expect(await second.send(run, { type: 'stop', by: 'ann' })).toBeGreaterThan(0);
    expect((await second.dispatch.get(run))?.state).toBe('ended');
    expect((await ended(second.store, run)).ended?.outcome).toBe('stopped');
  });

  test('can be read when nobody holds it', async () => {
    const { config, letThrough } = gated();
    letThrough();
    const held = await holder(config);
    const { run } = await held.start(request);
    await ended(held.store, run);
    await held.close();
    open.pop();
    const reading = await lookAround({ data });
    const { runs } = await vitrineClient(reading.server).runs();
    expect(runs.map((row) => row.run)).toEqual([run]);
    await reading.close();
    expect(await isHeld(data)).toBe(false);
  });

  test('a model whose key is gone fails by the name of the variable', async () => {
    vi.stubEnv('VITRINE_TEST_NO_SUCH_KEY', 'for a while');
    const flow = flowOf(
      async (scope) => (await scope.turn('m', { messages: [{ role: 'user', text: 'x' }] })).text,
      'ask',
    );
    const model = {
      baseUrl: 'http://127.0.0.1:9/v1',
      model: 'large',
      key: { env: 'VITRINE_TEST_NO_SUCH_KEY' },
    };
    const held = await holder({
      models: { l: model },
      agents: { m: { model: 'l' } },
      apps: { ask: { flow } },
    });
    vi.unstubAllEnvs();
    const { run } = await held.start({ ...request, app: 'ask', flow: 'ask@1' });
    const tree = await ended(held.store, run);
    expect(tree.ended?.failure?.message).toBe(
      'The key for Model large cannot be read: set the environment variable VITRINE_TEST_NO_SUCH_KEY.',
    );
  });

  test('two flows of one name are refused before anything is opened', async () => {
    const apps = { one: { flow: flowOf(async () => 'a') }, two: { flow: flowOf(async () => 'b') } };
    const place = join(data, 'none');
    await expect(openFolder({ data: place, config: { apps } })).rejects.toThrow('is called test@1 too');
    expect(statSync(place, { throwIfNoEntry: false })).toBeUndefined();
  });
});

describe('the socket of a folder', () => {
  test.skipIf(process.platform === 'win32')('is for its owner alone', async () => {
    await holder();
    expect(statSync(socketPath(data)).mode & 0o777).toBe(0o600);
  });

  test('is found also where the path of the folder is longer than a socket may have', async () => {
    const deep = join(data, 'd'.repeat(60), 'e'.repeat(60));
    mkdirSync(deep, { recursive: true });
    expect(socketPath(deep).startsWith(deep)).toBe(false);
    await holder({}, deep);
    expect((await visitor(deep)).isHolder).toBe(false);
  });

  test('that was left behind by a process that died is in nobody’s way', async () => {
    writeFileSync(socketPath(data), '');
    const held = await holder();
    expect(held.notices).toEqual([]);
    expect((await visitor()).isHolder).toBe(false);
  });
});
