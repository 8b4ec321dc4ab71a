import { TaskState, type StreamResponse } from '@a2a-js/sdk';
import { ClientFactory } from '@a2a-js/sdk/client';
import { LegacyJsonRpcTransport } from '@a2a-js/sdk/compat/v0_3/client';
import { expect, test, vi } from 'vitest';
import { artifactIn, saying, statusIn } from '../../../test/official/peer-clients.ts';
import { appWith, serving, type Serving } from '../../../test/serving.ts';
import type { AgentEvent, Gateway } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { TaskSteps } from '../../wire/a2a.ts';

const ledger: string[] = [];

const payer = appWith(async (scope, text) => {
  const found = await scope.step({ key: 'look', title: 'Look around' }, (inner) =>
    inner.step({ key: 'deep', title: 'Look deeper' }, async () => 'found'),
  );
  await scope.ask({ key: 'pay', title: 'Pay the bill', message: 'This costs 12 euros.' });
  ledger.push(text);
  return `Paid for «${text}», ${found}.`;
}, 'payer');

const endless = appWith(async (scope) => {
  await scope.ask({ key: 'first', title: 'First' });
  await scope.ask({ key: 'second', title: 'Second' });
  return 'Never.';
}, 'endless');

function at(): Promise<Serving> {
  ledger.length = 0;
  return serving({ config: { apps: { payer, endless } } });
}

function kindsOf(events: readonly StreamResponse[]): (string | undefined)[] {
  return events.map(({ payload }) => payload?.$case);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const had: T[] = [];
  for await (const item of items) had.push(item);
  return had;
}

const client = (url: string, app: string) => new ClientFactory().createFromUrl(`${url}/a2a/${app}/`);

