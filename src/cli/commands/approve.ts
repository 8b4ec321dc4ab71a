import { lookOptions, whyOption, type CliCommand } from '../command.ts';
import { decide, jsonIn, rationaleIn } from '../question/decide.ts';

export const approve: CliCommand = {
  name: 'approve',
  usage: '<approval|run> [options]',
  summary: 'let exactly what was asked happen',
  details: [
    'What is approved is shown. A run is enough where it asks one thing, and that was never asked anew.',
    'If nobody works on the run, it is recorded all the same; «vitrine resume» goes on with it.',
  ],
  options: {
    ...whyOption,
    answer: { type: 'string', value: '<json>', about: 'where the question wants to be filled in' },
    yes: { type: 'boolean', about: 'approve whatever is asked after this, too' },
    ...lookOptions,
  },
  words: [1, 1],
  run(given, terminal) {
    const answer = given.text('answer');
    const filled = answer === undefined ? {} : { answer: jsonIn(answer, '--answer') };
    return decide({ given, terminal }, { decision: 'approve', ...rationaleIn(given), ...filled });
  },
};
