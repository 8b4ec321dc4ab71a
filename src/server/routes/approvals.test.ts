import { expect, test } from 'vitest';
import type { Json } from '../../run/values.ts';
import { appWith, serving, textAt, untilAnswer, type Answered } from '../../../test/serving.ts';

/** A run that waits for a person to let a message be sent, in a conversation that is under way. */
async function asked() {
  const sent: string[] = [];
  const talk = appWith(
    async (scope, text) => (await scope.turn('users', { messages: [{ role: 'user', text }] })).text,
  );
  const users = {
    effect: 'once' as const,
    trusted: true,
    approval: (text: string) => text.startsWith('delete'),
    gateway: {
      async *takeTurn({ messages }: { readonly messages: readonly { readonly text: string }[] }) {
        const text = messages.at(-1)?.text ?? '';
        sent.push(text);
        yield [{ type: 'text.appended' as const, text: `did ${text}\u202e` }];
      },
    },
  };
  const at = await serving({ config: { apps: { talk }, agents: { users } } });
  const say = async (text: string, conversation?: string): Promise<Answered> => {
    const to = conversation === undefined ? {} : { conversation };
    return at.ask('/api/runs', { json: { input: { text }, ...to } });
  };
  const first = await say('list Olivia');
  const conversation = textAt(first, 'conversation');
  await at.ask(`/api/runs/${textAt(first, 'run')}/events`);
  const run = textAt(await say('delete the first', conversation), 'run');
  const question = async (number: number) => {
    const found = await untilAnswer(
      () => at.ask(`/api/approvals?run=${run}`),
      ({ text }) => text.includes(`${run}.a${number}`),
    );
    return {
      id: textAt(found, 'approvals', 0, 'id'),
      fingerprint: textAt(found, 'approvals', 0, 'fingerprint'),
    };
  };
  const decide = (id: string, json: Json): Promise<Answered> =>
    at.ask(`/api/approvals/${encodeURIComponent(id)}`, { json });
  return { at, sent, run, say: (text: string) => say(text, conversation), question, decide };
}

test('[V50] [V122] a decision names what was shown, and brings nothing that is not used', async () => {
  const { at, run, sent, question, decide } = await asked();
  const { id, fingerprint } = await question(1);
  const refused: readonly (readonly [Json, number, RegExp])[] = [
    [{ decision: 'approve' }, 400, /fingerprint: To approve, name the «fingerprint»/],
    [{ decision: 'edit', arguments: 'x' }, 400, /fingerprint: To edit, name the «fingerprint»/],
    [{ decision: 'approve', fingerprint: 'other' }, 409, /What was shown is not what approval/],
    [{ decision: 'reject', fingerprint: 'other' }, 409, /What was shown is not what approval/],
    [{ decision: 'approve', fingerprint, arguments: 'x' }, 400, /arguments: .* use «edit»/],
    [{ decision: 'reject', arguments: 'x' }, 400, /arguments: .* use «edit»/],
    [{ decision: 'defer', answer: 'x' }, 400, /answer: .* use «approve»/],
    [{ decision: 'approve', fingerprint, until: 5 }, 400, /until: .* use «defer»/],
    [{ decision: 'defer', until: -1 }, 400, /until: /],
    [{ decision: 'defer', until: 1e300 }, 400, /until: /],
    [{ decision: 'defer', until: 0.5 }, 400, /until: /],
    [
      { decision: 'defer', until: 1_790_000_000 },
      400,
      /until: It is over already: .* milliseconds since 1970/,
    ],
    [{ decision: 'approve', fingerprint, answer: 'x' }, 409, /takes no «answer»/],
  ];
  for (const [json, status, says] of refused) {
    const answer = await decide(id, json);
    expect([answer.status, textAt(answer, 'error', 'message')]).toEqual([
      status,
      expect.stringMatching(says),
    ]);
  }
  expect(sent).toEqual(['list Olivia']);
  expect((await decide(id, { decision: 'approve', fingerprint })).status).toBe(200);
  await at.ask(`/api/runs/${run}/events`);
  expect(sent).toEqual(['list Olivia', 'delete the first']);
  expect((await decide(id, { decision: 'approve', fingerprint: 'other' })).status).toBe(409);
});

test('[V51] the name of a question brings its fingerprint along, and consoles tell that name', async () => {
  const { at, run, sent, question, decide } = await asked();
  const { id, fingerprint } = await question(1);
  const name = `${id}~${fingerprint}`;
  expect((await at.ask(`/api/approvals/${encodeURIComponent(name)}`)).json).toMatchObject({ id });
  expect((await decide(`${id}~other`, { decision: 'approve' })).status).toBe(409);
  expect((await decide(`${id}~other`, { decision: 'approve', fingerprint })).status).toBe(409);
  expect(sent).toEqual(['list Olivia']);
  expect((await decide(name, { decision: 'approve' })).status).toBe(200);
  for (const as of ['console', 'console-dotted', 'execution']) {
    const { text } = await at.ask(`/api/runs/${run}/events?as=${as}`);
    expect(text, as).toContain(`"${name}"`);
    expect(text, as).toContain('"exchange":{"asked":"list Olivia","answered":"did list Olivia\\\\u202e"}');
    expect(text, as).toContain('"arguments":"delete the first"');
  }
});

test('[E120] [V53] a question that lapsed says why, what stands in its place, and cannot be decided', async () => {
  const { at, run, sent, say, question, decide } = await asked();
  const first = await question(1);
  await at.ask(`/api/runs/${textAt(await say('list John'), 'run')}/events`);
  const second = await question(2);
  const answer = await decide(first.id, { decision: 'approve', fingerprint: first.fingerprint });
  expect([answer.status, textAt(answer, 'error', 'message')]).toEqual([
    409,
    expect.stringMatching(/^It lapsed at .* «users» has gone on in this conversation/),
  ]);
  expect((await at.ask(`/api/approvals/${first.id}`)).json).toMatchObject({
    status: 'lapsed',
    lapsed: expect.stringContaining('has gone on'),
  });
  expect((await at.ask(`/api/approvals/${second.id}`)).json).toMatchObject({
    insteadOf: first.id,
    exchange: { asked: 'list John' },
    message: expect.stringContaining('has gone on'),
  });
  const stale = await decide(second.id, { decision: 'approve', fingerprint: first.fingerprint });
  expect(stale.status).toBe(409);
  expect(sent).toEqual(['list Olivia', 'list John']);
  expect((await decide(second.id, { decision: 'reject' })).status).toBe(200);
  for (const as of ['console', 'console-dotted', 'execution', 'entries']) {
    const { text } = await at.ask(`/api/runs/${run}/events${as === 'entries' ? '' : `?as=${as}`}`);
    expect(text, as).toContain('has gone on in this conversation');
    expect(text, as).toContain('lapsed');
  }
});
