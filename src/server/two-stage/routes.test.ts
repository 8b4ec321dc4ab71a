import { beforeAll, expect, test } from 'vitest';
import { appWith, serving, shareServing, type Serving } from '../../../test/serving.ts';

let at: Serving;

beforeAll(() =>
  shareServing(async () => {
    at = await serving({ config: { apps: { echo: appWith(async (_, text) => text, 'echo') } } });
  }),
);

test.for([
  [{}, 'toolBatchId: is missing; give a number'],
  [{ requestId: 'r' }, 'toolBatchId: is missing; give a number'],
  [{ requestId: 'r', toolBatchId: null }, 'toolBatchId: must be a number, not null'],
  [{ requestId: 'r', toolBatchId: 'first' }, 'toolBatchId: must be a number, not a text'],
] as const)('[V327] to go on after no batch is refused by name: %j', async ([json, says]) => {
  const { status, text } = await at.ask('/api/chat/messages_two_stage/resume', { json });
  expect([status, text]).toEqual([400, expect.stringContaining(says)]);
});

test.for([0, 1, '1'])('[V327] a batch is named by its number, also as a text: %j', async (toolBatchId) => {
  const json = { requestId: 'r', toolBatchId };
  expect((await at.ask('/api/chat/messages_two_stage/resume', { json })).status).toBe(404);
});
