import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, vi } from 'vitest';
import { find, opened, recording, temporary, terse, watched } from '../../../test/mcp/servers.ts';

const signal = AbortSignal.timeout(60_000);
const open = opened();
/** A dead process that nobody has collected yet (there may be no init here) is dead. */
function isAlive(pid: number): boolean {
  try {
    const status = existsSync('/proc') ? readFileSync(`/proc/${pid}/stat`, 'utf8') : '';
    return process.kill(pid, 0) && !/\) Z /.test(status);
  } catch {
    return false;
  }
}

/** Waits for the end of a process without hearing of it. Its pipes close with its last thread. */
function waitBlindly(pid: number): void {
  const hasThreads = (): boolean => readdirSync(`/proc/${pid}/task`).length > 1;
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if (!isAlive(pid) && !hasThreads()) return;
  }
  throw new Error(`${pid} did not end`);
}

test.concurrent('[M1] a server gets no variable of ours but those it was given', async ({ expect }) => {
  vi.stubEnv('OPENAI_API_KEY', 'secret');
  const server = open({ name: 'env', command: recording().command, environment: { TOKEN: 'given' } });
  const names = await (await find(server, 'env')).run({}, watched());
  expect(names).toBe('HOME PATH TOKEN');
});

test.concurrent('[M1] arguments reach the program as they are', async ({ expect }) => {
  const folder = temporary();
  const record = join(folder, 'a b; touch $HOME && "c" *');
  const [node = '', script = ''] = recording().command;
  const server = open({ name: 'raw', command: [node, script, record] });
  await (await find(server, 'write')).run({}, watched());
  expect(readFileSync(record, 'utf8')).toMatch(/wrote key/);
});

test.concurrent('[M5] progress that arrives in one piece with the result is shown', async ({ expect }) => {
  const context = watched();
  expect(
    await (await find(open({ name: 'terse', command: terse().command }), 'burst')).run({}, context),
  ).toMatch(/^\d+$/);
  expect(context.said).toEqual(['1\n', '2\n', '3\n']);
});

test.concurrent('[M5] what one call may show is bounded', async ({ expect }) => {
  const context = watched();
  await (await find(open({ name: 'terse', command: terse().command }), 'flood')).run({}, context);
  expect(context.said).toHaveLength(66);
  expect(context.said.at(-1)).toMatch(/from here on is not shown/);
});

test.concurrent('[M2] a list that changes while it is read is read again before a call', async ({
  expect,
}) => {
  const record = terse();
  const tool = await find(open({ name: 'terse', command: record.command }), 'burst');
  expect(record.lines()).toEqual(['started', 'listed']);
  await tool.run({}, watched());
  await tool.run({}, watched());
  expect(record.lines()).toEqual(['started', 'listed', 'listed']);
});

test.runIf(existsSync('/proc'))(
  '[M10] what a server says just before it ends still counts',
  async ({ expect }) => {
    const server = open({ name: 'terse', command: terse().command });
    const pid = Number(await (await find(server, 'burst')).run({}, watched()));
    const running = (await find(server, 'last')).run({}, watched());
    for (let i = 0; i < 100; i++) await Promise.resolve();
    // The request is out. We hear of the answer and of the end at the same moment.
    waitBlindly(pid);
    expect(await running).toHaveLength(100_000);
  },
);

test.runIf(existsSync('/proc'))(
  '[M10] a server that died between two calls is replaced, also for a call that must run once',
  async ({ expect }) => {
    const record = recording();
    const server = open({ name: 'mortal', command: record.command });
    const write = await find(server, 'write');
    const pid = Number(await (await find(server, 'pid')).run({}, watched()));
    process.kill(pid, 'SIGKILL');
    waitBlindly(pid);
    expect(await write.run({}, watched())).toBe('written');
    expect(record.lines().filter((line) => line.startsWith('wrote'))).toEqual(['wrote key']);
  },
);

test.concurrent('[M10] a new server starts when the old one has ended, not before', async ({ expect }) => {
  const record = terse();
  const server = open({ name: 'terse', command: record.command });
  const failing = (await find(server, 'hang_up')).run({}, watched());
  await expect(failing).rejects.toMatchObject({ failure: { code: 'unavailable', retryable: true } });
  await (await find(server, 'burst')).run({}, watched());
  expect(record.lines().filter((line) => line !== 'listed')).toEqual(['started', 'ended', 'started']);
});

