import { describe, expect, test } from 'vitest';
import { agentOf, ended, flowOf, startRun, testWorld, toolOf, until } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { Turn } from '../../gateways/gateway.ts';
import type { Json } from '../../run/values.ts';
import type { Move } from '../../gateways/scripted/script.ts';
import { Engine } from '../../../test/engine.ts';

interface Cast {
  readonly agent?: Partial<Agent>;
  /** What the agent does with a message; it repeats it and reports nothing unless said. */
  readonly script?: (turn: Turn) => Move[];
}

/** One agent that is told every line of a message in a turn of its own. */
function cast({ agent = {}, script }: Cast = {}) {
  const sent: Turn[] = [];
  const flow = flowOf(async (scope, text) => {
    for (const line of text.split('\n'))
      await scope.turn('graph', { messages: [{ role: 'user', text: line }] });
    return text;
  });
  const said = (turn: Turn): Move[] => script?.(turn) ?? [{ type: 'say', text: `re: ${lastOf(turn)}` }];
  const graph: Agent = {
    ...agentOf(
      'graph',
      (turn) => {
        sent.push(turn);
        return said(turn);
      },
      'once',
    ),
    state: 'restore',
    ...agent,
  };
  const world = testWorld({ flows: [flow], agents: [graph] });
  const engine = new Engine(world, 'w');
  const start = (text: string, conversation = 'c1') =>
    startRun(engine, flow, { input: { text }, conversation });
  const ask = async (text: string, conversation = 'c1') => {
    const { run } = await start(text, conversation);
    const tree = await ended(world.store, run);
    await engine.idle();
    expect(world.problems).toEqual([]);
    return { run, tree };
  };
  const texts = (): string[][] => sent.map(({ messages }) => messages.map(({ text }) => text));
  return { world, engine, sent, texts, start, ask };
}

function lastOf({ messages }: Turn): string {
  return messages.at(-1)?.text ?? '';
}

describe('restore', () => {
  test('[K9] an agent that takes two turns in one run has the first one in the second, and both later', async () => {
    const script = (turn: Turn): Move[] => [
      { type: 'say', text: 'noted' },
      { type: 'state.reported', state: { of: lastOf(turn) } },
    ];
    const { ask, sent } = cast({ script });
    await ask('one\ntwo');
    await ask('three');
    expect(sent.at(-1)?.messages).toEqual([
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'noted', state: { of: 'one' } },
      { role: 'user', text: 'two' },
      { role: 'assistant', text: 'noted', state: { of: 'two' } },
      { role: 'user', text: 'three' },
    ]);
    expect(sent[1]?.messages).toEqual(sent.at(-1)?.messages.slice(0, 3));
  });

  test('[K9] what a person made of a message is what comes back', async () => {
    const { ask, start, engine, world, texts } = cast({
      agent: { approval: (message) => message === 'delete all' },
    });
    const { run } = await start('delete all');
    const waiting = await until(world.store, run, (tree) => tree.approvals.size > 0);
    const [asked] = waiting.approvals.values();
    await engine.send(run, {
      type: 'decide',
      by: 'ann',
      approval: asked?.approval ?? '',
      fingerprint: asked?.fingerprint ?? '',
      decision: 'edit',
      arguments: 'delete one',
    });
    await engine.claim();
    await ended(world.store, run);
    await ask('next');
    expect(texts()).toEqual([['delete one'], ['delete one', 're: delete one', 'next']]);
  });

  test('[E70 K9 K11] an agent that changes nothing is restored as well, and its turns follow each other', async () => {
    const { ask, texts } = cast({ agent: { effect: 'pure' } });
    await Promise.all([ask('one'), ask('two')]);
    expect(texts().map(({ length }) => length)).toEqual([1, 3]);
  });

  test('[K9] a flow that sends answers along tells the whole story itself', async () => {
    const flow = flowOf(async (scope) => {
      const messages = [
        { role: 'user', text: 'a' },
        { role: 'assistant', text: 'b' },
        { role: 'user', text: 'c' },
      ] as const;
      return (await scope.turn('graph', { messages })).text;
    });
    const sent: number[] = [];
    const graph = agentOf('graph', ({ messages }) => {
      sent.push(messages.length);
      return [{ type: 'say', text: 'd' }];
    });
    const world = testWorld({ flows: [flow], agents: [{ ...graph, state: 'restore' }] });
    const engine = new Engine(world, 'w');
    for (let i = 0; i < 2; i += 1)
      await ended(world.store, (await startRun(engine, flow, { conversation: 'c1' })).run);
    expect(sent).toEqual([3, 3]);
  });

  test('[K15] at most eight exchanges come back, and it is said', async () => {
    const { ask, texts } = cast();
    for (let i = 0; i < 9; i += 1) await ask(`m${i}`);
    const { tree } = await ask('last');
    expect(texts()[8]).toHaveLength(17);
    expect(texts()[9]?.[0]).toBe('m1');
    expect(texts()[9]).toHaveLength(17);
    expect(tree.notices).toMatchObject([
      {
        code: 'HISTORY_BOUNDED',
        message: 'Earlier exchanges of graph were left out; its last 8 were sent.',
      },
    ]);
  });

  test('[K15] words and states are bounded, and the newest exchange goes along in any case', async () => {
    const script = (turn: Turn): Move[] => [
      { type: 'say', text: 'x'.repeat(Number(lastOf(turn))) },
      { type: 'state.reported', state: { note: 'y'.repeat(100_000) } },
    ];
    const { ask, sent } = cast({ script, agent: { keeps: { characters: 1_000 } } });
    for (const size of [10, 600, 600, 5_000]) await ask(String(size));
    await ask('1');
    const restored = sent.map(({ messages }) => (messages.length - 1) / 2);
    expect(restored).toEqual([0, 1, 2, 1, 1]);
    const states = cast({ script });
    for (let i = 0; i < 4; i += 1) await states.ask('10');
    expect(states.sent.at(-1)?.messages, 'two states of 100,000 characters').toHaveLength(5);
  });

  test('[K17] a turn that failed does not come back', async () => {
    const script = (turn: Turn): Move[] =>
      lastOf(turn) === 'fail'
        ? [
            { type: 'say', text: 'half' },
            { type: 'state.reported', state: { of: 'fail' } },
            { type: 'fail', code: 'unavailable', message: 'gone' },
          ]
        : [{ type: 'say', text: 'ok' }];
    const { ask, sent } = cast({ script });
    for (const text of ['one', 'fail', 'two']) await ask(text);
    expect(sent.at(-1)?.messages.map(({ text }) => text)).toEqual(['one', 'ok', 'two']);
    expect(JSON.stringify(sent.at(-1)?.messages)).not.toContain('fail');
  });
});

