import { afterEach, describe, expect, test } from 'vitest';
import {
  chunk,
  openConversationServer,
  says,
  type ConversationServer,
} from '../../../test/conversation-server.ts';
import { Stage } from '../../../test/stage.ts';
import { sse } from '../../../test/upstream.ts';
import { flowOf } from '../../../test/world.ts';
import type { Agent } from '../../catalog/agent.ts';
import { conversationGateway } from '../../gateways/conversation/conversation.ts';
import type { ConversationSettings } from '../../gateways/conversation/service.ts';
import { textOf, type RunTree } from '../../run/tree.ts';

const text = 'Delete user 5.';
const flow = flowOf(async (scope) => {
  const { text: said, takenAsDone } = await scope.turn('ums', { messages: [{ role: 'user', text }] });
  return `It said: ${said}${takenAsDone === undefined ? '' : ` (${takenAsDone})`}`;
});

let service: ConversationServer;
afterEach(() => service.close());

interface Scene {
  readonly stage: Stage;
  readonly run: string;
  /** Lets time pass until the run has come there. */
  readonly until: (isThere: (tree: RunTree) => boolean) => Promise<RunTree>;
}

/** A worker sends the message and dies while the service is at it; another one takes over. */
async function crash(settings: Partial<ConversationSettings>, remember: () => void): Promise<Scene> {
  const gateway = conversationGateway({ baseUrl: service.url, ...settings });
  const agents: Agent[] = [
    { name: 'ums', description: '', effect: 'once', state: 'conversation-id', gateway },
  ];
  const stage = new Stage();
  const first = stage.hire({ flows: [flow], agents });
  const run = await stage.start(first, flow, { input: { text } });
  await service.chat(0);
  const until: Scene['until'] = async (isThere) => {
    for (let i = 0; i < 5_000; i += 1) {
      const tree = await stage.tree(run);
      if (isThere(tree)) return tree;
      // The service answers in real time, so virtual time must not run far ahead of it.
      await new Promise((resolve) => setTimeout(resolve, 1));
      await stage.clock.pass(10);
    }
    throw new Error('the run never came there');
  };
  await until((tree) => tree.states.has('ums') && tree.steps.get(1)?.text.content !== undefined);
  remember();
  stage.hire({ flows: [flow], agents });
  await stage.bury(first);
  return { stage, run, until };
}

const begins = () => [sse, { send: chunk({ content: 'Deleting ' }) }, 'hang' as const];
const remember = (...messages: [string, string][]): void => {
  const [history = []] = service.conversations.values();
  history.splice(0, history.length, ...messages.map(([role, content]) => ({ role, content })));
};

describe('a delegated turn in doubt', () => {
  test('[A7 E27] is sent again by itself if the history shows that it did not arrive', async () => {
    service = await openConversationServer({ records: 'before' });
    service.answer(begins, says('Deleted.'));
    const { until } = await crash({ records: 'before' }, () => remember(['user', 'Before.']));
    const tree = await until(({ ended }) => ended !== undefined);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'It said: Deleted.' });
    expect(tree.approvals.size).toBe(0);
    expect(service.chats.map(({ path }) => path)).toEqual([
      '/v1/conversations/conversation-1/chat',
      '/v1/conversations/conversation-1/chat',
    ]);
    expect(tree.steps.get(1)).toMatchObject({ attempt: 2, status: 'completed' });
  });

  test('[A7 E27] waits for a person where the service writes only when it is through', async () => {
    service = await openConversationServer();
    service.answer(begins);
    const { until } = await crash({}, () => remember(['user', 'Before.']));
    const tree = await until(({ undecided }) => undecided === 1);
    const [asked] = tree.approvals.values();
    expect(asked?.message).toContain('Approve to go on as if it was done');
    expect(asked?.message).not.toContain('history');
    expect(service.chats).toHaveLength(1);
  });

  test('[A7 E27] offers the answer that the history has, and goes on with it once a person agrees', async () => {
    service = await openConversationServer();
    service.answer(begins);
    const { stage, run, until } = await crash({}, () =>
      remember(['user', text], ['assistant', 'Deleting '], ['tool', '{}'], ['assistant', 'user 5: done.']),
    );
    const waiting = await until(({ undecided }) => undecided === 1);
    const [asked] = waiting.approvals.values();
    expect(asked?.message).toContain(
      'By its own history the agent got this message and answered: «Deleting user 5: done.» ' +
        'Approve to go on with that answer',
    );
    await stage.decide(run, { decision: 'approve' });
    const tree = await until(({ ended }) => ended !== undefined);
    expect(tree.ended).toMatchObject({ outcome: 'completed', answer: 'It said: Deleting user 5: done.' });
    expect(service.chats).toHaveLength(1);
    const looks = service.requests.filter(({ method }) => method === 'GET').length;
    expect(looks).toBe(2);
  });

  test('[E235] has that answer once, also where it does not begin with what had come, and its outcome is known', async () => {
    service = await openConversationServer();
    service.answer(begins);
    const { stage, run, until } = await crash({}, () =>
      remember(['user', text], ['assistant', 'User 5 is deleted.']),
    );
    const waiting = await until(({ undecided }) => undecided === 1);
    expect(textOf(waiting.steps.get(1) ?? expect.fail('no turn'))).toBe('User 5 is deleted.');
    await stage.decide(run, { decision: 'approve' });
    const tree = await until(({ ended }) => ended !== undefined);
    expect(tree.ended?.answer).toBe('It said: User 5 is deleted.');
    expect([tree.spent.turns, service.chats.length]).toEqual([1, 1]);
  });

  test('[A7 E27] says that the message arrived where it has no answer, and can be sent again by a person', async () => {
    service = await openConversationServer({ records: 'before' });
    service.answer(begins, says('Deleted.'));
    const { stage, run, until } = await crash({ records: 'before' }, () => undefined);
    const waiting = await until(({ undecided }) => undecided === 1);
    const [asked] = waiting.approvals.values();
    expect(asked?.message).toContain('got this message and has not answered it');
    await stage.decide(run, { decision: 'edit', arguments: 'Delete user 5, if it is there.' });
    const tree = await until(({ ended }) => ended !== undefined);
    expect(tree.ended?.answer).toBe('It said: Deleted.');
    const contents = service.chats.map(
      ({ body }) => (body as { message: { content: string } }).message.content,
    );
    expect(contents).toEqual([text, 'Delete user 5, if it is there.']);
  });

  test('[A7 E27] waits for a person when the service cannot be asked', async () => {
    service = await openConversationServer({ records: 'before' });
    service.answer(begins);
    const { until } = await crash({ records: 'before' }, () => service.conversations.clear());
    const tree = await until(({ undecided }) => undecided === 1);
    expect(tree.approvals.size).toBe(1);
    expect(service.chats).toHaveLength(1);
  });
});
