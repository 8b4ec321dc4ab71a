import { expect, test } from 'vitest';
import { homeOptions, jsonOption, type CliCommand } from './command.ts';
import { helpOf, overview } from './help.ts';
import { nearest } from './nearest.ts';
import { parse } from './parse.ts';

const command: CliCommand = {
  name: 'run',
  usage: '"<text>" [options]',
  summary: 'run an app',
  options: { ...jsonOption, ...homeOptions },
  words: [1, 1],
  run: () => Promise.resolve(0),
};

test('words and options are told apart', () => {
  const given = parse(command, ['--json', 'hello', '--data', 'x']);
  expect(given?.words).toEqual(['hello']);
  expect(given?.flag('json')).toBe(true);
  expect(given?.text('data')).toBe('x');
  expect(given?.text('config')).toBeUndefined();
  expect(parse(command, ['--', '--json'])?.words).toEqual(['--json']);
});

test.for([
  ['an option that is not known', ['x', '--jsno'], 'vitrine run has no option --jsno: did you mean --json?'],
  ['an option far from any', ['x', '--frobnicate'], 'has no option --frobnicate: see vitrine run --help'],
  ['a value that is missing', ['x', '--data'], '--data needs a value: --data <folder>.'],
  ['a value that is not wanted', ['x', '--json=1'], '--json takes no value; leave out «1».'],
  ['too few words', [], 'vitrine run needs more: vitrine run "<text>" [options]'],
  ['too many words', ['x', 'y'], 'does not know what to do with «y»'],
] as const)('%s is answered with what to type instead', ([, typed, sentence]) => {
  expect(() => parse(command, typed)).toThrow(sentence);
});

test('whoever asks for help gets it, whatever else they typed', () => {
  expect(parse(command, ['--help'])).toBeUndefined();
  expect(parse(command, ['x', 'y', '-h'])).toBeUndefined();
  expect(helpOf(command)).toContain('--data <folder>');
  expect(overview([command])).toContain('run "<text>"  run an app');
});

test.for([
  ['rnu', 'run'],
  ['stpo', 'stop'],
  ['aproovals', 'approvals'],
  ['xyzzy', undefined],
] as const)('%s is near %s', ([word, meant]) => {
  expect(nearest(word, ['run', 'runs', 'stop', 'approve', 'approvals'])).toBe(meant);
});
