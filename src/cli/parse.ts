import { parseArgs } from 'node:util';
import { RunError } from '../run/failure.ts';
import type { CliCommand, Given } from './command.ts';
import { nearest } from './nearest.ts';

const helpOption = { help: { type: 'boolean', short: 'h' } } as const;

/** What was typed, or a failure that says what to type instead. Undefined when help was asked for. */
export function parse(command: CliCommand, typed: readonly string[]): Given | undefined {
  const known = Object.fromEntries(
    Object.entries(command.options).map(([name, { type, many = false }]) => [name, { type, multiple: many }]),
  );
  const { values, positionals, tokens } = parseArgs({
    args: [...typed],
    options: { ...known, ...helpOption },
    strict: false,
    tokens: true,
  });
  for (const token of tokens) if (token.kind === 'option') expectKnown(command, token);
  if (values['help'] === true) return undefined;
  expectCount(command, positionals);
  const given: Readonly<Record<string, unknown>> = values;
  const texts = (option: string): readonly string[] =>
    [given[option]].flat().filter((value) => typeof value === 'string');
  return {
    words: positionals,
    text: (option) => texts(option).at(-1),
    texts,
    flag: (option) => given[option] === true,
  };
}

interface Token {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
}

function expectKnown(command: CliCommand, { name, rawName, value }: Token): void {
  if (name === 'help') return;
  const option = Object.hasOwn(command.options, name) ? command.options[name] : undefined;
  if (!option) {
    const meant = nearest(name, Object.keys(command.options));
    const hint = meant === undefined ? `see vitrine ${command.name} --help` : `did you mean --${meant}?`;
    throw new RunError('malformed', `vitrine ${command.name} has no option ${rawName}: ${hint}`);
  }
  if (option.type === 'string' && (value === undefined || value === ''))
    throw new RunError('malformed', `--${name} needs a value: --${name} ${option.value ?? '<value>'}.`);
  if (option.type === 'boolean' && value !== undefined)
    throw new RunError('malformed', `--${name} takes no value; leave out «${value}».`);
}

function expectCount({ name, usage, words: [least, most] }: CliCommand, words: readonly string[]): void {
  if (words.length >= least && words.length <= most) return;
  const problem =
    words.length < least ? 'needs more' : `does not know what to do with «${words[most] ?? ''}»`;
  throw new RunError('malformed', `vitrine ${name} ${problem}: vitrine ${name} ${usage}`);
}
