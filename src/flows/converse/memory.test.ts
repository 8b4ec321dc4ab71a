import { describe, expect, test } from 'vitest';
import { answerOf, ask, policies, resultsIn, say, stepsOf } from '../../../test/conversation.ts';
import { startRun, testWorld, toolOf, treeOf } from '../../../test/world.ts';
import { Engine } from '../../../test/engine.ts';
import type { Turn } from '../../gateways/gateway.ts';
import type { Move } from '../../gateways/scripted/script.ts';
import { scriptedGateway } from '../../gateways/scripted/scripted.ts';
import type { RunTree } from '../../run/tree.ts';
import { memoryStore } from '../../stores/memory.ts';
import type { Tool } from '../../tools/tool.ts';
import { converse } from './converse.ts';
import { systemClock } from '../../loop/machine.ts';

/** A conversation of several runs with one engine, whose clock can be moved. */
function conversation(tools: readonly Tool[], model: (turn: Turn) => readonly Move[]) {
  const turns: Turn[] = [];
  const gateway = scriptedGateway((turn) => {
    turns.push(turn);
    return model(turn);
  });
  const agents = [{ name: 'model', description: '', gateway, effect: 'pure' as const }];
  const flow = converse({ agent: 'model', system: 'Be exact.', tools });
  let shift = 0;
  const now = (): number => Date.now() + shift;
  const clock = { ...systemClock, now };
  const world = testWorld({ flows: [flow], agents, tools }, { policies, clock, store: memoryStore({ now }) });
  const engine = new Engine(world, 'w1');
  return {
    turns,
    pass: (milliseconds: number) => void (shift += milliseconds),
    put: async (text: string): Promise<RunTree> => {
      const { run } = await startRun(engine, flow, { conversation: 'talk', input: { text } });
      await engine.idle();
      expect(world.problems).toEqual([]);
      return treeOf(world.store, run);
    },
  };
}

function lastUser({ messages }: Turn): string {
  return messages.findLast(({ role }) => role === 'user')?.text ?? '';
}

/** Looks once, or writes if told so, and then answers. */
function looking(turn: Turn): readonly Move[] {
  if (!turn.tools || resultsIn(turn.messages) > 0) return [say(`Answer to ${lastUser(turn)}.`)];
  return [lastUser(turn).startsWith('write') ? ask('write', { text: lastUser(turn) }) : ask('look', {})];
}

function toolsThatRemember() {
  let looks = 0;
  const tools = [
    toolOf('look', () => (looks += 1), { remembers: 60_000 }),
    toolOf('write', () => 'written', { effect: 'idempotent', remembers: 60_000 }),
  ];
  return { tools, looks: () => looks };
}

function lookOf(tree: RunTree): unknown {
  const [step] = stepsOf(tree, 'call');
  return [step?.status, step?.result];
}

describe('a conversation of several runs', () => {
  test('[C46] the model is sent what was asked and answered before', async () => {
    const { turns, put } = conversation([], looking);
    await put('one');
    const tree = await put('two');
    expect(answerOf(tree)).toBe('Answer to two.');
    expect(turns[1]?.messages.map(({ role, text }) => `${role}: ${text}`)).toEqual([
      'system: Be exact.',
      'user: one',
      'assistant: Answer to one.',
      'user: two',
    ]);
  });

  test('[C39] what a tool lets others remember is used again in a later run, shown as such', async () => {
    const { tools, looks } = toolsThatRemember();
    const { put } = conversation(tools, looking);
    const first = await put('one');
    const second = await put('two');
    expect(lookOf(first)).toEqual(['completed', 1]);
    expect(lookOf(second)).toEqual(['reused', 1]);
    expect(looks()).toBe(1);
    expect(second.notices).toMatchObject([{ code: 'OUTCOME_REMEMBERED' }]);
    expect(answerOf(second)).toBe('Answer to two.');
  });

  test('[C39] it is no duplicate: it costs a cycle, and only asking again in the same run is one', async () => {
    const { tools, looks } = toolsThatRemember();
    const { put } = conversation(tools, (turn) => (turn.tools ? [ask('look', {})] : [say('Enough.')]));
    await put('one');
    const second = await put('two');
    expect(
      stepsOf(second, 'call').map(({ status, reusedFrom }) => [status, reusedFrom !== undefined]),
    ).toEqual([
      ['reused', false],
      ['reused', true],
      ['reused', true],
      ['reused', true],
    ]);
    expect(looks()).toBe(1);
  });

  test('[C39] it is not used when it is too old', async () => {
    const { tools, looks } = toolsThatRemember();
    const { put, pass } = conversation(tools, looking);
    await put('one');
    pass(60_001);
    expect(lookOf(await put('two'))).toEqual(['completed', 2]);
    expect(looks()).toBe(2);
  });

  test('[C39] using it again makes it no younger', async () => {
    const { tools } = toolsThatRemember();
    const { put, pass } = conversation(tools, looking);
    await put('one');
    pass(40_000);
    expect(lookOf(await put('two'))).toEqual(['reused', 1]);
    pass(40_000);
    expect(lookOf(await put('three'))).toEqual(['completed', 2]);
  });

  test('[C39] it is not used after something was written in the conversation', async () => {
    const { tools } = toolsThatRemember();
    const { put } = conversation(tools, looking);
    await put('one');
    await put('write this');
    expect(lookOf(await put('three'))).toEqual(['completed', 2]);
    expect(lookOf(await put('four'))).toEqual(['reused', 2]);
  });

  test('[C39] what writes is not remembered: whoever asks again wants it done again', async () => {
    const { tools } = toolsThatRemember();
    const { put } = conversation(tools, looking);
    await put('write this');
    expect(lookOf(await put('write this'))).toEqual(['completed', 'written']);
  });

  test('[C39] a tool that says nothing is asked again', async () => {
    let looks = 0;
    const { put } = conversation([toolOf('look', () => (looks += 1))], looking);
    await put('one');
    await put('two');
    expect(looks).toBe(2);
  });
});
