import { expect, test } from 'vitest';
import { memoryTables } from '../memory/tables.ts';
import { newRun } from '../store.contract.ts';
import { onlyDeclared } from './declared.ts';
import { needsOf, perform } from './rules.ts';
import type { SentCommand } from '../store.ts';

const sent: SentCommand = { run: 'r', id: 'c', command: { type: 'pause', by: 'ann' } };

test('[Q61] a rule sees the rows that it declared, and fails at any other', () => {
  const tables = memoryTables();
  perform({ tables, now: 1, hints: [] }, 'create', newRun('r'));
  const deskFor = (needs: ReturnType<typeof needsOf>) => ({
    tables: onlyDeclared(tables, needs),
    now: 1,
    hints: [],
  });
  expect(perform(deskFor(needsOf('send', sent)), 'send', sent)).toMatchObject({ fresh: true });
  expect(() => perform(deskFor(needsOf('get', 'r')), 'send', sent)).toThrow(
    'command of ["r","c"] was not declared: name it in its needs',
  );
  expect(() => perform(deskFor(needsOf('get', 'q')), 'get', 'r')).toThrow('run of ["r"] was not declared');
});
