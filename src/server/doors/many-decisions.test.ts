import { expect, test } from 'vitest';
import { appWith, serving } from '../../../test/serving.ts';

const asks = appWith(async (scope) => (await scope.ask({ key: 'may', title: 'May I?' })).decision, 'asks');
const many = <T>(one: (question: string) => T): T[] =>
  Array.from({ length: 101 }, (_, i) => one(`run_x.a${i}~${'0'.repeat(64)}`));

test.for([
  {
    field: 'input',
    path: '/v1/responses',
    json: {
      model: 'asks',
      input: many((id) => ({ type: 'mcp_approval_response', approval_request_id: id, approve: true })),
    },
  },
  {
    field: 'resume',
    path: '/ag-ui/asks',
    json: {
      threadId: 't',
      runId: 'r',
      messages: [],
      resume: many((interruptId) => ({ interruptId, status: 'resolved', payload: { approved: true } })),
    },
  },
  {
    field: 'messages',
    path: '/ai-sdk/asks/chat',
    json: {
      id: 'c',
      messages: [
        {
          id: 'm',
          role: 'assistant',
          parts: many((id) => ({
            type: 'dynamic-tool',
            toolName: 'x',
            toolCallId: id,
            state: 'approval-responded',
            input: {},
            approval: { id, approved: true },
          })),
        },
      ],
    },
  },
  {
    field: 'decisions',
    path: '/openai/deployments/asks/chat/completions',
    json: {
      messages: [
        {
          role: 'user',
          content: '',
          custom_content: {
            form_value: { decisions: many((question) => ({ question, decision: 'approve' })) },
          },
        },
      ],
    },
  },
])('[V55] more than a hundred decisions at once are refused unseen: $path', async ({ field, path, json }) => {
  const { ask } = await serving({ config: { apps: { asks } } });
  const { status, text } = await ask(path, { json });
  expect([status, text]).toEqual([
    413,
    expect.stringContaining(`${field}: 101 questions are decided at once`),
  ]);
});

test('[V55] two decisions of Responses that come alone say nothing beside them', async () => {
  const { ask } = await serving({ config: { apps: { asks } } });
  const input = many((id) => ({ type: 'mcp_approval_response', approval_request_id: id, approve: true }));
  const { status, text } = await ask('/v1/responses', { json: { model: 'asks', input: input.slice(0, 2) } });
  expect([status, text]).toEqual([404, expect.stringContaining('There is no question')]);
});
