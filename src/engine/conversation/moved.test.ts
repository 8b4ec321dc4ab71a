import { describe, expect, test } from 'vitest';
import { codes, Stage, stepAt, type Worker } from '../../../test/stage.ts';
import { calm } from '../../../test/virtual-clock.ts';
import { toolOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Flow } from '../scope.ts';
import { sha256 } from '../../loop/machine.ts';
import { encodeAll } from '../../run/entries.ts';

/** Keeps a list for each conversation, and deletes the first of what it listed last. */
function users(name = 'users', more: Partial<Agent> = {}) {
  const listed = new Map<string, string>();
  const done: string[] = [];
  let hold: Promise<void> | undefined;
  const agent: Agent = {
    name,
    description: '',
    effect: 'once',
    approval: (text) => text.startsWith('delete'),
    gateway: {
      async *takeTurn({ messages, conversation }) {
        const text = messages.at(-1)?.text ?? '';
        await hold;
        if (text.startsWith('list ')) listed.set(conversation ?? '', text.slice(5));
        const act = text.startsWith('delete')
          ? `${text}: ${listed.get(conversation ?? '') ?? 'nobody'}`
          : text;
        done.push(act);
        yield [{ type: 'text.appended', text: `did ${act}` }];
      },
    },
    ...more,
  };
  const holdUp = (): (() => void) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    hold = promise;
    return () => {
      hold = undefined;
      resolve();
    };
  };
  return { agent, done, holdUp };
}

const talk: Flow = {
  name: 'talk',
  version: '1',
  run: async (scope, { text }) => {
    const [, to = 'users', words = text] = /^@(\w+) (.*)$/.exec(text) ?? [];
    return (await scope.turn(to, { messages: [{ role: 'user', text: words }] })).text;
  },
};

function say(stage: Stage, worker: Worker, text: string) {
  return stage.start(worker, talk, { input: { text }, conversation: 'c1' });
}

/** Olivia is listed, and somebody is asked whether the first one may be deleted. */
async function asked(more: Partial<Agent> = {}) {
  const actor = users('users', more);
  const stage = new Stage();
  const catalog = { flows: [talk], agents: [actor.agent] };
  const worker = stage.hire(catalog);
  await say(stage, worker, 'list Olivia');
  const run = await say(stage, worker, 'delete first');
  return { ...actor, stage, worker, run, catalog };
}

const olivia = { asked: 'list Olivia', answered: 'did list Olivia' };
const john = { asked: 'list John', answered: 'did list John' };

