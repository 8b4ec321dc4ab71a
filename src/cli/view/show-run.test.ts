import { expect, test } from 'vitest';
import { terminalFor } from '../../../test/terminal.ts';
import { Secrets } from '../../guards/secrets.ts';
import { foldAll } from '../../run/entries.ts';
import { tellAnswer } from './show-run.ts';

const secrets = new Secrets(['sk-0123456789']);

/** What somebody in front of a terminal sees of an answer. */
async function drawn(answer: string): Promise<string> {
  const out: string[] = [];
  const event = { type: 'run.ended', outcome: 'completed', answer, usage: { input: 0, output: 0 } } as const;
  const tree = foldAll([{ seq: 1, at: 0, event }]);
  const home = { server: { url: 'http://nowhere' }, clean: secrets.clean };
  await tellAnswer(home, { tree }, { ...terminalFor(out, []), isLive: true });
  return out.join('\n').trim();
}

test.for([
  { name: 'a link that says its address', text: 'it is sk-01[234](234)56789.' },
  { name: 'cells of a table', text: '| a | b |\n| --- | --- |\n| sk-01234 | 56789 |' },
  { name: 'a heading', text: 'sk-01234\n# 56789' },
  { name: 'the language of a fence', text: 'sk-01234\n```x\n56789\n```' },
])(
  '[K52] where drawing would put a secret together, an answer is shown as written: $name',
  async ({ text }) => {
    expect(secrets.clean(text)).toBe(text);
    expect(await drawn(text)).toBe(text);
  },
);

test('[K52] any other is drawn', async () => {
  expect(await drawn('**sk-01234** and [234](https://example.org)')).toBe(
    'sk-01234 and 234 (https://example.org)',
  );
});

test('[V268] of a run that was stopped is said by whom, and why', async () => {
  const error: string[] = [];
  const stop = { type: 'stop.requested', by: 'ann', reason: 'wrong\u001b customer' } as const;
  const end = { type: 'run.ended', outcome: 'stopped', usage: { input: 0, output: 0 } } as const;
  const tree = foldAll([stop, end].map((event, i) => ({ seq: i + 1, at: 0, event })));
  await tellAnswer(
    { server: { url: 'http://nowhere' }, clean: secrets.clean },
    { tree },
    terminalFor([], error),
  );
  expect(error).toEqual([expect.stringMatching(/^Stopped by ann: wrong.* customer$/)]);
  expect(error[0]).not.toContain('\u001b');
});
