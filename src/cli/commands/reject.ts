import { lookOptions, type CliCommand } from '../command.ts';
import { decide, rationaleIn } from '../question/decide.ts';

export const reject: CliCommand = {
  name: 'reject',
  usage: '<approval|run> [options]',
  summary: 'refuse what was asked; the run goes on without it',
  options: {
    why: { type: 'string', value: '<reason>', about: 'for the record, and for the model to read' },
    ...lookOptions,
  },
  words: [1, 1],
  run: (given, terminal) => decide({ given, terminal }, { decision: 'reject', ...rationaleIn(given) }),
};