describe('an approval of a turn', () => {
  test('[E123] shows what its words refer to', async () => {
    const { stage, run, done } = await asked();
    expect(await stage.asked(run)).toMatchObject([{ exchange: olivia }]);
    await stage.decide(run, {});
    expect(done).toEqual(['list Olivia', 'delete first: Olivia']);
  });

  test('[E120 E122] lapses once the conversation has moved, and is asked anew as things stand', async () => {
    const { stage, worker, run, done } = await asked();
    const [before] = await stage.asked(run);
    const other = await say(stage, worker, 'list John');
    expect((await stage.tree(other)).ended?.answer).toBe('did list John');
    const [now, ...more] = await stage.asked(run);
    expect(more).toEqual([]);
    expect(now).toMatchObject({ exchange: john, insteadOf: before?.approval });
    expect(now?.message).toContain('has gone on in this conversation');
    expect(now?.fingerprint).not.toBe(before?.fingerprint);
    expect(await stage.events(run, 'approval.lapsed')).toMatchObject([
      { approval: before?.approval, reason: expect.stringContaining('«users» has gone on') },
    ]);
    expect(await stage.state(run)).toBe('waiting');
    await stage.decide(run, { approval: before?.approval ?? '' });
    expect(codes(await stage.tree(run))).toEqual(['LATE_DECISION']);
    expect(done).toEqual(['list Olivia', 'list John']);
    await stage.decide(run, {});
    expect(done.at(-1)).toBe('delete first: John');
    expect([(await stage.tree(run)).ended?.outcome, stage.problems]).toEqual(['completed', []]);
  });

  test.for(['approve', 'edit'] as const)(
    '[E121] lapses also where %s came while another turn was under way',
    async (decision) => {
      const { stage, worker, run, done, holdUp } = await asked();
      const letGo = holdUp();
      await say(stage, worker, 'list John');
      await stage.decide(run, { decision, ...(decision === 'edit' ? { arguments: 'delete now' } : {}) });
      expect((await stage.tree(run)).approvals.get(`${run}.a1`)?.decided).toMatchObject({ decision });
      letGo();
      await stage.clock.pass(5_000);
      expect(done).toEqual(['list Olivia', 'list John']);
      const tree = await stage.tree(run);
      expect(tree.approvals.get(`${run}.a1`)).toMatchObject({ lapsedBecause: expect.any(String) });
      expect(await stage.asked(run)).toMatchObject([{ arguments: 'delete first', exchange: john }]);
      await stage.decide(run, {});
      await stage.clock.pass(5_000);
      expect(done.at(-1)).toBe('delete first: John');
    },
  );

  test('[E121] a no stands, wherever the agent is', async () => {
    const { stage, worker, run, done, holdUp } = await asked();
    const letGo = holdUp();
    await say(stage, worker, 'list John');
    await stage.decide(run, { decision: 'reject' });
    letGo();
    await stage.clock.pass(5_000);
    expect(done).toEqual(['list Olivia', 'list John']);
    expect((await stage.tree(run)).ended?.outcome).toBe('failed');
  });

  test('[E121] lapses also where the one that moved died before it could tell', async () => {
    const actor = users();
    const stage = new Stage();
    const catalog = { flows: [talk], agents: [actor.agent] };
    const first = stage.hire(catalog);
    await say(stage, first, 'list Olivia');
    const run = await say(stage, first, 'delete first');
    await first.quit();
    const mute = {
      ...stage.store,
      mailbox: { ...stage.store.mailbox, send: () => new Promise<never>(() => {}) },
    };
    const second = stage.hire(catalog, { store: mute });
    await say(stage, second, 'list John');
    expect(await stage.asked(run)).toMatchObject([{ exchange: olivia }]);
    second.die();
    await stage.clock.pass(20_000);
    stage.hire(catalog);
    await calm();
    await stage.decide(run, {});
    await stage.clock.pass(5_000);
    expect(actor.done).toEqual(['list Olivia', 'list John']);
    expect(await stage.asked(run)).toMatchObject([{ exchange: john, insteadOf: `${run}.a1` }]);
    await stage.decide(run, {});
    await stage.clock.pass(5_000);
    expect(actor.done.at(-1)).toBe('delete first: John');
  });

  test('[E121] holds over a crash as long as nothing has moved, and not longer', async () => {
    const { stage, worker, run, done, catalog } = await asked();
    await stage.bury(worker);
    const second = stage.hire(catalog);
    await calm();
    expect(await stage.asked(run)).toMatchObject([{ approval: `${run}.a1`, exchange: olivia }]);
    await say(stage, second, 'list John');
    await stage.bury(second);
    stage.hire(catalog);
    await calm();
    expect(await stage.asked(run)).toMatchObject([{ approval: `${run}.a2`, exchange: john }]);
    await stage.decide(run, {});
    await stage.clock.pass(5_000);
    expect(done).toEqual(['list Olivia', 'list John', 'delete first: John']);
  });

  test('[E120] knows other conversations, other agents and other tenants apart', async () => {
    const [one, two] = [users('users'), users('others')];
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [one.agent, two.agent] });
    await say(stage, worker, 'list Olivia');
    const run = await say(stage, worker, 'delete first');
    await say(stage, worker, '@others list John');
    await stage.start(worker, talk, { input: { text: 'list John' }, conversation: 'c2' });
    await stage.start(worker, talk, {
      input: { text: 'hello' },
      conversation: 'c1',
      caller: { tenant: 'other', who: 'eve' },
    });
    expect(await stage.events(run, 'approval.lapsed')).toEqual([]);
    await stage.decide(run, {});
    expect(one.done.at(-1)).toBe('delete first: Olivia');
    expect((await stage.tree(run)).approvals.size).toBe(1);
  });

  test('[E120] two questions to one agent: the second is asked anew once the first has run', async () => {
    const { stage, worker, run, done } = await asked();
    const other = await say(stage, worker, 'delete second');
    await Promise.all([stage.decide(run, { by: 'ann' }), stage.decide(other, { by: 'bob' })]);
    await stage.clock.pass(5_000);
    expect(done).toHaveLength(2);
    const [left] = [...(await stage.asked(run)), ...(await stage.asked(other))];
    expect(left?.exchange).toMatchObject({ answered: expect.stringMatching(/did delete/) });
    for (const each of [run, other]) if ((await stage.asked(each)).length > 0) await stage.decide(each, {});
    await stage.clock.pass(5_000);
    expect(done).toHaveLength(3);
  });

  test('[E120] branches of one run move the conversation for each other', async () => {
    const both: Flow = {
      name: 'both',
      version: '1',
      run: async (scope) => {
        const turn = (text: string) => async (inner: typeof scope) =>
          (await inner.turn('users', { messages: [{ role: 'user', text }] })).text;
        await scope.parallel({ one: turn('list Olivia'), two: turn('delete first') });
        return 'done';
      },
    };
    const { agent, done } = users();
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [both], agents: [agent] }), both, {});
    await stage.clock.pass(5_000);
    expect(done).toEqual(['list Olivia']);
    expect(await stage.asked(run)).toMatchObject([{ exchange: olivia }]);
    await stage.decide(run, {});
    await stage.clock.pass(5_000);
    expect(done.at(-1)).toBe('delete first: Olivia');
  });

  test('[E120] asked before positions were recorded is asked anew', async () => {
    const { stage, run, worker, done, catalog } = await asked();
    await worker.quit();
    const entries = await stage.entries(run);
    const old = new Stage();
    // As they were made then: of tenant, run, step, attempt, purpose and bytes.
    const bound = ['local', run, 1, 1, 'begin', 'delete first', null];
    const fingerprint = sha256(JSON.stringify(bound)).slice(0, 32);
    const before = entries.map(({ event, ...entry }) => {
      if (event.type !== 'approval.requested') return { ...entry, event };
      const { position: _, exchange: __, ...rest } = event;
      return { ...entry, event: { ...rest, fingerprint } };
    });
    await old.store.dispatch.create({
      run,
      tenant: 'local',
      conversation: 'c1',
      app: 'test',
      title: 'old',
      flow: 'talk@1',
      last: before.length,
      frames: encodeAll(before),
    });
    old.hire(catalog);
    await calm();
    const waiting = await old.asked(run);
    expect(waiting).toMatchObject([{ approval: `${run}.a2`, insteadOf: `${run}.a1` }]);
    await old.decide(run, {});
    expect(done.at(-1)).toBe('delete first: Olivia');
  });

  test('[E123] of a flow that sends answers along shows those', async () => {
    const flow: Flow = {
      name: 'history',
      version: '1',
      run: async (scope) => {
        const messages = [
          { role: 'user', text: 'who?' },
          { role: 'assistant', text: 'Ada' },
          { role: 'user', text: 'delete her' },
        ] as const;
        return (await scope.turn('users', { messages })).text;
      },
    };
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [users().agent] }), flow, {});
    expect(await stage.asked(run)).toMatchObject([{ exchange: { asked: 'who?', answered: 'Ada' } }]);
  });

  test('[E123 E7] keeps a large exchange beside the journal', async () => {
    const actor = users();
    const stage = new Stage();
    const worker = stage.hire({ flows: [talk], agents: [actor.agent] });
    await say(stage, worker, `list ${'x'.repeat(40_000)}`);
    const run = await say(stage, worker, 'delete first');
    const [question] = await stage.asked(run);
    expect(question?.exchange).toMatchObject({
      asked: { blob: expect.any(String), size: 40_007 },
      answered: { blob: expect.any(String) },
    });
  });

  test('[E127] whose flow comes back with another text than was asked has diverged', async () => {
    const actor = users();
    let words = 'delete first';
    const flow: Flow = {
      name: 'fickle',
      version: '1',
      run: async (scope) => (await scope.turn('users', { messages: [{ role: 'user', text: words }] })).text,
    };
    const stage = new Stage();
    const run = await stage.start(stage.hire({ flows: [flow], agents: [actor.agent] }), flow, {});
    words = 'delete everything';
    await stage.decide(run, {});
    expect(actor.done).toEqual([]);
    expect(codes(await stage.tree(run))).toEqual(['FLOW_DIVERGED']);
  });
});

