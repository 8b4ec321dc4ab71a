import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { FlatTree } from '../../src/run/flat-tree.ts';
import type { ApprovalPage, AskedApproval } from '../../src/wire/native/approvals.ts';
import { vitrine } from '../vitrine.ts';
import { eventually } from '../served-config.ts';
import { Talk } from '../talk.ts';

/** Two services that remember what they listed last, and delete the first of it. What they did is in a file. */
const config = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const service = (name) => ({
  effect: 'once',
  trusted: true,
  approval: (text) => text.startsWith('delete'),
  gateway: {
    async *takeTurn({ messages }) {
      const text = messages.at(-1).text;
      while (text.startsWith('list') && existsSync('hold')) await new Promise((go) => setTimeout(go, 10));
      const file = name + '.list';
      if (text.startsWith('list ')) writeFileSync(file, text.slice(5));
      const act = text.startsWith('delete') ? text + ': ' + readFileSync(file, 'utf8') : text;
      appendFileSync('ledger', name + ' ' + act + '\\n');
      yield [{ type: 'text.appended', text: 'did ' + act }];
    },
  },
});
const talk = {
  name: 'talk',
  version: '1',
  run: async (scope, { text }) => {
    const [, to, words] = /^@(\\w+) (.*)$/.exec(text);
    return (await scope.turn(to, { messages: [{ role: 'user', text: words }] })).text;
  },
};
export default { agents: { users: service('users'), guests: service('guests') }, apps: { talk: { flow: talk } } };
`;

async function olivia(): Promise<{ talk: Talk; run: string; first: AskedApproval }> {
  const talk = new Talk(config);
  await talk.open();
  await talk.ended(await talk.say('@users list Olivia'));
  const run = await talk.say('@users delete first');
  return { talk, run, first: await talk.asked(run, 'Olivia') };
}

test('[E120 E122 E123] an approved message never acts on what was listed since, over kill -9 and edits of a second person', async () => {
  const { talk, run, first } = await olivia();
  await talk.crash();
  expect(await talk.asked(run, 'Olivia')).toMatchObject({ id: first.id, fingerprint: first.fingerprint });
  const john = await talk.ended(await talk.say('@users list John'));
  expect(john.answer, 'nobody is held up').toBe('did list John');
  const second = await talk.asked(run, 'John');
  expect(second).toMatchObject({ insteadOf: first.id, exchange: { answered: 'did list John' } });
  await expect(talk.decide(first)).rejects.toThrow(/409.*has gone on in this conversation/s);
  await talk.crash();
  await expect(talk.decide(first)).rejects.toThrow(/409/);
  expect(talk.ledger).toEqual(['users list Olivia', 'users list John']);
  await talk.decide(await talk.asked(run, 'John'), { decision: 'edit', arguments: 'delete one' });
  const tree = await talk.ended(run);
  expect(talk.ledger.at(-1)).toBe('users delete one: John');
  expect(tree.approvals.map(({ status }) => status)).toEqual(['lapsed', 'decided']);
  expect(tree.approvals[0]?.lapsed).toContain('«users» has gone on');
});

test('[E121] what was approved while another turn was under way is asked anew, also after kill -9', async () => {
  const { talk, run, first } = await olivia();
  writeFileSync(join(talk.cwd, 'hold'), '');
  const other = await talk.say('@users list John');
  await eventually(async () => {
    const { steps } = await talk.ask<FlatTree>(`/api/runs/${other}`);
    return steps.some(({ kind, status }) => kind === 'turn' && status === 'running') || undefined;
  });
  await talk.decide(first);
  await talk.crash();
  rmSync(join(talk.cwd, 'hold'));
  // The turn that was cut off is in doubt: a person says that it did not happen.
  const doubt = await eventually(async () => {
    const { approvals } = await talk.ask<ApprovalPage>(`/api/approvals?run=${other}`);
    return approvals[0];
  });
  await talk.decide(doubt, { decision: 'reject' });
  const again = await eventually(async () => {
    const { approvals } = await talk.ask<ApprovalPage>(`/api/approvals?run=${run}`);
    return approvals.find(({ insteadOf }) => insteadOf === first.id);
  });
  expect(talk.ledger).toEqual(['users list Olivia']);
  await talk.decide(again);
  await talk.ended(run);
  expect(talk.ledger.at(-1)).toBe('users delete first: Olivia');
});

test('[E120] another agent of the conversation moves nothing, and two people decide once', async () => {
  const { talk, run, first } = await olivia();
  await talk.ended(await talk.say('@guests list John'));
  await talk.crash();
  const answers = await Promise.allSettled([
    talk.decide(first, { rationale: 'ann' }),
    talk.decide(first, { decision: 'edit', arguments: 'delete all' }),
  ]);
  expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await talk.ended(run);
  expect(talk.ledger.filter((line) => line.includes('delete'))).toEqual([
    expect.stringMatching(/^users delete (first|all): Olivia$/),
  ]);
});

test('[E120 E122] two people with keys of their own and two agents, over kill -9 and a restart: each decides once, on what they saw', async () => {
  const talk = new Talk(config.replace('export default {', 'export default { auth: { required: true },'));
  const type = (...words: readonly string[]) => vitrine([...words, '--data', 'data'], { cwd: talk.cwd });
  const keyOf = async (name: string): Promise<string> => {
    const { out, error } = await type('keys', 'create', name, '--role', 'approver');
    return /vit_[\w-]+/.exec(out + error)?.[0] ?? expect.fail(out + error);
  };
  const [ann, bea] = [await keyOf('ann'), await keyOf('bea')];
  await talk.open();
  talk.key = ann;
  for (const to of ['users', 'guests']) await talk.ended(await talk.say(`@${to} list Olivia`));
  const [run, other] = [await talk.say('@users delete first'), await talk.say('@guests delete first')];
  const [first, guests] = [await talk.asked(run, 'Olivia'), await talk.asked(other, 'Olivia')];
  await talk.crash();
  talk.key = bea;
  // She lists others at one of the two, and he decides on what he saw before.
  await talk.ended(await talk.say('@users list John'));
  const second = await talk.asked(run, 'John');
  talk.key = ann;
  await expect(talk.decide(first)).rejects.toThrow(/409/);
  await talk.restart();
  await expect(talk.decide(first)).rejects.toThrow(/409/);
  expect(talk.ledger.filter((line) => line.includes('delete'))).toEqual([]);
  const as = (key: string, body: object): Promise<unknown> => talk.decide(second, body, key);
  const both = await Promise.allSettled([
    as(ann, { rationale: 'ann' }),
    as(bea, { decision: 'edit', arguments: 'delete all' }),
  ]);
  expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  await talk.decide(guests, {}, bea);
  await Promise.all([talk.ended(run), talk.ended(other)]);
  const done = talk.ledger.filter((line) => line.includes('delete')).toSorted();
  expect(done).toEqual([
    'guests delete first: Olivia',
    expect.stringMatching(/^users delete (first|all): John$/),
  ]);
  const { approvals } = await talk.ask<FlatTree>(`/api/runs/${run}`);
  const by = both[0]?.status === 'fulfilled' ? 'ann' : 'bea';
  expect(approvals.at(-1)).toMatchObject({ status: 'decided', by });
});

test('[V52] the terminal shows what it approves, and a run alone is not enough once it was asked anew', async () => {
  const { talk, run, first } = await olivia();
  const type = (...words: readonly string[]) => vitrine([...words, '--data', 'data'], { cwd: talk.cwd });
  await talk.ended(await talk.say('@users list John'));
  const second = await talk.asked(run, 'John');
  const listed = await type('approvals');
  expect(listed.out).toContain(`◆ ${second.id}~${second.fingerprint}  users`);
  expect(listed.out).toContain('  ┊ did list John');
  const refused = [
    [run, 'has changed since it was first asked'],
    [`${second.id}~${first.fingerprint}`, 'What was shown is not what'],
    [first.id, 'cannot be decided'],
  ] as const;
  for (const [name, says] of refused) {
    const { code, error } = await type('approve', name);
    expect([code === 0, error], name).toEqual([false, expect.stringContaining(says)]);
  }
  expect(talk.ledger).toHaveLength(2);
  const approved = await type('approve', `${second.id}~${second.fingerprint}`);
  expect(approved.error).toMatch(/┊ did list John\n.*│ delete first/s);
  await talk.ended(run);
  expect(talk.ledger.at(-1)).toBe('users delete first: John');
});
