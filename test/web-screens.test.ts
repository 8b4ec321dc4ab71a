import { expect, test } from 'vitest';
import { ownProtocols } from '../src/projections/own-protocols.ts';
import { pageRoutes } from '../src/server/routes/page.ts';
import { addressesBelow, placeAt, type Place } from '../web/src/places.ts';
import { protocols } from '../web/src/trace/protocols.ts';

const addressOf = addressesBelow('');

const places: readonly [address: string, place: Place][] = [
  [addressOf.chat(), { screen: 'chat' }],
  [addressOf.chat('a/b c'), { screen: 'chat', conversation: 'a/b c' }],
  [addressOf.stepInChat('c', 'run_1', 7), { screen: 'chat', conversation: 'c', step: 'run_1.7' }],
  [addressOf.home, { screen: 'home' }],
  [addressOf.api, { screen: 'api' }],
  [addressOf.runs(), { screen: 'runs' }],
  [addressOf.runs('status=failed&text=a b'), { screen: 'runs', filter: 'status=failed&text=a b' }],
  [addressOf.run('run_1'), { screen: 'run', run: 'run_1' }],
  [addressOf.run('run_1', 7), { screen: 'run', run: 'run_1', step: 7 }],
  [addressOf.run('run_1', 7, 298), { screen: 'run', run: 'run_1', step: 7, at: 298 }],
  [addressOf.runCanvas('run_1'), { screen: 'run-canvas', run: 'run_1' }],
  [addressOf.runCanvas('run_1', 298), { screen: 'run-canvas', run: 'run_1', at: 298 }],
  [addressOf.workflows, { screen: 'workflows' }],
  [addressOf.workflow('change-notice'), { screen: 'workflow', name: 'change-notice' }],
  [addressOf.workflow('change-notice', 'yaml'), { screen: 'workflow', name: 'change-notice', view: 'yaml' }],
  [addressOf.approvals(), { screen: 'approvals' }],
  [addressOf.approvals('run_1.a1'), { screen: 'approvals', approval: 'run_1.a1' }],
];

test.for(places)('[W1] %s leads back to where it was copied', ([address, place]) => {
  expect(placeAt(new URL(address, 'http://app'), '')).toEqual(place);
  expect(placeAt(new URL(`/agents${address}`, 'http://app'), '/agents')).toEqual(place);
});

test('[W1] an address begins with what stands before all of them', () => {
  const below = addressesBelow('/agents');
  expect([below.chat(), below.run('run_1', 7), below.apps]).toEqual([
    '/agents/',
    '/agents/runs/run_1/steps/7',
    '/agents/apps',
  ]);
});

test('[W1] an address that is none, or is written wrongly, leads nowhere and breaks nothing', () => {
  for (const address of ['/x', '/c', '/x/y/z', '/%E0%A4%A'])
    expect(placeAt({ pathname: address, hash: '' }, '')).toEqual({ screen: 'nowhere' });
  expect(placeAt({ pathname: '/runs/r/steps/x', hash: '' }, '')).toEqual({ screen: 'run', run: 'r' });
});

test('[W1] the server answers every place of the app with the app', () => {
  const served = pageRoutes.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
  for (const [address] of places) {
    const { pathname } = new URL(address, 'http://app');
    expect(
      served.some((pattern) => pattern.test(pathname)),
      pathname,
    ).toBe(true);
  }
});

test('[W65] the frames of every protocol of the server can be looked at', () => {
  expect(protocols.toSorted()).toEqual(Object.keys(ownProtocols).toSorted());
});