describe('a decision', () => {
  const pay = (paid: unknown[]) =>
    toolOf('pay', (input) => ({ receipt: paid.push(input) }), { effect: 'once', approval: 'always' });
  const paying: Flow = {
    name: 'paying',
    version: '1',
    run: async (scope) => (await scope.call('pay', { amount: 5 })).outcome,
  };

  async function payment() {
    const paid: unknown[] = [];
    const stage = new Stage();
    const catalog = { flows: [paying], tools: [pay(paid)] };
    const worker = stage.hire(catalog);
    const run = await stage.start(worker, paying, {});
    return { paid, stage, run, worker, catalog };
  }

  const refused = [
    ['an approval without a fingerprint', { fingerprint: undefined }, 'name the «fingerprint»'],
    [
      'an edit without a fingerprint',
      { decision: 'edit', arguments: { amount: 6 }, fingerprint: undefined },
      'name the «fingerprint»',
    ],
    ['an approval with another fingerprint', { fingerprint: 'other' }, 'something other'],
    ['an approval with arguments', { arguments: { amount: 6 } }, 'use «edit»'],
    ['a rejection with arguments', { decision: 'reject', arguments: { amount: 6 } }, 'use «edit»'],
    ['a rejection with an answer', { decision: 'reject', answer: 1 }, 'use «approve»'],
    ['an approval with a time', { until: 5 }, 'use «defer»'],
    ['an answer where nothing can be filled in', { answer: 1 }, 'takes no «answer»'],
  ] as const;

  test.for(refused)('[E124 E125] %s decides nothing, and is told so', async ([, decision, says]) => {
    const { stage, run, paid } = await payment();
    await stage.decide(run, decision);
    const { notices, undecided } = await stage.tree(run);
    expect(notices).toMatchObject([{ code: 'DECISION_REFUSED', message: expect.stringContaining(says) }]);
    expect([undecided, paid]).toEqual([1, []]);
  });

  test('[E126] [S39] with arguments that look like a reference runs exactly those, also after a crash', async () => {
    const edited = { blob: 'a'.repeat(64), size: 3, preview: 'harmless' };
    const paid: unknown[] = [];
    const stage = new Stage();
    const stuck = toolOf('pay', () => new Promise<never>(() => {}), { effect: 'once', approval: 'always' });
    const first = stage.hire({ flows: [paying], tools: [stuck] });
    const run = await stage.start(first, paying, {});
    await stage.decide(run, { decision: 'edit', arguments: edited });
    const [decided] = await stage.events(run, 'approval.decided');
    expect(decided?.arguments).toMatchObject({ blob: sha256(JSON.stringify(edited)) });
    expect(stepAt(await stage.tree(run), 'call1').call?.arguments).toEqual(decided?.arguments);
    await stage.bury(first);
    stage.hire({ flows: [paying], tools: [pay(paid)] });
    await calm();
    const [doubt] = await stage.asked(run);
    expect(doubt).toMatchObject({ title: 'Did «pay» happen?', arguments: decided?.arguments });
    await stage.decide(run, { decision: 'edit', arguments: edited });
    expect(paid).toEqual([edited]);
  });
});
