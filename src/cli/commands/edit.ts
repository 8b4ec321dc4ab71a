import { lookOptions, whyOption, type CliCommand } from '../command.ts';
import { decide, jsonIn, rationaleIn } from '../question/decide.ts';

export const edit: CliCommand = {
  name: 'edit',
  usage: `<approval|run> '<json>' [options]`,
  summary: 'let something else happen: these arguments instead of those that were asked',
  options: { ...whyOption, ...lookOptions },
  words: [2, 2],
  run: (given, terminal) =>
    decide(
      { given, terminal },
      {
        decision: 'edit',
        arguments: jsonIn(given.words[1] ?? '', 'What shall run instead'),
        ...rationaleIn(given),
      },
    ),
};
