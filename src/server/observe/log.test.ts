import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/serving.ts';
import { cleanLog, fileLog } from './log.ts';

test('[S35] what is secret does not get into the log, however it went wrong', () => {
  const heard: unknown[] = [];
  const log = cleanLog({ error: (...told) => void heard.push(told) }, (text) => text.replaceAll('key', '…'));
  const harmless = new Error('plain');
  log.error({ run: 'r', cause: new Error('sent key', { cause: 'key' }) }, 'It broke at key.');
  log.error({ cause: harmless }, 'It broke.');
  expect(heard[0]).toEqual([{ run: 'r', cause: expect.stringContaining('sent …') }, 'It broke at ….']);
  expect(heard[1]).toEqual([{ cause: harmless }, 'It broke.']);
});

test('[S52] what a request says cannot make a second line of the log, nor colour a terminal', () => {
  const file = join(temporaryFolder(), 'log');
  const nasty = 'one\n{"at":"forged"}\r\u001b[31mred\u2028\u0007';
  fileLog(file).error({ run: nasty, cause: new Error(nasty) }, nasty);
  const lines = readFileSync(file, 'utf8').split('\n');
  expect(lines).toHaveLength(2);
  for (const sign of ['\u001b', '\r', '\u0007']) expect(lines[0]).not.toContain(sign);
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ msg: nasty, run: nasty });
});