test('[A2A1] the official client gives a task, is asked, answers and gets the answer; the steps come nested', async () => {
  const { url, ask } = await at();
  const agent = await client(url, 'payer');
  const first = await all(agent.sendMessageStream(saying('tea')));
  expect(kindsOf(first)[0]).toBe('task');
  const asked = statusIn(first);
  expect(asked?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  expect(ledger).toEqual([]);
  const task = first[0]?.payload?.$case === 'task' ? first[0].payload.value : expect.fail('no task');
  const [, fingerprint] = /approve (\S+)»/.exec(JSON.stringify(asked?.message?.parts)) ?? [];
  const then = await all(
    agent.sendMessageStream(saying(`approve ${fingerprint}`, { taskId: task.id, contextId: task.contextId })),
  );
  expect(statusIn(then)?.state).toBe(TaskState.TASK_STATE_COMPLETED);
  expect(ledger).toEqual(['tea']);
  const whole = await agent.getTask({ tenant: '', id: task.id, historyLength: undefined });
  const artifact = (name: string) =>
    whole.artifacts.find(({ artifactId }) => artifactId === name)?.parts[0]?.content;
  expect(artifact('answer')).toEqual({ $case: 'text', value: 'Paid for «tea», found.' });
  const { json } = await ask(`/api/runs/${task.id}`);
  expect(artifact('steps')).toMatchObject({ value: { steps: (json as { steps: unknown }).steps } });
});

test('[A2A2] only what was shown is approved: other words and other fingerprints decide nothing', async () => {
  const { url } = await at();
  const agent = await client(url, 'payer');
  const task = await agent.sendMessage(saying('tea'));
  const place = { taskId: 'id' in task ? task.id : '', contextId: '' };
  for (const words of ['yes', 'approve', 'approve 123', 'reject'])
    await expect(agent.sendMessage(saying(words, place)), words).rejects.toThrow(/fingerprint/);
  expect(ledger).toEqual([]);
});

test('[A2A3] a message sent twice begins one task; a task is cancelled; others are not there', async () => {
  const { url } = await at();
  const agent = await client(url, 'endless');
  const message = saying('x');
  const [one, two] = [await agent.sendMessage(message), await agent.sendMessage(message)];
  expect(one).toMatchObject({ id: (two as { id: string }).id });
  const id = (one as { id: string }).id;
  const cancelled = await agent.cancelTask({ tenant: '', id, metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  await expect(agent.cancelTask({ tenant: '', id, metadata: undefined })).rejects.toThrow(/ended/);
  const other = await client(url, 'payer');
  await expect(other.getTask({ tenant: '', id, historyLength: undefined })).rejects.toThrow(/no task/);
});

test('[PR65] a message that says nothing begins no task', async () => {
  const { url, ask } = await at();
  const agent = await client(url, 'payer');
  await expect(agent.sendMessage(saying('  '))).rejects.toThrow(/give it text, data or files/);
  expect(await ask('/api/runs')).toMatchObject({ json: { runs: [] } });
});

test('[A2A4] whoever comes back to a task gets it as it stands, and what becomes of it', async () => {
  const { url, ask } = await at();
  const agent = await client(url, 'endless');
  const task = (await agent.sendMessage(saying('x'))) as { id: string };
  const events: StreamResponse[] = [];
  const following = (async () => {
    for await (const event of agent.resubscribeTask({ tenant: '', id: task.id })) events.push(event);
  })();
  await vi.waitFor(() => expect(kindsOf(events)).toEqual(['task']));
  await following;
  await ask(`/api/runs/${task.id}/stop`, { json: {} });
});

function textIn(events: readonly StreamResponse[]): string {
  return artifactIn(events, 'answer')
    .flatMap(({ content }) => (content?.$case === 'text' ? [content.value] : []))
    .join('');
}

const said = (text: string): AgentEvent => ({ type: 'text.appended', text });

/** An app whose model goes on once its first words have arrived, and may break off before. */
async function counter(breaksOff: boolean) {
  const arrived = Promise.withResolvers<void>();
  let attempts = 0;
  const gateway: Gateway = {
    async *takeTurn() {
      attempts += 1;
      yield [said('One, ')];
      await arrived.promise;
      if (breaksOff && attempts === 1) throw new RunError('unavailable', 'It was lost.', { retryable: true });
      yield [said('two')];
      yield [said(', three.'), { type: 'turn.finished', reason: 'stop' }];
    },
  };
  const flow = appWith(
    async (scope) => (await scope.turn('model', { messages: [{ role: 'user', text: 'count' }] })).text,
    'counter',
  );
  const { url } = await serving({
    config: {
      apps: { counter: flow },
      agents: { model: { description: 'Counts.', gateway, effect: 'pure' } },
    },
  });
  return { url, arrived };
}

async function writing(breaksOff: boolean) {
  const { url, arrived } = await counter(breaksOff);
  const events: StreamResponse[] = [];
  const before: string[] = [];
  for await (const event of (await client(url, 'counter')).sendMessageStream(saying('count'))) {
    events.push(event);
    if (textIn(events) === '') continue;
    if (statusIn(events)?.state === TaskState.TASK_STATE_WORKING) before.push(textIn(events));
    arrived.resolve();
  }
  return { events, before };
}

test('[A2A40] the answer of a task comes as it is written, and is whole in the end', async () => {
  const { events, before } = await writing(false);
  expect(before[0]).toBe('One, ');
  expect(textIn(events)).toBe('One, two, three.');
  expect(statusIn(events)?.state).toBe(TaskState.TASK_STATE_COMPLETED);
});

test('[A2A40] an answer that was begun anew takes the place of what was said before', async () => {
  const { events, before } = await writing(true);
  expect(before[0]).toBe('One, ');
  expect(textIn(events)).toBe('One, two, three.');
});

test('[A2A40] of what a run says one after the other the answer is what the task has in the end', async () => {
  const words = ['I will look. ', 'Found.'];
  const gateway: Gateway = {
    async *takeTurn() {
      yield [said(words.shift() ?? ''), { type: 'turn.finished', reason: 'stop' }];
    },
  };
  const twice = appWith(async (scope) => {
    const turn = () => scope.turn('model', { messages: [{ role: 'user', text: 'go' }] });
    await turn();
    return (await turn()).text;
  }, 'twice');
  const agents = { model: { description: 'Says it.', gateway, effect: 'pure' } as const };
  const { url } = await serving({ config: { apps: { twice }, agents } });
  const agent = await client(url, 'twice');
  const events = await all(agent.sendMessageStream(saying('go')));
  expect(textIn(events)).toBe('Found.');
});

test('[A2A1] an answer that is kept beside the journal is told as it is', async () => {
  const long = 'one\n"two" '.repeat(20_000);
  const { url } = await serving({ config: { apps: { long: appWith(async () => long, 'long') } } });
  const task = await (await client(url, 'long')).sendMessage(saying('go'));
  const answers =
    'artifacts' in task ? task.artifacts.filter(({ artifactId }) => artifactId === 'answer') : [];
  expect(answers.map(({ parts }) => parts[0]?.content)).toEqual([{ $case: 'text', value: long }]);
});

test('[A2A41] steps come as they change, and what is said in them as it is said', async () => {
  const { events } = await writing(false);
  const pieces = events.flatMap(({ payload }) =>
    payload?.$case === 'artifactUpdate' &&
    payload.value.append &&
    payload.value.artifact?.artifactId === 'steps'
      ? payload.value.artifact.parts.map(({ content }) => TaskSteps.parse(content?.value))
      : [],
  );
  const words = pieces.flatMap((piece) => piece.said.map(({ text }) => text)).join('');
  expect('One, two, three.'.endsWith(words)).toBe(true);
  expect(words).toContain('two, three.');
  const [whole, ...more] = artifactIn(events, 'steps');
  expect(more).toEqual([]);
  expect(TaskSteps.parse(whole?.content?.value).steps).toMatchObject([
    { kind: 'turn', text: 'One, two, three.' },
  ]);
});

test('[A2A4] whoever comes back in the middle of an answer gets what was said, and then the rest', async () => {
  const { url, arrived } = await counter(false);
  const agent = await client(url, 'counter');
  const first: StreamResponse[] = [];
  for await (const event of agent.sendMessageStream(saying('count'))) {
    first.push(event);
    if (textIn(first) !== '') break;
  }
  const [task] = first.flatMap(({ payload }) => (payload?.$case === 'task' ? [payload.value] : []));
  const again: StreamResponse[] = [];
  for await (const event of agent.resubscribeTask({ tenant: '', id: task?.id ?? '' })) {
    again.push(event);
    if (textIn(again) === 'One, ') arrived.resolve();
  }
  expect(kindsOf(again)[0]).toBe('task');
  expect(textIn(again)).toBe('One, two, three.');
  expect(statusIn(again)?.state).toBe(TaskState.TASK_STATE_COMPLETED);
});

test('[A2A5] the official client of version 0.3 gives a task, follows it, and cancels what asks', async () => {
  const { url } = await at();
  const legacy = new LegacyJsonRpcTransport({ endpoint: `${url}/a2a/payer` });
  const events = await all(legacy.sendMessageStream(saying('tea')));
  const asked = statusIn(events);
  expect(asked?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED);
  const [task] = events.flatMap(({ payload }) => (payload?.$case === 'task' ? [payload.value] : []));
  const cancelled = await legacy.cancelTask({ tenant: '', id: task?.id ?? '', metadata: undefined });
  expect(cancelled.status?.state).toBe(TaskState.TASK_STATE_CANCELED);
  expect(ledger).toEqual([]);
});

test('[A2A5] a client of version 0.3 is understood', async () => {
  const { ask } = await at();
  const message = { kind: 'message', messageId: 'm', role: 'user', parts: [{ kind: 'text', text: 'tea' }] };
  const { json } = await ask('/a2a/payer', {
    json: { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } },
  });
  expect(json).toMatchObject({ id: 1, result: { kind: 'task', status: { state: 'input-required' } } });
  const card = await ask('/a2a/payer/.well-known/agent-card.json');
  expect(card.json).toMatchObject({ protocolVersion: '0.3.0', url: expect.stringContaining('/a2a/payer') });
});

const current = { version: '1.0', send: 'SendMessage', stream: 'SendStreamingMessage', get: 'GetTask' };
const former = { version: '0.3', send: 'message/send', stream: 'message/stream', get: 'tasks/get' };
const partly = (...parts: readonly unknown[]) => ({ message: { messageId: 'm', role: 'user', parts } });

test.for([
  ['parts.0: must be an object, not null', current, 'send', partly(null)],
  ['parts.0: must be an object, not null', current, 'stream', partly(null)],
  ['parts.1.raw: must be a text, not a number', current, 'send', partly({ text: 'a' }, { raw: 5 })],
  ['params.message.messageId: must be a text', current, 'send', { message: { messageId: {}, parts: [] } }],
  ['params.id: must be a text, not an object', current, 'get', { id: { toString: 5 } }],
  ['parts.0.file: is missing; give an object', former, 'send', partly({ kind: 'file' })],
  ['parts.0.file.bytes: must be a text', former, 'send', partly({ kind: 'file', file: { bytes: 5 } })],
  ['params.id: must be a text, not an object', former, 'get', { id: { toString: 5 } }],
] as const)('[V327] what cannot be read is told in plain words: %s', async ([says, era, asks, params]) => {
  const { ask, problems } = await at();
  const json = { jsonrpc: '2.0', id: 7, method: era[asks], params };
  const answer = await ask('/a2a/payer', { json, headers: { 'a2a-version': era.version } });
  const error = { code: -32602, message: expect.stringContaining(says) };
  expect(answer).toMatchObject({ status: 200, json: { id: 7, error } });
  expect(problems).toEqual([]);
});

test.for([
  ['1.0', 'GetExtendedAgentCard'],
  ['0.3', 'agent/getAuthenticatedExtendedCard'],
] as const)('[A2A7] %s: there is no extended card', async ([version, method]) => {
  const { ask } = await at();
  const json = { jsonrpc: '2.0', id: 1, method, params: {} };
  const answer = await ask('/a2a/payer', { json, headers: { 'a2a-version': version } });
  expect(answer.json).toMatchObject({
    error: { code: -32004, message: expect.stringContaining('no extended card') },
  });
});
