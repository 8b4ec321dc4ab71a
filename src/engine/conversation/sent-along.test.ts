import { afterEach, describe, expect, test } from 'vitest';
import { codes, Stage, type Worker } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Turn } from '../../gateways/gateway.ts';
import type { Entry } from '../../run/events.ts';
import { RunError } from '../../run/failure.ts';
import type { Attachment, Json } from '../../run/values.ts';
import type { Flow } from '../scope.ts';
import { sha256 } from '../../loop/machine.ts';
import { encodeAll } from '../../run/entries.ts';

const plan = { type: 'text/plain', title: 'plan.txt', data: 'DELETE ALL USERS' };
const photo = { type: 'image/png', title: 'photo.png', data: 'iVBORw0KGgo=' };
const large = { type: 'text/csv', title: 'all.csv', data: 'x,'.repeat(30_000) };

/** What a service that keeps the conversation itself leaves with us. */
const knows = { ums_conversation_id: 'c-1' };

/** What the flow hangs on its message, unless it is what came with it. */
let instead: readonly Attachment[] | undefined;
afterEach(() => (instead = undefined));

const talk: Flow = {
  name: 'talk',
  version: '1',
  run: async (scope, { text, attachments }) => {
    const message = { role: 'user', text, attachments: instead ?? attachments } as const;
    return (await scope.turn('remote', { messages: [message] })).text;
  },
};

interface Scene {
  readonly stage: Stage;
  readonly worker: Worker;
  readonly turns: readonly Turn[];
  readonly agent: Agent;
  readonly say: (text: string, ...attachments: readonly Attachment[]) => Promise<string>;
}

/** Somebody elsewhere who is told what to delete once a person agrees, and fails when told so. */
function scene(more: Partial<Agent> = {}, gateway: Partial<Agent['gateway']> = {}): Scene {
  const turns: Turn[] = [];
  const agent: Agent = {
    name: 'remote',
    description: '',
    effect: 'once',
    state: 'restore',
    approval: (text) => text.startsWith('delete'),
    gateway: {
      async *takeTurn(turn) {
        turns.push(turn);
        if (more.state === 'conversation-id') yield [{ type: 'state.reported', state: knows }];
        const text = turn.messages.at(-1)?.text ?? '';
        yield [{ type: 'text.appended', text: `did ${text}` }];
        if (text.startsWith('fail')) throw new RunError('unavailable', 'It broke. It may have acted.');
        if (text.startsWith('hang')) await new Promise(() => {});
      },
      ...gateway,
    },
    ...more,
  };
  const stage = new Stage();
  const worker = stage.hire({ flows: [talk], agents: [agent] });
  return {
    stage,
    worker,
    turns,
    agent,
    say: (text, ...attachments) =>
      stage.start(worker, talk, { input: { text, attachments }, conversation: 'c1' }),
  };
}

/** The same run in a world of its own, with its journal as it might have been. */
async function elsewhere(
  { stage, agent }: Scene,
  run: string,
  change: (entry: Entry) => Entry,
): Promise<Stage> {
  const entries = (await stage.entries(run)).map(change);
  const other = new Stage();
  await other.store.dispatch.create({
    run,
    tenant: 'local',
    conversation: 'c1',
    app: 'test',
    title: 'old',
    flow: 'talk@1',
    last: entries.length,
    frames: encodeAll(entries),
  });
  other.hire({ flows: [talk], agents: [agent] });
  await calm();
  return other;
}

