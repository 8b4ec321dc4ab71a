import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import { appWith, keyAt, serving, temporaryFolder, textAt } from '../serving.ts';
import { functionTool } from '../../src/tools/function.ts';
import { start, vitrine } from '../vitrine.ts';

const config = { apps: { echo: appWith(async (_, text) => text, 'echo') } };

test('[V130] who owns a folder is told of the runs that others have there, and can read them', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, '.vitrine');
  const server = await serving({ data, config, isPrivate: true });
  const key = await keyAt(server, { tenant: 'acme' });
  const run = textAt(await server.ask('/api/runs', { key, json: { input: { text: 'theirs' } } }), 'run');
  const ended = (): Promise<boolean> =>
    server.server.context.home.dispatch.get(run).then((row) => row?.state === 'ended');
  await vi.waitUntil(ended, 30_000);
  const [listed, named, shown, exported, stranger] = await Promise.all([
    vitrine(['runs'], { cwd }),
    vitrine(['runs', '--tenant', 'acme'], { cwd }),
    vitrine(['show', run, '--tenant', 'acme'], { cwd }),
    vitrine(['export', run, '--jsonl', '--tenant', 'acme'], { cwd }),
    vitrine(['show', run], { cwd }),
  ]);
  expect(listed.error).toContain(
    'Others have runs there (1 of tenant «acme»): say whose to read, as --tenant acme.',
  );
  expect(named.out).toContain(run);
  expect(shown.out).toContain('theirs');
  expect(exported.out.split('\n')[0]).toContain('"run.started"');
  expect(stranger).toMatchObject({ code: 2, error: expect.stringContaining('--tenant acme') });
  const away = await vitrine(['runs', '--tenant', 'acme', '--server', server.url], { cwd });
  expect(away).toMatchObject({ code: 2, error: expect.stringContaining('--tenant is for what runs here') });
});

test('[V171] who owns a folder can see what waits there for others, stop it and erase it', async () => {
  const cwd = temporaryFolder();
  const data = join(cwd, '.vitrine');
  const asking = appWith(async (scope) => (await scope.ask({ title: 'Well?' })).decision, 'asking');
  const server = await serving({ data, config: { apps: { asking } }, isPrivate: true });
  const key = await keyAt(server, { tenant: 'acme' });
  const begun = await server.ask('/api/runs', { key, json: { input: { text: 'theirs' } } });
  const run = textAt(begun, 'run');
  await vi.waitUntil(async () => {
    const row = await server.server.context.home.dispatch.get(run);
    return row?.approvals === 1;
  });
  const own = await vitrine(['approvals'], { cwd });
  expect(own.error).toContain('Nothing waits for a person. Others have runs there (1 of tenant «acme»)');
  expect((await vitrine(['approvals', '--tenant', 'acme'], { cwd })).out).toContain('Well?');
  expect(await vitrine(['stop', run], { cwd })).toMatchObject({ code: 2 });
  expect(await vitrine(['stop', run, '--tenant', 'acme'], { cwd })).toMatchObject({ code: 0 });
  expect(await vitrine(['erase', run, '--yes', '--tenant', 'acme'], { cwd })).toMatchObject({ code: 0 });
  expect((await server.ask(`/api/runs/${run}`, { key })).status).toBe(404);
});

test('[V131] a conversation with a payment under way is not erased before somebody was told of it', async () => {
  const paying = Promise.withResolvers<void>();
  const pay = functionTool({
    name: 'pay',
    description: 'Pays.',
    effect: 'once',
    input: z.object({}),
    run: () => new Promise(() => paying.resolve()),
  });
  const shop = appWith(async (scope) => {
    await scope.call('pay', {}, { key: 'pay' });
    return 'paid';
  }, 'shop');
  const server = await serving({ config: { apps: { shop }, tools: [pay] } });
  const begun = await server.ask('/api/runs', { json: { input: { text: 'buy' } } });
  const path = `/api/conversations/${textAt(begun, 'conversation')}`;
  await paying.promise;
  const refused = await server.ask(path, { method: 'DELETE' });
  expect(refused).toMatchObject({ status: 409, json: { error: { code: 'rejected' } } });
  expect(refused.text).toMatch(
    /Nothing was erased yet: .*«pay» was cut off; it may or may not have happened/,
  );
  expect((await server.ask(path)).text).toContain('"status":"stopped"');
  expect((await server.ask(path, { method: 'DELETE' })).status).toBe(204);
  expect((await server.ask(path)).status).toBe(404);
});

test('[Q43] a holder that stands still is named, and a run that was given up meanwhile never starts', async () => {
  const cwd = temporaryFolder();
  const holder = start(['serve', '--port', '0'], { cwd });
  onTestFinished(() => void holder.child.kill('SIGKILL'));
  await holder.until('listens on');
  holder.child.kill('SIGSTOP');
  const waiting = start(['run', 'given up'], { cwd });
  const told = await waiting.until('does not answer');
  expect(told).toMatch(
    new RegExp(`holds the folder does not answer \\(process ${holder.child.pid} on .+ since .+\\)`),
  );
  waiting.child.kill('SIGINT');
  await waiting.ended;
  holder.child.kill('SIGCONT');
  await vitrine(['run', 'wanted'], { cwd });
  const { out } = await vitrine(['runs'], { cwd });
  expect(out).toContain('wanted');
  expect(out).not.toContain('given up');
});

test('[V134] whether a server is ready, and how many runs are damaged, can be watched for', async () => {
  const data = join(temporaryFolder(), 'data');
  const server = await serving({ data, config });
  const metrics = async (): Promise<string> => (await server.ask('/metrics')).text;
  expect(await metrics()).toContain('\nvitrine_ready 1\n');
  expect(await metrics()).toContain('\nvitrine_damaged_runs 0\n');
  const begun = await server.ask('/api/runs', { json: { input: { text: 'x' } } });
  const { dispatch } = server.server.context.home;
  await vi.waitUntil(() => dispatch.get(textAt(begun, 'run')).then((row) => row?.state === 'ended'), 30_000);
  await server.close();
  const database = new DatabaseSync(join(data, 'vitrine.db'));
  database.exec('UPDATE run SET damaged = 1');
  database.close();
  const again = await serving({ data, config });
  expect((await again.ask('/metrics')).text).toContain('\nvitrine_damaged_runs 1\n');
  renameSync(data, `${data}.aside`);
  expect((await again.ask('/metrics')).text).toContain('\nvitrine_ready 0\n');
  renameSync(`${data}.aside`, data);
});

test('[V135] what is done to a folder is not done to the one that is here when a server is meant', async () => {
  const env = { VITRINE_SERVER: 'http://127.0.0.9:1' };
  for (const words of [['verify'], ['backup', 'copy']])
    expect(await vitrine(words, { cwd: temporaryFolder(), env })).toMatchObject({
      code: 2,
      error: expect.stringContaining('say which folder with --data'),
    });
});
