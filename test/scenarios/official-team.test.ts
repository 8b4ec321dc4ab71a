import { expect, test } from 'vitest';
import { decideOn, serving, temporaryFolder, textAt, untilAnswer } from '../serving.ts';
import { officialServer } from '../official/process.ts';
import { ordersIn, team, teamAnswer, teamTree } from '../official/team.ts';
import { pathsOf } from '../official/paths.ts';
import type { FlatTree } from '../../src/run/flat-tree.ts';

test('the team works as official clients are told: nested, with a question, and an order in the ledger', async () => {
  const folder = temporaryFolder();
  const at = await serving({ config: team(folder) });
  const run = textAt(await at.ask('/api/runs', { json: { input: { text: 'Frankenstein, please' } } }), 'run');
  const asked = await untilAnswer(
    () => at.ask('/api/approvals'),
    ({ text }) => text.includes('"id"'),
  );
  expect(ordersIn(folder)).toEqual([]);
  await decideOn(at, textAt(asked, 'approvals', 0, 'id'));
  const { json } = await untilAnswer(
    () => at.ask(`/api/runs/${run}`),
    ({ json: found }) => (found as FlatTree).status === 'completed',
  );
  const tree = json as FlatTree;
  expect(tree).toMatchObject({ status: 'completed', answer: teamAnswer });
  expect(pathsOf(tree.steps)).toEqual(teamTree);
  expect(ordersIn(folder)).toEqual(['{"item":"Frankenstein"}']);
});

test('it goes on in another process after a crash', async () => {
  const server = await officialServer();
  await server.crash();
  expect(await server.runs()).toEqual([]);
});