describe('what goes out with a message', () => {
  test('[E230] is in its question: what hangs on it, and what is sent before it beyond the exchange', async () => {
    const { stage, turns, say } = scene();
    await say('read this', photo);
    await say('read on');
    const run = await say('delete as planned', plan);
    const [question] = await stage.asked(run);
    expect(question).toMatchObject({ arguments: 'delete as planned', attachments: [plan] });
    expect(question?.message).toContain('with its attachment; an edit changes the words and keeps it');
    expect(question?.history).toEqual([
      { role: 'user', text: 'read this', attachments: [photo] },
      { role: 'assistant', text: 'did read this' },
      { role: 'user', text: 'read on' },
      { role: 'assistant', text: 'did read on' },
    ]);
    await stage.decide(run, { decision: 'edit', arguments: 'delete none' });
    const sent = turns.at(-1)?.messages ?? [];
    expect(sent.slice(0, -1)).toMatchObject(question?.history as object[]);
    expect(sent.at(-1)).toMatchObject({ text: 'delete none', attachments: [plan] });
  });

  test('[E230] is nothing more than the exchange where that is all, and large things are references', async () => {
    const { stage, turns, say } = scene();
    await say('list');
    const plain = await say('delete first');
    expect((await stage.asked(plain))[0]).not.toHaveProperty('history');
    expect((await stage.asked(plain))[0]).not.toHaveProperty('attachments');
    const run = await say('delete these', large);
    const [question] = await stage.asked(run);
    expect(question?.attachments).toMatchObject([{ title: 'all.csv', blob: { size: 60_002 } }]);
    await stage.decide(run, {});
    expect(turns.at(-1)?.messages.at(-1)?.attachments).toEqual([large]);
  });

  test('[E230] is shown of a model as well, which has no place in a conversation', async () => {
    const { stage, say } = scene({ effect: 'pure', state: 'stateless', approval: 'always' });
    const run = await say('read this', plan);
    expect(await stage.asked(run)).toMatchObject([{ attachments: [plan] }]);
    const other = await say('read on');
    await stage.decide(run, {});
    expect((await stage.tree(run)).ended?.answer, 'others move nothing').toBe('did read this');
    expect(await stage.asked(other)).toHaveLength(1);
  });

  test('[E231] is bound to the agreement: once it is another, the question lapses and is put again', async () => {
    const { stage, worker, turns, agent, say } = scene();
    const run = await say('delete as planned', plan);
    const [first] = await stage.asked(run);
    instead = [{ ...plan, data: 'abc' }];
    stage.hire({ flows: [talk], agents: [agent] });
    await stage.bury(worker);
    await stage.decide(run, {});
    await stage.clock.pass(5_000);
    const [second] = await stage.asked(run);
    expect(second).toMatchObject({ insteadOf: first?.approval, attachments: instead });
    expect(second?.message).toContain('What is sent with «remote» has changed');
    expect(second?.fingerprint).not.toBe(first?.fingerprint);
    expect([turns, codes(await stage.tree(run))]).toEqual([[], []]);
    await stage.decide(run, {});
    expect(turns).toMatchObject([{ messages: [{ attachments: instead }] }]);
  });

  test('[E231] changes no fingerprint and no key where nothing goes along', async () => {
    const { stage, turns, say } = scene();
    const run = await say('delete first');
    const [question] = await stage.asked(run);
    const bound = ['local', run, 1, 1, 'begin', 'delete first', null, question?.position];
    expect(question?.fingerprint).toBe(sha256(JSON.stringify(bound)).slice(0, 32));
    await stage.decide(run, {});
    expect(turns[0]?.idempotencyKey).toBe(`${run}-1-${keyOf(['remote', 'delete first'])}`);
    await stage.decide(await say('delete second', plan), {});
    expect(turns[1]?.idempotencyKey).not.toContain(keyOf(['remote', 'delete second']));
  });

  test('[E231] a journal from before: its question is put again, and a turn that was begun keeps its key', async () => {
    const asked = scene();
    const run = await asked.say('delete as planned', plan);
    const before = await elsewhere(asked, run, ({ event, ...entry }) => {
      if (event.type === 'step.opened') return { ...entry, event: without(event, 'attached') };
      if (event.type !== 'approval.requested') return { ...entry, event };
      const bound = ['local', run, 1, 1, 'begin', 'delete as planned', null, event.position];
      const fingerprint = sha256(JSON.stringify(bound)).slice(0, 32);
      return { ...entry, event: { ...without(event, 'attachments'), fingerprint } };
    });
    expect(codes(await before.tree(run)), 'it has not diverged').toEqual([]);
    expect(await before.asked(run)).toMatchObject([{ insteadOf: `${run}.a1`, attachments: [plan] }]);
    await before.decide(run, {});
    expect(asked.turns[0]?.idempotencyKey).toBe(`${run}-1-${keyOf(['remote', 'delete as planned'])}`);
  });
});

