import { expect, test } from 'vitest';
import { appWith, keyAt, serving, temporaryFolder, textAt, untilAnswer } from '../../../test/serving.ts';
import type { Gateway } from '../../gateways/gateway.ts';

test('[V66] an agent elsewhere knows a conversation of each tenant by an id of its own', async () => {
  const sent: string[] = [];
  const gateway: Gateway = {
    async *takeTurn({ conversation }) {
      sent.push(conversation);
      yield [{ type: 'text.appended', text: 'ok' }];
    },
  };
  const talk = appWith(
    async (scope, text) => (await scope.turn('remote', { messages: [{ role: 'user', text }] })).text,
    'talk',
  );
  const data = temporaryFolder();
  const at = await serving({
    data,
    config: {
      agents: { remote: { gateway, effect: 'idempotent', trusted: true } },
      apps: { talk },
      auth: { required: true },
    },
  });
  const { front } = at.server.context.home;
  for (const tenant of ['acme', 'umbra', 'local']) {
    const key = await keyAt(at, { tenant });
    const caller = { tenant, who: 'someone' };
    await front.start({
      app: 'talk',
      flow: talk.flow,
      input: { text: 'x' },
      conversation: 'shared@someone',
      caller,
    });
    const json = { input: { text: 'again' }, conversation: 'shared' };
    const path = `/api/runs/${textAt(await at.ask('/api/runs', { key, json }), 'run')}`;
    await untilAnswer(
      () => at.ask(path, { key }),
      ({ text }) => text.includes('"completed"'),
    );
  }
  const [acme, , umbra] = sent;
  expect(sent).toEqual([acme, acme, umbra, umbra, 'shared@someone', 'shared@someone']);
  expect(new Set(sent).size).toBe(3);
});
