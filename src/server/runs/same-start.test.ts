import { beforeAll, describe, expect, test } from 'vitest';
import {
  appWith,
  keyIn,
  serving,
  shareServing,
  temporaryFolder,
  textAt,
  type Serving,
} from '../../../test/serving.ts';

const asks = appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks');

let at: Serving;
let ana = '';
let bo = '';
beforeAll(() =>
  shareServing(async () => {
    const data = temporaryFolder();
    ana = keyIn(data, { name: 'ana', tenant: 'acme' });
    bo = keyIn(data, { name: 'bo', tenant: 'acme' });
    at = await serving({ data, config: { apps: { asks }, auth: { required: true } } });
  }),
);

async function starts(key: string, named: string, text = 'x'): Promise<string> {
  const headers = { 'idempotency-key': named };
  return textAt(await at.ask('/api/runs', { key, headers, json: { input: { text } } }), 'run');
}

describe('[V65] an idempotency key', () => {
  test('is of the person who chose it: another gets a run of their own', async () => {
    const [first, second] = [await starts(ana, 'k'), await starts(bo, 'k')];
    expect(second).not.toBe(first);
    expect([await starts(ana, 'k'), await starts(bo, 'k')]).toEqual([first, second]);
    // Nor are they told that somebody has asked something else with it.
    await starts(ana, 'other', 'one');
    await starts(bo, 'other', 'two');
  });

  test('of a message is, too', async () => {
    const run = await starts(ana, 'talk');
    const say = (key: string) =>
      at.ask(`/api/runs/${run}/messages`, { key, headers: { 'idempotency-key': 'm' }, json: { text: 'go' } });
    const said = await Promise.all(
      [say(ana), say(bo), say(ana)].map(async (one) => textAt(await one, 'message')),
    );
    expect([said[0] === said[2], said[0] === said[1]]).toEqual([true, false]);
  });

  test('that an earlier version kept as it came gives its own person the same run', async () => {
    const { home } = at.server.context;
    const [app] = home.apps;
    if (!app) throw new Error('there is an app');
    const caller = { tenant: 'acme', who: 'ana', idempotencyKey: 'old' };
    const { flow, limits } = app;
    const { run } = await home.front.start({ app: 'asks', flow, limits, input: { text: 'x' }, caller });
    expect(await starts(ana, 'old')).toBe(run);
    expect(await starts(bo, 'old')).not.toBe(run);
  });

  test('is kept nowhere as it came', async () => {
    const run = await starts(ana, 'sk-123456789-secret');
    const { dispatch } = at.server.context.home.store;
    expect(await dispatch.find({ tenant: 'acme', idempotencyKey: 'sk-123456789-secret' })).toBeUndefined();
    expect(await starts(ana, 'sk-123456789-secret')).toBe(run);
  });
});
