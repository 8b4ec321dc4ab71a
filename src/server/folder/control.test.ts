import { expect, test, vi } from 'vitest';
import { appWith, serving } from '../../../test/serving.ts';
import { loadRun } from '../../engine/recovery/load.ts';
import { controlClient } from './control-client.ts';

const asks = appWith(async (scope) => (await scope.ask({ key: 'q', title: 'May I?' })).decision, 'asks');

test('[V60] whoever comes by the socket of a folder is its owner, whatever they call themselves', async () => {
  const { data, server } = await serving({
    config: { apps: { asks: { ...asks, approvals: 'second-person' } }, auth: { required: true } },
  });
  const { home } = server.context;
  const client = await controlClient(data);
  const begun = await client?.ask({
    type: 'start',
    app: 'asks',
    flow: 'asks@1',
    text: 'x',
    by: 'ana',
    key: 'k',
  });
  const run = begun && 'started' in begun ? begun.started.run : '';
  const treeNow = async () => {
    const row = await home.dispatch.get(run);
    return row && (await loadRun(home.journal, row)).tree;
  };
  await vi.waitFor(async () => expect((await treeNow())?.undecided).toBe(1), 60_000);
  const [{ approval = '', fingerprint = '' } = {}] = (await treeNow())?.approvals.values() ?? [];
  const command = { type: 'decide', decision: 'approve', by: 'bo', approval, fingerprint } as const;
  await client?.ask({ type: 'send', run, command });
  client?.close();
  const tree = await treeNow();
  expect([tree?.started?.who, tree?.undecided]).toEqual(['local', 1]);
  expect(tree?.notices.at(-1)).toMatchObject({ code: 'DECISION_REFUSED' });
});
