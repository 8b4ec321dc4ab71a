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

test('[E222] a problem is logged with the causes behind it, and with what is in something that is no error', () => {
  const file = join(temporaryFolder(), 'log');
  const inner = new Error('no route to the shelf');
  fileLog(file).error({ cause: new Error('The order failed.', { cause: inner }) }, 'It broke.');
  fileLog(file).error({ cause: { code: 'E7' } }, 'It broke.');
  fileLog(file).error({ cause: 'plain' }, 'It broke.');
  inner.cause = inner;
  expect(() => fileLog(file).error({ cause: inner }, 'It broke.')).not.toThrow();
  const [first = '', second = '', third = ''] = readFileSync(file, 'utf8').split('\n');
  expect(JSON.parse(first).cause).toMatch(
    /^Error: The order failed\.\n {4}at [^]*\nbecause of Error: no route to the shelf\n/,
  );
  expect(JSON.parse(second).cause).toBe("{ code: 'E7' }");
  expect(JSON.parse(third).cause).toBe('plain');
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
