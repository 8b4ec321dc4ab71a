import { expect, test } from 'vitest';
import { Engine } from '../../../test/engine.ts';
import { ended, flowOf, startRun, testWorld, until } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import type { AgentEvent, Turn } from '../../gateways/gateway.ts';
import type { Command } from '../../run/commands.ts';
import { undecidedApprovals } from '../../run/tree.ts';

/** An agent that asks two things, then one more, and then says what it was told. */
function asker(seen: Turn[], effect: Agent['effect'] = 'once'): Agent {
  async function* takeTurn(turn: Turn): AsyncGenerator<readonly AgentEvent[]> {
    seen.push(turn);
    const { answers } = turn;
    if (answers === undefined) {
      yield [{ type: 'text.appended', text: 'Let me see.' }];
      yield [
        asking('pay', { arguments: { euros: 12 } }),
        asking('name', { schema: { type: 'string' }, token: { task: 7 } }),
        { type: 'turn.finished', reason: 'asks' },
      ];
    } else if (answers.length === 2) {
      yield [asking('sure', {}), { type: 'turn.finished', reason: 'asks' }];
    } else {
      yield [
        { type: 'text.appended', text: 'Done.' },
        { type: 'turn.finished', reason: 'stop' },
      ];
    }
  }
  return { name: 'clerk', description: 'A clerk.', gateway: { takeTurn }, effect, state: 'conversation-id' };
}

function asking(id: string, more: object): AgentEvent {
  return { type: 'question.asked', question: { id, title: `${id}?`, ...more } };
}

const flow = flowOf(
  async (scope) => (await scope.turn('clerk', { messages: [{ role: 'user', text: 'Go.' }] })).text,
);

test('[E270] what an agent asks in the middle of its work is put to a person, and it goes on with what they decided', async () => {
  const seen: Turn[] = [];
  const world = testWorld({ flows: [flow], agents: [asker(seen)] });
  const first = new Engine(world, 'first');
  const over = new AbortController();
  const working = first.work(over.signal);
  const { run } = await startRun(first, flow);
  const decided: Record<string, Partial<Command>> = {
    'pay?': { decision: 'edit', arguments: { euros: 10 } },
    'name?': { decision: 'approve', answer: 'Ann' },
    'sure?': { decision: 'reject', rationale: 'no' },
  };
  for (const [title, body] of Object.entries(decided)) {
    // Each time the flow is dropped and runs again from the top: what was asked is met again, and no turn is taken twice.
    const tree = await until(world.store, run, (now) => undecidedApprovals(now)[0]?.title === title);
    const [approval] = undecidedApprovals(tree);
    if (!approval) return expect.fail('nothing is asked');
    const { fingerprint } = approval;
    const by = 'ann';
    await first.send(run, {
      type: 'decide',
      by,
      approval: approval.approval,
      fingerprint,
      ...body,
    } as Command);
  }
  const tree = await ended(world.store, run);
  over.abort();
  await working;
  expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'Done.' });
  expect(seen.map(({ answers }) => answers)).toEqual([
    undefined,
    [
      { id: 'pay', decision: 'edit', answer: { euros: 10 } },
      { id: 'name', decision: 'approve', answer: 'Ann', token: { task: 7 } },
    ],
    [{ id: 'sure', decision: 'reject', rationale: 'no' }],
  ]);
  expect(new Set(seen.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3);
  expect([...tree.steps.values()].map(({ kind, title, status }) => `${kind} ${title} ${status}`)).toEqual([
    'run hello completed',
    'turn clerk completed',
    'ask pay? completed',
    'ask name? completed',
    'turn clerk completed',
    'ask sure? completed',
    'turn clerk completed',
  ]);
});
