import { describe, expect, test } from 'vitest';
import {
  appWith,
  keyIn,
  serving,
  temporaryFolder,
  textAt,
  untilAnswer,
  type Serving,
} from '../../../test/serving.ts';
import { ownConversation } from './own-conversation.ts';

const apps = {
  remembers: appWith(async (scope, text) => {
    const earlier = (await scope.history()).map((exchange) => exchange.text);
    return [...earlier, text].join(', ');
  }),
};

interface Told {
  readonly conversation: string;
  readonly answer: string;
}

/** Ask in a conversation, and wait for the answer. */
async function ask(at: Serving, text: string, named: { conversation: string; key?: string }): Promise<Told> {
  const { conversation, key } = named;
  const as = key === undefined ? {} : { key };
  const started = await at.ask('/api/runs', { json: { input: { text }, conversation }, ...as });
  const run = textAt(started, 'run');
  const ended = await untilAnswer(
    () => at.ask(`/api/runs/${run}`, as),
    (answer) => textAt(answer, 'status') === 'completed',
  );
  return { conversation: textAt(started, 'conversation'), answer: textAt(ended, 'answer') };
}

describe('a conversation with a name of one’s own', () => {
  test('[K47] begins with the first message and goes on with the next, as in a folder', async () => {
    const at = await serving({ config: { apps, defaultApp: 'remembers' } });
    expect(await ask(at, 'one', { conversation: 'mine' })).toEqual({ conversation: 'mine', answer: 'one' });
    expect((await ask(at, 'two', { conversation: 'mine' })).answer).toBe('one, two');
    expect((await at.ask('/api/conversations/mine')).json).toMatchObject({ conversation: 'mine' });
    await at.close();
  });

  test('[K47] is that of one person of one tenant', async () => {
    const data = temporaryFolder();
    const [ann, ben] = [keyIn(data, { name: 'ann' }), keyIn(data, { name: 'ben' })];
    const eve = keyIn(data, { name: 'ann', tenant: 'elsewhere' });
    const at = await serving({ data, config: { apps, defaultApp: 'remembers', auth: { required: true } } });
    const said = await Promise.all(
      [ann, ben, eve].map((key, i) => ask(at, `hello ${i}`, { conversation: 'mine', key })),
    );
    expect(said.map(({ answer }) => answer)).toEqual(['hello 0', 'hello 1', 'hello 2']);
    expect(said.map(({ conversation }) => conversation)).toEqual(['mine@ann', 'mine@ben', 'mine@ann']);
    expect((await ask(at, 'again', { conversation: 'mine', key: ann })).answer).toBe('hello 0, again');
    const listed = await at.ask('/api/runs?conversation=mine', { key: ann });
    expect(listed.json).toMatchObject({ runs: [{ conversation: 'mine@ann' }, { conversation: 'mine@ann' }] });
    // In full it is anybody's of the tenant, once it is there.
    const told = await ask(at, 'and I', { conversation: 'mine@ann', key: ben });
    expect(told.answer).toBe('hello 0, again, and I');
    const none = { json: { input: { text: 'x' }, conversation: 'other@ann' }, key: ben };
    expect(textAt(await at.ask('/api/runs', none), 'error', 'message')).toBe(
      'There is no conversation «other@ann».',
    );
    const history = await at.ask('/api/conversations/mine', { key: ben });
    expect(history.json).toMatchObject({ conversation: 'mine@ben', exchanges: [{ text: 'hello 1' }] });
  });
});

test('[V120] nobody begins a conversation under the name of another, whatever their names are', async () => {
  const data = temporaryFolder();
  const [ben, mail] = [keyIn(data, { name: 'b' }), keyIn(data, { name: 'a@b' })];
  const at = await serving({ data, config: { apps, defaultApp: 'remembers', auth: { required: true } } });
  const taken = { json: { input: { text: 'trap' }, conversation: 'mine@a@b' }, key: ben };
  expect(textAt(await at.ask('/api/runs', taken), 'error', 'message')).toBe(
    'There is no conversation «mine@a@b».',
  );
  const first = await ask(at, 'hello', { conversation: 'mine', key: mail });
  expect(first).toEqual({ conversation: 'mine@a@b', answer: 'hello' });
  expect((await ask(at, 'again', { conversation: 'mine@a@b', key: mail })).answer).toBe('hello, again');
});

test('[K47] an id that Vitrine made is never begun by naming it', () => {
  const ann = { tenant: 't', who: 'ann', role: 'member' } as const;
  expect(ownConversation(ann, 'conversation_1')).toEqual({ id: 'conversation_1', mayBegin: false });
  expect(ownConversation(ann, 'mine@ann')).toEqual({ id: 'mine@ann', mayBegin: true });
  const local = { tenant: 'local', who: 'local' } as const;
  expect(ownConversation({ ...local, role: 'operator' }, 'mine').id).toBe('mine');
  expect(ownConversation({ ...local, role: 'member' }, 'mine').id).toBe('mine@local');
});
