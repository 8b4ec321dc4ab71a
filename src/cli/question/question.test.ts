import { expect, test } from 'vitest';
import type { Approval } from '../../run/tree.ts';
import type { Question } from './asking.ts';
import { render, unpainted, type Line } from '../terminal/line.ts';
import { argumentLines, isCutShort, questionLines, wholeLines } from './question.ts';
import { textEntry } from '../terminal/text-entry.ts';
import { widthOf } from '../terminal/width.ts';

const approval: Approval = {
  approval: 'r.a1',
  step: 1,
  title: 'pay\u001b[2J',
  message: 'Exactly this runs once you agree.',
  fingerprint: 'f1',
  priority: 'medium',
  allowed: ['approve', 'reject'],
  requestedAt: 0,
};
const question: Question = { approval, value: { to: 'bo\u202e', amount: 5 }, hasEditor: false };

const shown = (lines: readonly Line[], width = 60): string[] =>
  lines.map((line) => render(line, width, unpainted));

test('a question shows exactly what would run, and what can be answered', () => {
  expect(shown(questionLines(question, { at: 'choice' }, { width: 60, others: 2 }))).toEqual([
    '◆ pay\\x1b[2J (and 2 more)  r.a1',
    '  Exactly this runs once you agree.',
    '  │ {',
    '  │   "to": "bo\\u202e",',
    '  │   "amount": 5',
    '  │ }',
    '  a approve  r reject',
  ]);
});

test('[V53] a question about a message shows what its words refer to, every character of it', () => {
  const exchange = { asked: 'List users\u200b', answered: 'Olivia\nJohn\u202e' };
  const lines = shown(
    questionLines(
      { ...question, value: 'Delete the first', exchange },
      { at: 'choice' },
      { width: 60, others: 0 },
    ),
  );
  expect(lines.slice(2, -1)).toEqual([
    '  It was asked last:',
    '  ┊ List users\\u200b',
    '  and answered:',
    '  ┊ Olivia',
    '  ┊ John\\u202e',
    '  │ Delete the first',
  ]);
  const long = { value: 'x', exchange: { asked: 'x', answered: 'x\n'.repeat(40) } };
  expect([isCutShort({ value: 'x', exchange }, 60), isCutShort(long, 60)]).toEqual([false, true]);
  expect(isCutShort({ value: 'x'.repeat(2_000) }, 60)).toBe(true);
});

test('[V160] all that goes out is shown, and counts as unseen while it is cut short', () => {
  const attachments = [{ type: 'text/plain', title: 'n\u202e.txt', data: 'a\u200b\nb' }];
  const history = [{ role: 'user' as const, text: 'read', attachments }];
  const exchange = { asked: 'list', answered: '', outcome: 'It failed.' };
  const whole = { value: 'Delete', exchange, history, attachments };
  expect(shown(wholeLines(whole, 60), 60)).toEqual([
    '  It was asked last:',
    '  ┊ list',
    '  and answered:',
    '  ┊ ',
    '  How that ended:',
    '  ┊ It failed.',
    '  Sent before it:',
    '  ┊ user: read',
    '  ┊ n\\u202e.txt (text/plain, 4 characters)',
    '  ┊ a\\u200b',
    '  ┊ b',
    '  │ Delete',
    '  Sent with it, also after an edit:',
    '  ┊ n\\u202e.txt (text/plain, 4 characters)',
    '  ┊ a\\u200b',
    '  ┊ b',
  ]);
  const long = [{ type: 'text/plain', data: 'x\n'.repeat(40) }];
  expect(isCutShort(whole, 60)).toBe(false);
  expect(isCutShort({ value: 'x', attachments: long }, 60)).toBe(true);
  expect(isCutShort({ value: 'x', history: [{ role: 'user', text: 'x', attachments: long }] }, 60)).toBe(
    true,
  );
});

test('an edit is shown as it would run before it counts', () => {
  const asking = { at: 'reason', decision: 'edit', entry: textEntry(), edited: { amount: 1 } } as const;
  const lines = shown(questionLines(question, asking, { width: 60, others: 0 }));
  expect(lines).toContain('  │   "amount": 1');
  expect(lines).not.toContain('  │   "amount": 5');
});

test('a message is shown line by line as it is sent, and what cannot be seen in it is written out', () => {
  const message = 'Say "hi"\n\nto\u00a0all, and \\n is no break';
  expect(shown(argumentLines(message, 60), 60)).toEqual([
    '  │ Say "hi"',
    '  │ ',
    '  │ to\\u00a0all, and \\\\n is no break',
  ]);
  expect(shown(argumentLines('one two three', 12), 12)).toEqual(['  │ one two ', '  │ three']);
});

test('not a space of the arguments is lost, and long ones are shown on demand', () => {
  const value = {
    text: `${' '.repeat(30)}x${' '.repeat(50)}`,
    list: Array.from({ length: 40 }, (_, i) => i),
  };
  const all = shown(argumentLines(value, 40, Infinity), 40).map((line) => line.slice(4));
  expect(JSON.parse(all.join(''))).toEqual(value);
  const some = shown(argumentLines(value, 40), 40);
  expect(some.length).toBe(12);
  expect(some.at(-1)).toContain('press v');
  for (const line of some) expect(widthOf(line)).toBeLessThanOrEqual(40);
});
