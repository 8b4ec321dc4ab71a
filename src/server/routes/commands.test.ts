import { expect, test, vi } from 'vitest';
import {
  appWith,
  serving,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Answered,
  type Serving,
} from '../../../test/serving.ts';

async function waiting(at: Serving): Promise<string> {
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'x' } } }), 'run');
  await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    (answer) => textAt(answer, 'status') === 'waiting',
  );
  return run;
}

function told(at: Serving, run: string, verb: string): Promise<Answered> {
  return at.ask(`/api/runs/${run}/${verb}`, { json: {} });
}

const asks = appWith(async (scope) => (await scope.ask({ title: 'Go on?' })).decision, 'asks');

test('[V180] a request puts a command into the mailbox once; the entry it became is its receipt', async () => {
  const at = await serving({ config: { apps: { asks } } });
  const run = await waiting(at);
  const send = vi.spyOn(at.server.context.home.store.mailbox, 'send');
  const paused = await told(at, run, 'pause');
  expect([paused.status, paused.json]).toEqual([200, { run, seq: expect.any(Number), changed: true }]);
  expect((await told(at, run, 'pause')).json).toMatchObject({ changed: false });
  expect((await told(at, run, 'stop')).status).toBe(200);
  expect(send).toHaveBeenCalledTimes(3);
});

test('[V181] a run whose flow is gone is stopped at a server, too', async () => {
  const data = temporaryFolder();
  const first = await serving({ data, config: { apps: { asks } } });
  const run = await waiting(first);
  await first.close();
  const newer = { flow: { ...asks.flow, version: '2' } };
  const at = await serving({ data, config: { apps: { asks: newer } } });
  const paused = await told(at, run, 'pause');
  expect([paused.status, paused.json]).toEqual([200, { run, seq: expect.any(Number), changed: true }]);
  expect((await told(at, run, 'stop')).status).toBe(200);
  expect(textAt(await at.ask(`/api/runs/${run}`), 'status')).toBe('stopped');
});