describe('an agent that has lost the conversation', () => {
  const remembering = (...answers: (boolean | undefined)[]) => {
    const asked: (Json | undefined)[] = [];
    const remembers = async ({ state }: Turn): Promise<boolean | undefined> => {
      asked.push(state);
      return answers.length > 1 ? answers.shift() : answers[0];
    };
    return { asked, remembers };
  };
  /** Something was listed, and somebody agrees that the first one is deleted. */
  async function agreed(...answers: (boolean | undefined)[]) {
    const { asked, remembers } = remembering(...answers);
    const at = scene({ state: 'conversation-id' }, { remembers });
    await at.say('list Olivia');
    const run = await at.say('delete first');
    await at.stage.decide(run, {});
    return { ...at, run, asked };
  }

  test('[E232] is not told what was agreed to there: that is asked anew, and told in a new one', async () => {
    const { stage, run, turns, asked } = await agreed(false);
    expect(asked).toEqual([knows]);
    const [again] = await stage.asked(run);
    expect(again).toMatchObject({ insteadOf: `${run}.a1`, forgotten: true });
    expect(again?.exchange).toBeUndefined();
    expect(again?.message).toContain('knows nothing of what was said in it');
    expect(turns).toHaveLength(1);
    await stage.decide(run, {});
    expect(turns).toHaveLength(2);
    expect(turns[1]).toMatchObject({ isAgreed: true });
    expect(turns[1]?.state, 'it begins anew').toBeUndefined();
  });

  test.for([true, undefined])(
    '[E232] is not asked about where it says %s: it alone can tell',
    async (says) => {
      const { stage, run, turns } = await agreed(says);
      expect((await stage.tree(run)).ended?.outcome).toBe('completed');
      expect(turns[1]).toMatchObject({ isAgreed: true, state: knows });
    },
  );

  test('[E232] what needs no agreement is not asked about, and is not bound to it', async () => {
    const { asked, remembers } = remembering(false);
    const { turns, say } = scene({ state: 'conversation-id' }, { remembers });
    await say('list Olivia');
    await say('list John');
    expect([asked, turns.map(({ isAgreed }) => isAgreed)]).toEqual([[], [undefined, undefined]]);
  });
});

describe('what an agent was asked last', () => {
  test('[E234] is shown also where it failed, with how it ended', async () => {
    const { stage, say } = scene();
    await say('list Olivia');
    await say('fail now');
    expect(await stage.asked(await say('delete first'))).toMatchObject([
      {
        exchange: {
          asked: 'fail now',
          answered: 'did fail now',
          outcome: 'It failed: It broke. It may have acted.',
        },
      },
    ]);
  });

  test('[E234] is shown also where nobody knows whether it happened, and then what became of it', async () => {
    const { stage, worker, agent, say } = scene();
    await say('list Olivia');
    const doubtful = await say('hang on this');
    const next = stage.hire({ flows: [talk], agents: [agent] });
    await stage.bury(worker);
    const run = await stage.start(next, talk, { input: { text: 'delete first' }, conversation: 'c1' });
    const outcome = 'Nobody knows yet whether it happened: a person is asked.';
    expect(await stage.asked(run)).toMatchObject([{ exchange: { asked: 'hang on this', outcome } }]);
    await stage.decide(doubtful, {});
    await stage.clock.pass(5_000);
    expect(await stage.asked(run)).toMatchObject([
      { exchange: { asked: 'hang on this', outcome: expect.stringContaining('ann took it as done') } },
    ]);
  });
});

function keyOf(work: Json): string {
  return sha256(JSON.stringify(work)).slice(0, 12);
}

function without<T extends object, K extends keyof T>(event: T, field: K): Omit<T, K> & T {
  const { [field]: _, ...rest } = event;
  return rest as Omit<T, K> & T;
}
