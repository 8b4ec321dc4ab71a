// What a piped terminal makes of questions that only a person can decide, with processes that die.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../serving.ts';
import { vitrine, type Finished } from '../vitrine.ts';

/** An agent that acts once, and whose process dies while it is asked to; and a tool that asks first. */
const config = `
const gateway = {
  async *takeTurn({ messages }) {
    if (messages.at(-1).text === 'die') process.kill(process.pid, 'SIGKILL');
    yield [{ type: 'text.appended', text: 'Done: ' + messages.at(-1).text }];
  },
};
const pay = {
  name: 'pay',
  description: 'Pay.',
  schema: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] },
  effect: 'once',
  approval: 'always',
  run: async ({ amount }) => 'Paid ' + amount,
};
const talk = {
  name: 'talk',
  version: '1',
  run: async (scope, { text }) => (await scope.turn('remote', { messages: [{ role: 'user', text }] })).text,
};
const buy = {
  name: 'buy',
  version: '1',
  run: async (scope) => String((await scope.call('pay', { amount: 3 })).result),
};
export default {
  agents: { remote: { description: 'Acts.', gateway, effect: 'once' } },
  tools: [pay],
  apps: { talk: { flow: talk }, buy: { flow: buy } },
  defaultApp: 'talk',
};
`;

function folder(): (...words: string[]) => Promise<Finished> {
  const cwd = temporaryFolder();
  writeFileSync(join(cwd, 'vitrine.config.js'), config);
  writeFileSync(join(cwd, 'package.json'), '{"type":"module"}');
  return (...words) => vitrine(words, { cwd });
}

test('[V324] piped, a run that stands behind a doubt ends as one that waits, and says how to go on', async () => {
  const type = folder();
  expect((await type('run', 'die', '--conversation', 'c')).signal).toBe('SIGKILL');
  const doubt = await type('resume');
  expect([doubt.code, doubt.error]).toEqual([3, expect.stringContaining('Did «remote» happen?')]);
  const [, asked = ''] = /vitrine approve (\S+)/.exec(doubt.error) ?? [];
  const behind = await type('run', 'next', '--conversation', 'c');
  const [run = ''] = /run_\w+/.exec(behind.out) ?? [];
  expect([behind.code, behind.error]).toEqual([
    3,
    [
      `Run ${run} waits: A person must decide first (Did «remote» happen? ${asked}): until then the next turn of «remote» in this conversation waits.`,
      '  vitrine approvals',
      `  vitrine resume ${run}`,
      '',
    ].join('\n'),
  ]);
  expect((await type('approve', asked)).code).toBe(0);
  expect((await type('resume')).out).toContain('Done: next');
});

test('[V325] an edit of a question that nobody works on is taken, and says when it counts', async () => {
  const type = folder();
  const waiting = await type('run', 'buy it', '--app', 'buy');
  const [, asked = ''] = /vitrine edit (\S+)/.exec(waiting.error) ?? [];
  const edited = await type('edit', asked, '{"amount":4}');
  expect([edited.code, edited.out]).toEqual([0, expect.stringContaining('is told when it goes on')]);
  expect(edited.error).toMatch(/Go on with: vitrine resume run_\w+\n$/);
  const resumed = await type('resume');
  expect([resumed.code, resumed.out.trim().split('\n').at(-1)]).toEqual([0, 'Paid 4']);
});
