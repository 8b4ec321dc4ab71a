import { expect, test } from 'vitest';
import { Stage, stepAt } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { flowOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { Secrets } from '../../guards/secrets.ts';
import type { Message, Turn } from '../../gateways/gateway.ts';
import { RunError } from '../../run/failure.ts';
import { promptOf, RecordedPrompt, type Prompt } from '../../run/prompt.ts';
import type { Scope } from '../scope.ts';

const user = (text: string): Message => ({ role: 'user', text });

/** An agent that notes what it is sent. */
function listening(name = 'model', fails: readonly string[] = []): { agent: Agent; heard: Turn[] } {
  const heard: Turn[] = [];
  const failing = [...fails];
  const gateway = {
    async *takeTurn(turn: Turn) {
      heard.push(turn);
      const failure = failing.shift();
      if (failure !== undefined) throw new RunError('unavailable', failure, { retryable: true });
      yield [{ type: 'text.appended', text: `answer ${heard.length}` } as const];
    },
  };
  return { agent: { name, description: name, effect: 'pure', gateway }, heard };
}

/** A thread that grows by a question and an answer with each turn. */
async function threeTurns(scope: Scope): Promise<string> {
  const messages: Message[] = [{ role: 'system', text: 'Be brief.' }];
  const tools = [{ name: 'look', description: 'Looks.', schema: { type: 'object' } }];
  for (const question of ['one', 'two', 'three']) {
    messages.push(user(question));
    const { text } = await scope.turn('model', { key: question, messages: [...messages], tools });
    messages.push({ role: 'assistant', text });
  }
  return 'done';
}

async function wholeOf(stage: Stage, run: string, key: string): Promise<Prompt | undefined> {
  const tree = await stage.tree(run);
  return promptOf(tree, stepAt(tree, key).id, (blob) => stage.store.blobs.get('local', blob));
}

test('[E210] [E211] of each turn what is new is recorded, and all of it can be put together', async () => {
  const stage = new Stage();
  const { agent, heard } = listening();
  const flow = flowOf(threeTurns);
  const worker = stage.hire({ flows: [flow], agents: [agent] });
  const run = await stage.start(worker, flow);
  const tree = await stage.tree(run);
  expect(tree.ended?.outcome).toBe('completed');
  const recorded = await stage.events(run, 'prompt.recorded');
  const [one, two] = ['one', 'two'].map((key) => stepAt(tree, key).id);
  expect(recorded.map(({ continues }) => continues)).toEqual([undefined, one, two]);
  const parts = await Promise.all(
    recorded.map(async ({ blob }) =>
      RecordedPrompt.parse(JSON.parse((await stage.store.blobs.get('local', blob.blob)) ?? '')),
    ),
  );
  expect(parts.map(({ kept, messages }) => [kept, messages.length])).toEqual([
    [0, 2],
    [2, 2],
    [4, 2],
  ]);
  expect(parts.map(({ offer }) => offer !== undefined)).toEqual([true, false, false]);
  for (const [i, key] of ['one', 'two', 'three'].entries()) {
    const whole = await wholeOf(stage, run, key);
    expect(whole?.messages).toEqual(heard[i]?.messages);
    expect(whole?.offer).toEqual({ tools: heard[i]?.tools });
  }
});

test('[E211] a thread that was cut or changed goes on from what is still the same', async () => {
  const stage = new Stage();
  const { agent, heard } = listening();
  const threads = [
    [user('a'), user('b'), user('c')],
    [user('a'), user('x')],
    [user('a'), user('x'), user('y')],
    [user('z')],
  ];
  const flow = flowOf(async (scope) => {
    for (const [i, messages] of threads.entries()) await scope.turn('model', { key: `t${i}`, messages });
    return 'done';
  });
  const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }), flow);
  for (const i of threads.keys())
    expect((await wholeOf(stage, run, `t${i}`))?.messages).toEqual(heard[i]?.messages);
  const tree = await stage.tree(run);
  expect(stepAt(tree, 't3').prompt?.continues).toBeUndefined();
});

test('[E210] the turn does not close before the journal has its prompt', async () => {
  const stage = new Stage();
  const { agent } = listening();
  const put = Promise.withResolvers<void>();
  const slow = {
    ...stage.store,
    blobs: {
      ...stage.store.blobs,
      async put(...given: Parameters<typeof stage.store.blobs.put>) {
        await put.promise;
        return stage.store.blobs.put(...given);
      },
    },
  };
  const attachments = [{ type: 'text/plain', title: 'long', data: 'x'.repeat(100_000) }];
  const messages = [{ ...user('a'), attachments }];
  const flow = flowOf(async (scope) => (await scope.turn('model', { key: 'one', messages })).text);
  const worker = stage.hire({ flows: [flow], agents: [agent] }, { store: slow });
  const run = await stage.start(worker, flow);
  expect(stepAt(await stage.tree(run), 'one').status).toBe('running');
  put.resolve();
  await calm();
  const types = (await stage.entries(run)).map(({ event }) => event.type);
  expect(types.indexOf('prompt.recorded')).toBeLessThan(types.indexOf('step.closed'));
  expect((await stage.tree(run)).ended?.outcome).toBe('completed');
});

test('[E210] what is sent again as it was is not recorded again, and after a crash it is whole', async () => {
  const stage = new Stage();
  const { agent, heard } = listening('model', ['busy']);
  const flow = flowOf(async (scope) => {
    const { text } = await scope.turn('model', { key: 'a', messages: [user('a')] });
    await scope.ask({ key: 'q', title: 'Go on?' });
    await scope.turn('model', { key: 'b', messages: [user('a'), user(text)] });
    return 'done';
  });
  const first = stage.hire({ flows: [flow], agents: [agent] });
  const run = await stage.start(first, flow);
  await stage.clock.pass(5_000);
  expect(heard.length).toBe(2);
  expect(await stage.events(run, 'prompt.recorded')).toHaveLength(1);
  stage.hire({ flows: [flow], agents: [agent] });
  await stage.bury(first);
  await stage.decide(run, {});
  expect((await stage.tree(run)).ended?.outcome).toBe('completed');
  expect((await wholeOf(stage, run, 'b'))?.messages).toEqual(heard[2]?.messages);
});

test('[E211] secrets are taken out, and a large attachment is kept beside it', async () => {
  const stage = new Stage();
  const { agent } = listening();
  const secrets = new Secrets();
  secrets.add('sk-very-secret-123456');
  const data = 'x'.repeat(50_000);
  const messages: Message[] = [
    { role: 'system', text: 'The key is sk-very-secret-123456.' },
    { ...user('look'), attachments: [{ type: 'text/plain', data }] },
  ];
  const flow = flowOf(async (scope) => (await scope.turn('model', { key: 'a', messages })).text);
  const run = await stage.start(stage.hire({ flows: [flow], agents: [agent] }, { secrets }), flow);
  const [recorded] = await stage.events(run, 'prompt.recorded');
  expect(recorded?.blob.size).toBeLessThan(5_000);
  const whole = JSON.stringify(await wholeOf(stage, run, 'a'));
  expect(whole).toContain('[redacted]');
  expect(whole).not.toContain('very-secret');
  expect(whole).toContain('"blob"');
});
