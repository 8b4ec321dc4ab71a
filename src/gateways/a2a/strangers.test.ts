// An agent of A2A made with the official SDK, odd and hostile: what its gateway makes of it.
import { TaskState } from '@a2a-js/sdk';
import { expect, test } from 'vitest';
import { openA2aAgent } from '../../../test/a2a-agent.ts';
import { type Failure, RunError } from '../../run/failure.ts';
import { stopped } from '../../run/stopped.ts';
import type { Json } from '../../run/values.ts';
import { textPart } from '../../wire/a2a.ts';
import type { AgentEvent, AgentQuestion, Turn } from '../gateway.ts';
import { a2aGateway } from './a2a.ts';

const mebi = 1024 * 1024;
const turn: Turn = { messages: [{ role: 'user', text: 'hi' }], idempotencyKey: 'k', conversation: 'c' };

interface Heard {
  readonly events: readonly AgentEvent[];
  readonly failure: Failure | undefined;
}

async function hear(url: string, given: Turn = turn, heard = (): void => undefined): Promise<Heard> {
  const events: AgentEvent[] = [];
  const { signal } = new AbortController();
  try {
    for await (const some of a2aGateway({ name: 'clerk', url }, mebi).takeTurn(given, signal)) {
      events.push(...some);
      if (some.some(({ type }) => type === 'text.appended')) heard();
    }
    return { events, failure: undefined };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { events, failure: error.failure };
  }
}

function textIn({ events }: Heard): string {
  return events.map((event) => (event.type === 'text.appended' && !event.channel ? event.text : '')).join('');
}

function questionsIn({ events }: Heard): AgentQuestion[] {
  return events.flatMap((event) => (event.type === 'question.asked' ? [event.question] : []));
}

function answering(question: AgentQuestion | undefined, answer: Json): Turn {
  const { id = '', token } = question ?? {};
  return {
    ...turn,
    idempotencyKey: crypto.randomUUID(),
    answers: [{ id, decision: 'approve', answer, token: token ?? null }],
  };
}

const { TASK_STATE_COMPLETED: completed, TASK_STATE_INPUT_REQUIRED: asks } = TaskState;

test('[PR35] a stream that is cut is taken up again: nothing is told twice, and nothing is missing', async () => {
  const [heard, subscribed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const agent = await openA2aAgent({
    async works({ artifact, status, cut }) {
      artifact('text', [textPart('One, ')]);
      await heard.promise;
      cut();
      await subscribed.promise;
      artifact('text', [textPart('two, ')], true);
      artifact('text', [textPart('One, two, three.')]);
      status(completed);
    },
    subscribed: () => subscribed.resolve(),
  });
  const all = await hear(agent.url, turn, heard.resolve);
  expect(all.failure).toBeUndefined();
  expect(textIn(all)).toBe('One, two, three.');
  expect(agent.asked).toEqual(['SendStreamingMessage', 'SubscribeToTask']);
});

test('[PR35] one that ended while nobody listened is asked for', async () => {
  const heard = Promise.withResolvers<void>();
  const agent = await openA2aAgent({
    async works({ artifact, status, cut }) {
      artifact('text', [textPart('All ')]);
      await heard.promise;
      cut();
      artifact('text', [textPart('of it.')], true);
      status(completed);
    },
  });
  const all = await hear(agent.url, turn, heard.resolve);
  expect(all.failure).toBeUndefined();
  expect(textIn(all)).toBe('All of it.');
  expect(agent.asked).toEqual(['SendStreamingMessage', 'SubscribeToTask', 'GetTask']);
});

test('[PR36] what asks twice is asked twice, and each answer goes to the same task', async () => {
  const said: string[] = [];
  const agent = await openA2aAgent({
    async works({ status, text, message }) {
      said.push(text);
      if (message < 2) status(asks, message === 0 ? 'Which one?' : 'How many?');
      else status(completed, 'Done.');
    },
  });
  const first = await hear(agent.url);
  expect(questionsIn(first)).toMatchObject([{ message: 'Which one?' }]);
  const second = await hear(agent.url, answering(questionsIn(first)[0], 'the red one'));
  expect(questionsIn(second)).toMatchObject([{ message: 'How many?' }]);
  const third = await hear(agent.url, answering(questionsIn(second)[0], '3'));
  expect(textIn(third)).toBe('Done.');
  expect(said).toEqual(['hi', 'the red one', '3']);
});

test('[PR37] an answer to a task that is over fails with what the agent says of it', async () => {
  const agent = await openA2aAgent({
    async works({ status, message }) {
      status(message === 0 ? asks : completed, 'Well?');
    },
  });
  const [question] = questionsIn(await hear(agent.url));
  await hear(agent.url, answering(question, 'yes'));
  const late = await hear(agent.url, answering(question, 'yes, again'));
  expect(late.failure).toMatchObject({
    code: 'rejected',
    message: expect.stringMatching(/^Agent clerk refused .*terminal state/),
  });
});

test('[PR38] an agent that refuses to be cancelled and goes on is not taken for one that stopped', async () => {
  const leaving = Promise.withResolvers<void>();
  const agent = await openA2aAgent({
    cancels: false,
    works: async ({ status }) => {
      status(TaskState.TASK_STATE_WORKING, 'Busy.');
      await leaving.promise;
    },
  });
  const gateway = a2aGateway({ name: 'clerk', url: agent.url });
  const away = new AbortController();
  const telling = gateway.takeTurn(turn, away.signal);
  const told = telling[Symbol.asyncIterator]();
  await told.next();
  const token = await telling.token?.();
  const { signal } = new AbortController();
  await expect(gateway.cancel?.(token ?? null, signal)).rejects.toThrow('Agent clerk goes on');
  away.abort(stopped);
  leaving.resolve();
});

test('[PR39] a stop before the agent has said anything waits for the name of its task', async () => {
  const [arrived, goes] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const agent = await openA2aAgent({
    before: async () => {
      arrived.resolve();
      await goes.promise;
    },
    works: async () => undefined,
  });
  const gateway = a2aGateway({ name: 'clerk', url: agent.url });
  const away = new AbortController();
  const telling = gateway.takeTurn(turn, away.signal);
  void telling[Symbol.asyncIterator]()
    .next()
    .catch(() => undefined);
  await arrived.promise;
  away.abort(stopped);
  const token = telling.token?.();
  goes.resolve();
  expect(await token).toMatchObject({ task: expect.any(String) });
});

test('[PR40] an answer without end is cut off, and fails as too large', async () => {
  const agent = await openA2aAgent({
    async works({ artifact, status }) {
      const piece = [textPart('x'.repeat(mebi / 4))];
      for (let i = 0; i < 5; i += 1) artifact('text', piece, i > 0);
      status(completed);
    },
  });
  const heard = await hear(agent.url);
  expect(heard.failure).toMatchObject({ code: 'too-large' });
});

test('[PR41] what comes after the end of a task changes nothing, and parts nobody knows cost only themselves', async () => {
  const agent = await openA2aAgent({
    async works({ artifact, status }) {
      artifact('odd', [{ ...textPart(''), content: undefined }, textPart('Said.')]);
      status(completed);
      status(TaskState.TASK_STATE_WORKING, 'Still here.');
      artifact('odd', [textPart('And more.')], true);
    },
  });
  const heard = await hear(agent.url);
  expect(heard.failure).toBeUndefined();
  expect(textIn(heard)).toBe('Said.');
});
