import { beforeAll, expect, test } from 'vitest';
import WebSocket from 'ws';
import { decideOn, serving, shareServing, textAt, untilAnswer, type Serving } from '../../../test/serving.ts';
import type { Flow } from '../../engine/scope.ts';
import type { Gateway } from '../../gateways/gateway.ts';

// Field by field what the workflow platform's own clients read.

interface Step {
  readonly step_id: string;
  readonly step_name: string;
  readonly status: string;
}

/** An agent whose stages get their titles in pieces. */
const gateway: Gateway = {
  async *takeTurn() {
    yield [{ type: 'stage.opened', stage: 'a', title: 'Web ' }];
    yield [{ type: 'stage.titled', stage: 'a', text: 'search' }];
    yield [{ type: 'stage.closed', stage: 'a', outcome: 'completed' }];
    yield [
      { type: 'text.appended', text: 'found' },
      { type: 'turn.finished', reason: 'stop' },
    ];
  },
};

const flow: Flow = {
  name: 'works',
  version: '1',
  async run(scope, { text }) {
    scope.plan([{ key: 'later', title: 'Later', kind: 'step' }]);
    await scope.turn('searcher', { messages: [{ role: 'user', text }] });
    await scope
      .step({ key: 'fails', title: 'Fails' }, () => Promise.reject(new Error('no')))
      .catch(() => undefined);
    await scope.ask({ key: 'q', title: 'May I?', message: 'Really?' });
    await scope.step({ key: 'later', title: 'Later' }, async (step) => step.say('x'.repeat(400)));
    return 'answer';
  },
};

let at: Serving;
beforeAll(() =>
  shareServing(async () => {
    const agents = { searcher: { description: 'd', gateway, effect: 'pure' as const } };
    at = await serving({ config: { apps: { works: { flow } }, agents } });
  }),
);

async function waiting(text: string): Promise<string> {
  const run = textAt(await at.ask('/api/runs', { json: { input: { text } } }), 'run');
  await untilAnswer(
    () => at.ask(`/api/approvals?run=${run}`),
    (answer) => answer.text.includes('May I?'),
  );
  return run;
}

async function steps(run: string): Promise<readonly Step[]> {
  const { json } = await at.ask(`/workflows/execution/${run}/steps`);
  return (json as { readonly steps: readonly Step[] }).steps;
}

const naive = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;

test('the steps of a run are listed with every field, while it works and after', async () => {
  const long = 'x'.repeat(1_000);
  const run = await waiting(long);
  const { json } = await at.ask(`/workflows/execution/${run}/steps`);
  expect(json).toEqual({
    run_id: run,
    workflow_id: 'works',
    started_at: expect.stringMatching(naive),
    completed_at: null,
    steps: expect.any(Array),
  });
  const listed = await steps(run);
  for (const step of listed)
    expect(step).toEqual({
      step_id: expect.stringMatching(/^s\d+$/),
      step_name: expect.any(String),
      step_type: expect.stringMatching(
        /^(agent|tool_call|llm_call|transform|coordinator|merge|parallel_crew)$/,
      ),
      status: expect.stringMatching(/^(pending|running|interrupted|completed|failed)$/),
      input_summary: expect.any(Object),
      output_summary: expect.any(Object),
      started_at: step.status === 'pending' ? null : expect.stringMatching(naive),
      completed_at: /pending|running|interrupted/.test(step.status) ? null : expect.stringMatching(naive),
      error: step.status === 'failed' ? expect.any(String) : null,
      metadata: expect.any(Object),
    });
  const standing = (all: readonly Step[]) => all.map(({ step_name: name, status }) => `${name}: ${status}`);
  expect(standing(listed)).toEqual(
    expect.arrayContaining([
      'Web search: completed',
      'Fails: failed',
      'May I?: interrupted',
      'Later: pending',
    ]),
  );
  expect(new Set(listed.map(({ step_id: id }) => id)).size).toBe(listed.length);
  await decideOn(at, `${run}.a1`);
  await at.ask(`/api/runs/${run}/events`);
  const after = await steps(run);
  expect(standing(after)).toEqual(expect.arrayContaining(['May I?: completed', 'Later: completed']));
  expect(after.map(({ step_id: id }) => id)).toEqual(
    expect.arrayContaining(listed.map(({ step_id: id }) => id)),
  );
  expect((await at.ask(`/workflows/execution/${run}/steps`)).json).toMatchObject({
    completed_at: expect.stringMatching(naive),
  });
  expect((await at.ask('/workflows/execution/run_nope/steps')).status).toBe(404);
});

test('a socket gets all envelopes from the start, stays open while a person is asked, and ends with the run', async () => {
  const run = await waiting('hello');
  const messages: { readonly event: string; readonly payload: { readonly status?: string } }[] = [];
  const socket = new WebSocket(`${at.url.replace('http', 'ws')}/ws/execution/${run}`);
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  const interrupted = new Promise<void>((resolve) =>
    socket.on('message', (data: Buffer) => {
      const message = JSON.parse(data.toString()) as (typeof messages)[number];
      messages.push(message);
      if (message.payload.status === 'interrupted') resolve();
    }),
  );
  await interrupted;
  for (const message of messages) {
    expect(Object.keys(message).toSorted()).toEqual(['event', 'payload', 'run_id', 'step_id', 'timestamp']);
    expect(message).toMatchObject({ run_id: run, timestamp: expect.stringMatching(naive) });
  }
  expect(messages[0]).toMatchObject({
    event: 'run_started',
    step_id: null,
    payload: { workflow_id: 'works' },
  });
  expect(messages.at(-1)).toMatchObject({
    event: 'run_completed',
    step_id: null,
    payload: {
      status: 'interrupted',
      interrupt: { title: 'May I?', message: 'Really?', allowed_decisions: ['approve', 'reject'] },
    },
  });
  expect(socket.readyState).toBe(WebSocket.OPEN);
  await decideOn(at, `${run}.a1`);
  expect(await closed).toBe(1000);
  expect(messages.at(-1)).toMatchObject({
    event: 'run_completed',
    payload: { status: 'completed', final_response: 'answer' },
  });
  const completed = messages.filter(({ event }) => event === 'step_completed');
  expect(completed.length).toBeGreaterThan(2);
  for (const { payload } of completed)
    expect(Object.keys(payload)).toEqual(['output_summary', 'output_preview']);
  const failed = messages.filter(({ event }) => event === 'step_failed');
  expect(failed.map(({ payload }) => Object.keys(payload))).toEqual([['error']]);
});
