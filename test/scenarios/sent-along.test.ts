// What a person agrees to is all that is sent, and it is sent where they agreed to it: over the wire, and over kill -9.
import { onTestFinished, expect, test } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import { chunk, openConversationServer, says, type ConversationServer } from '../conversation-server.ts';
import { eventually } from '../served-config.ts';
import { Talk } from '../talk.ts';
import { sse } from '../upstream.ts';
import { vitrine } from '../vitrine.ts';

const file = { type: 'text/plain', title: 'n.txt', data: 'DELETE ALL USERS' };

/** A service that keeps conversations, and a person who is asked before anything is deleted. */
async function open(unknown: 404 | 500 = 500): Promise<{ service: ConversationServer; talk: Talk }> {
  const service = await openConversationServer({ unknown });
  onTestFinished(() => service.close());
  const talk = new Talk(`
const talk = {
  name: 'talk',
  version: '1',
  run: async (scope, { text, attachments = [] }) =>
    (await scope.turn('users', { messages: [{ role: 'user', text, attachments }] })).text,
};
const users = {
  conversation: { baseUrl: '${service.url}' },
  trusted: true,
  approval: (text) => text.startsWith('delete'),
};
export default { agents: { users }, apps: { talk: { flow: talk } } };
`);
  await talk.open();
  return { service, talk };
}

/** What the service was told, in which conversation. */
function told({ chats }: ConversationServer): string[] {
  return chats.map(({ path, body }) => {
    const [, id] = /conversations\/([^/]+)/.exec(path) ?? [];
    return `${id}: ${(body as { message: { content: string } }).message.content}`;
  });
}

test('[E230] [E231] what hangs on a message is in its question, bound to it, and kept by an edit, over kill -9', async () => {
  const { service, talk } = await open();
  const run = await talk.say('delete as listed', file);
  const question = await talk.question(run);
  expect(question).toMatchObject({ arguments: 'delete as listed', attachments: [file] });
  expect(question.message).toContain('with its attachment; an edit changes the words and keeps it');
  await talk.crash();
  const same = await talk.question(run);
  expect(same).toEqual(question);
  await talk.decide(same, { decision: 'edit', arguments: 'delete as listed there' });
  const tree = await talk.ended(run);
  expect(told(service)).toEqual([
    'conversation-1: delete as listed there\n\nAttachment "n.txt" (text/plain):\nDELETE ALL USERS',
  ]);
  expect(tree.approvals).toMatchObject([{ status: 'decided', attachments: [file] }]);
});

test('[E230] [V160] every surface that asks shows what is sent along', async () => {
  const { talk } = await open();
  const run = await talk.say('delete as listed', file);
  const { id, fingerprint } = await talk.question(run);
  const type = (...words: readonly string[]) => vitrine([...words, '--data', 'data'], { cwd: talk.cwd });
  const shown = expect.stringMatching(
    /Sent with it, also after an edit:\n.*n\.txt \(text\/plain, 16 characters\)\n.*DELETE ALL USERS/s,
  );
  expect((await type('approvals')).out).toEqual(shown);
  expect(JSON.parse((await type('approvals', '--json')).out)).toMatchObject({ attachments: [file] });
  const told = ['n.txt (text/plain, 16 characters)\nDELETE ALL USERS'];
  for (const as of ['console', 'execution'])
    expect(await firstFrames(talk, `/api/runs/${run}/events?as=${as}`), as).toContain(
      JSON.stringify({ attachments: told }).slice(1, -1),
    );
  expect((await type('approve', `${id}~${fingerprint}`)).error).toEqual(shown);
});

test.for([404, 500] as const)(
  '[E232] [E233] what was agreed to is not sent into another conversation where the service answers %i, over kill -9',
  async (unknown) => {
    const { service, talk } = await open(unknown);
    service.answer(says('Olivia, 1'));
    await talk.ended(await talk.say('list Olivia'));
    const run = await talk.say('delete the first one');
    const first = await talk.asked(run, 'Olivia');
    service.conversations.set('of somebody else', []);
    service.conversations.delete('conversation-1');
    service.conversations.set('of another one', []);
    // It may have lapsed before the answer to the decision is written.
    await talk.decide(first).catch((refused: unknown) => expect(String(refused)).toContain('has lost'));
    await talk.crash();
    const isAnew = ({ insteadOf }: { insteadOf?: string | undefined }): boolean => insteadOf === first.id;
    const again = await talk.question(run, isAnew);
    expect(again).toMatchObject({ forgotten: true, message: expect.stringContaining('knows nothing of') });
    expect(again.exchange).toBeUndefined();
    expect(again.fingerprint).not.toBe(first.fingerprint);
    await talk.crash();
    expect(await talk.question(run, isAnew)).toEqual(again);
    expect(told(service)).toEqual(['conversation-1: list Olivia']);
    await talk.decide(again);
    const tree = await talk.ended(run);
    expect(told(service)).toEqual(['conversation-1: list Olivia', 'conversation-3: delete the first one']);
    expect(tree.approvals[0]).toMatchObject({
      status: 'lapsed',
      lapsed: expect.stringContaining('«users» has lost'),
    });
  },
);

test('[E234] what an agent was asked last is shown also where it was cut off, at every place', async () => {
  const { service, talk } = await open();
  service.answer(says('Olivia, 1'), () => [sse, { send: chunk({ content: 'Renam' }) }, 'reset']);
  await talk.ended(await talk.say('list Olivia'));
  expect(await talk.ended(await talk.say('rename the first'))).toMatchObject({ status: 'failed' });
  const { exchange } = await talk.question(await talk.say('delete it'));
  const outcome = expect.stringMatching(/^It failed: .*It may have acted on the message all the same\.$/);
  expect(exchange).toEqual({ asked: 'rename the first', answered: 'Renam', outcome });
  const { out } = await vitrine(['approvals', '--data', 'data'], { cwd: talk.cwd });
  expect(out).toMatch(/┊ rename the first\n.*┊ Renam\n.*How that ended:\n.*┊ It failed: /s);
});

test('[E235] an answer that the history has is the answer once, after kill -9', async () => {
  const { service, talk } = await open();
  service.answer(() => [sse, { send: chunk({ content: 'Listing ' }) }, 'hang']);
  const run = await talk.say('list all');
  await eventually(async () => {
    const { steps } = await talk.ask<FlatTree>(`/api/runs/${run}`);
    return steps.some(({ text }) => text === 'Listing ') || undefined;
  });
  const said = [
    { role: 'user', content: 'list all' },
    { role: 'assistant', content: 'Olivia and John.' },
  ];
  service.conversations.set('conversation-1', said);
  await talk.crash();
  await talk.decide(await talk.question(run));
  expect(await talk.ended(run)).toMatchObject({ status: 'completed', answer: 'Olivia and John.' });
  expect(service.chats).toHaveLength(1);
});

/** What a stream has told when it has asked. */
async function firstFrames({ server }: Talk, path: string): Promise<string> {
  const response = await fetch(`${server?.url}${path}`, { signal: AbortSignal.timeout(20_000) });
  let frames = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    frames += piece;
    if (frames.includes('delete as listed') && frames.includes('approval')) break;
  }
  return frames;
}