describe('the latest state', () => {
  test('[K11] is the one saved last, whichever run that was in, and however long others go on', async () => {
    const open = Promise.withResolvers<void>();
    const flow = flowOf(async (scope, text) => {
      await scope.turn('graph', { messages: [{ role: 'user', text }] });
      if (text !== 'around') return text;
      await scope.call('wait', {});
      return (await scope.turn('graph', { messages: [{ role: 'user', text: 'again' }] })).text;
    });
    const given: (Json | undefined)[] = [];
    const ids = ['a', 'b', 'c'].map((id) => ({ ums_conversation_id: id }));
    const graph: Agent = {
      ...agentOf('graph', ({ state }) => {
        given.push(state);
        return [{ type: 'state.reported', state: ids[given.length - 1] ?? null }];
      }),
      effect: 'once',
      state: 'conversation-id',
    };
    const wait = toolOf('wait', () => open.promise.then(() => 1));
    const world = testWorld({ flows: [flow], agents: [graph], tools: [wait] });
    const engine = new Engine(world, 'w');
    const ask = async (text: string): Promise<string> =>
      (await startRun(engine, flow, { input: { text }, conversation: 'c1' })).run;
    // Times of a run are those of its worker, a millisecond beside the store's.
    const tick = async (): Promise<void> => {
      const before = world.clock.now();
      while (world.clock.now() <= before + 10) await world.clock.settle();
    };
    const around = await ask('around');
    await until(world.store, around, ({ states }) => states.has('graph'));
    await tick();
    await ended(world.store, await ask('within'));
    await tick();
    open.resolve();
    await ended(world.store, around);
    await ended(world.store, await ask('after'));
    expect(given).toEqual([undefined, ...ids]);
  });

  test('[K10 K16] outlives the run that was given it, and goes with the last run that used it', async () => {
    const script = ({ state }: Turn): Move[] => [
      { type: 'say', text: 'ok' },
      ...(state === undefined
        ? ([{ type: 'state.reported', state: { ums_conversation_id: 'u-1' } }] as const)
        : []),
    ];
    const { ask, sent, world } = cast({ script, agent: { state: 'conversation-id' } });
    const first = await ask('one');
    const second = await ask('two');
    await world.store.dispatch.erase(first.run);
    const third = await ask('three');
    for (const { run } of [second, third]) await world.store.dispatch.erase(run);
    await ask('four');
    const id = { ums_conversation_id: 'u-1' };
    expect(sent.map(({ state }) => state)).toEqual([undefined, id, id, undefined]);
    expect(
      sent.map(({ messages }) => messages.length),
      'it has the rest itself',
    ).toEqual([1, 1, 1, 1]);
  });

  test('[K14] of a stateless agent is recorded, and never handed back', async () => {
    const script = (): Move[] => [
      { type: 'say', text: 'ok' },
      { type: 'state.reported', state: { ums_conversation_id: 'u-1' } },
    ];
    const { ask, sent } = cast({ script, agent: { state: 'stateless' } });
    const { tree } = await ask('one');
    await ask('two');
    expect(tree.states.get('graph')?.state).toEqual({ ums_conversation_id: 'u-1' });
    expect(sent.map(({ messages, state }) => [messages.length, state])).toEqual([
      [1, undefined],
      [1, undefined],
    ]);
  });
});
