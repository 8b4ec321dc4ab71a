import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ownWrites } from './commit.ts';

test('[Q45] what somebody else has written is told from what was noted, and from a touch', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-own-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'file');
  let day = 1;
  const write = (text: string): void => {
    writeFileSync(file, text);
    utimesSync(file, 0, (day += 1));
  };
  write('head one rest');
  const own = ownWrites(file, [{ at: 5, length: 3 }]);
  onTestFinished(() => own.close());
  const isForeign = (): boolean => own.isForeign(statSync(file));
  write('head two rest');
  own.note();
  expect(isForeign()).toBe(false);
  utimesSync(file, 0, (day += 1));
  expect(isForeign()).toBe(false);
  write('head oth rest');
  expect(isForeign()).toBe(true);
  own.note();
  write('head two rest');
  expect(isForeign(), 'nobody knows what was read meanwhile').toBe(true);
});