test.concurrent('[M10] a program that does not exist is named, at once', async ({ expect }) => {
  const server = open({ name: 'none', command: ['/no/such/program'] });
  await expect(server.list(signal)).rejects.toMatchObject({
    failure: {
      code: 'unavailable',
      retryable: false,
      message: expect.stringMatching(/no program \/no\/such\/program/),
    },
  });
});

test.concurrent('[M10] a server that does not start is tried a few times, and says why without its secrets', async ({
  expect,
}) => {
  const record = recording('broken');
  const server = open({ name: 'broken', command: record.command, environment: { KEY: 'hunter2-hunter2' } });
  await expect(server.list(signal)).rejects.toMatchObject({
    failure: {
      code: 'unavailable',
      message: expect.stringMatching(/did not start: cannot work with \[KEY\]\.$/),
    },
  });
  expect(record.lines()).toHaveLength(4);
});

test.concurrent('[M10] of a program that fails with a stack, the line is told that names the error', async ({
  expect,
}) => {
  const command = [process.execPath, '-e', `throw new TypeError('there is no such world')`];
  await expect(open({ name: 'failing', command }).list(signal)).rejects.toMatchObject({
    failure: { message: expect.stringMatching(/did not start: TypeError: there is no such world\.$/) },
  });
});

test.concurrent('[M10] callers who come while a server starts share it, and one who leaves does not spoil it', async ({
  expect,
}) => {
  const record = recording();
  const server = open({ name: 'shared', command: record.command });
  const leaving = server.list(AbortSignal.abort(new Error('left')));
  const staying = Promise.all([server.list(signal), server.list(signal)]);
  await expect(leaving).rejects.toThrow('left');
  expect((await staying).map(({ tools }) => tools.length > 5)).toEqual([true, true]);
  expect(record.lines()).toHaveLength(1);
});

test.concurrent('[M11] closing ends the server, and open calls with it', async ({ expect }) => {
  const record = recording();
  const server = open({ name: 'calm', command: record.command });
  const pid = Number(await (await find(server, 'pid')).run({}, watched()));
  const running = expect((await find(server, 'wait')).run({}, watched())).rejects.toMatchObject({
    failure: { code: 'unavailable' },
  });
  await expect.poll(() => record.lines()).toContain('wait began');
  await server.close();
  await running;
  expect(isAlive(pid)).toBe(false);
  await expect(server.list(signal)).rejects.toThrow(/was closed/);
});

test.concurrent('[M11] a server that does not want to end is killed, with the helpers it started', async ({
  expect,
}) => {
  const record = recording('stubborn');
  const server = open({ name: 'rude', command: record.command });
  const pid = Number(await (await find(server, 'pid')).run({}, watched()));
  const helper = Number(/helper (\d+)/.exec(record.lines().join('\n'))?.[1]);
  expect([isAlive(pid), isAlive(helper)]).toEqual([true, true]);
  await server.close();
  expect(isAlive(pid)).toBe(false);
  await expect.poll(() => isAlive(helper)).toBe(false);
  expect(record.lines()).toContain('asked to end');
});

test.concurrent('[M11] helpers of a server that died do not outlive it, and do not keep it alive', async ({
  expect,
}) => {
  const record = recording('stubborn');
  const server = open({ name: 'rude', command: record.command });
  const tool = await find(server, 'pid');
  const pid = Number(await tool.run({}, watched()));
  const helper = Number(/helper (\d+)/.exec(record.lines().join('\n'))?.[1]);
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => isAlive(helper)).toBe(false);
  expect(Number(await tool.run({}, watched()))).not.toBe(pid);
  await server.close();
});

test.concurrent('[M11] a server that is closed while it starts is not left behind', async ({ expect }) => {
  const record = recording('mute');
  const server = open({ name: 'early', command: record.command });
  const listing = expect(server.list(signal)).rejects.toThrow(/was closed/);
  await expect.poll(() => record.lines().join()).toMatch(/^started/);
  await server.close();
  await listing;
  const [pid] = record.lines().map((line) => Number(line.split(' ')[1]));
  expect(isAlive(pid ?? 1)).toBe(false);
});
