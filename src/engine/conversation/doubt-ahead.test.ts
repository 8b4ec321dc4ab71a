import { describe, expect, test } from 'vitest';
import { codes, Stage, type Worker } from '../../../test/stage.ts';
import { agentOf, flowOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { coordinate } from '../../flows/coordinate/coordinate.ts';
import type { Turn } from '../../gateways/gateway.ts';
import type { RunTree } from '../../run/tree.ts';
import type { Flow } from '../scope.ts';

const user = (text: string) => ({ messages: [{ role: 'user' as const, text }] });

/** An agent whose first turn never comes back. */
function remote(): Agent {
  let turns = 0;
  return {
    name: 'remote',
    description: '',
    effect: 'once',
    gateway: {
      async *takeTurn({ messages }) {
        turns += 1;
        if (turns === 1) await new Promise(() => {});
        yield [{ type: 'text.appended', text: `re: ${messages.at(-1)?.text}` }];
      },
    },
  };
}

const talk: Flow = {
  name: 'talk',
  version: '1',
  run: async (scope, { text }) => (await scope.turn('remote', user(text))).text,
};

const say = (stage: Stage, worker: Worker, text: string) =>
  stage.start(worker, talk, { input: { text }, conversation: 'c1' });

const waits = ({ notices }: RunTree): string[] =>
  notices.filter(({ code }) => code.startsWith('WAITING')).map(({ code, message }) => `${code}: ${message}`);

describe('a turn whose outcome nobody knows', () => {
  const decide = (run: string): string =>
    `WAITING_FOR_PERSON: A person must decide first (Did «remote» happen? ${run}.a1): until then the next turn of «remote» in this conversation waits.`;

  test('[K40] is what those behind it are told of: a person must decide', async () => {
    const stage = new Stage();
    const catalog = { flows: [talk], agents: [remote()] };
    const first = stage.hire(catalog);
    const one = await say(stage, first, 'one');
    const second = stage.hire(catalog);
    await stage.bury(first);
    const two = await say(stage, second, 'two');
    expect(waits(await stage.tree(two))).toEqual([decide(one)]);
    expect(await stage.state(two)).toBe('waiting');
    await stage.decide(one, { decision: 'approve' });
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
    expect(stage.problems).toEqual([]);
  });

  test('[K40] is told to those who waited already, wherever they are parked', async () => {
    const stage = new Stage();
    const catalog = { flows: [talk], agents: [remote()] };
    const first = stage.hire(catalog);
    const one = await say(stage, first, 'one');
    const two = await say(stage, first, 'two');
    expect(codes(await stage.tree(two))).toEqual(['WAITING_FOR_TURN']);
    expect(await stage.state(two)).toBe('waiting');
    stage.hire(catalog);
    await stage.bury(first);
    expect(waits(await stage.tree(two))).toEqual([expect.stringMatching(/^WAITING_FOR_TURN/), decide(one)]);
    expect(await stage.state(two)).toBe('waiting');
    await stage.clock.pass(60_000);
    expect(waits(await stage.tree(two))).toHaveLength(2);
    await stage.decide(one, { decision: 'reject' });
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
    expect(stage.problems).toEqual([]);
  });

  test('[K40] is told once, and not any more once a person has decided', async () => {
    const stage = new Stage();
    const catalog = { flows: [talk], agents: [remote()] };
    const first = stage.hire(catalog);
    const one = await say(stage, first, 'one');
    const second = stage.hire(catalog);
    await stage.bury(first);
    const two = await say(stage, second, 'two');
    stage.hire(catalog);
    await stage.bury(second);
    expect(waits(await stage.tree(two))).toEqual([decide(one)]);
    await stage.decide(one, { decision: 'approve' });
    expect((await stage.tree(two)).ended?.answer).toBe('re: two');
    expect(waits(await stage.tree(two))).toEqual([decide(one)]);
  });

  test('[K40] is told to another branch of its own run', async () => {
    const flow = flowOf(async (scope) => {
      await scope.parallel({
        a: async (branch) => (await branch.turn('remote', user('a')).catch(() => null))?.text ?? null,
        b: async (branch) => (await branch.turn('remote', user('b'))).text,
      });
      return 'done';
    });
    const stage = new Stage();
    const catalog = { flows: [flow], agents: [remote()] };
    const first = stage.hire(catalog);
    const run = await stage.start(first, flow);
    stage.hire(catalog);
    await stage.bury(first);
    expect(waits(await stage.tree(run)).at(-1)).toBe(decide(run));
    await stage.decide(run, { decision: 'reject' });
    expect((await stage.tree(run)).ended?.answer).toBe('done');
  });

  const decisions = [
    [
      'as done',
      {},
      '[Its outcome was not recorded, and a person decided that it was done: ann took it as done.]',
    ],
    ['with an answer', { answer: 'Ada is gone.' }, 'a person decided that it was done: Ada is gone.]'],
  ] as const;
  test.for(decisions)('[K39] that a person takes %s is told to the writer', async ([, more, told]) => {
    const heard: Turn[] = [];
    const flow = coordinate({
      router: 'router',
      writer: 'writer',
      fallback: 'remote',
      agents: [{ name: 'remote', title: 'Users', description: '' }],
    });
    const agents = [
      agentOf('router', () => [{ type: 'say', text: '{"agent_name":"remote"}' }]),
      agentOf('writer', (turn) => {
        heard.push(turn);
        return [{ type: 'say', text: 'Done.' }];
      }),
      remote(),
    ];
    const stage = new Stage();
    const first = stage.hire({ flows: [flow], agents });
    const run = await stage.start(first, flow);
    stage.hire({ flows: [flow], agents });
    await stage.bury(first);
    await stage.decide(run, { decision: 'approve', ...more });
    expect((await stage.tree(run)).ended?.answer).toBe('Done.');
    expect(heard[0]?.messages.at(-1)?.text).toContain(told);
    expect(codes(await stage.tree(run))).not.toContain('AGENT_SILENT');
  });
});
