import { existsSync } from 'node:fs';
import { RunError } from '../../run/failure.ts';
import { assistantOptions, withAssistant } from '../place/assistant.ts';
import { askedIn, anywhereOptions, jsonOption, showingOptions, type CliCommand } from '../command.ts';
import { throughRun } from '../place/in-home.ts';
import { serverOf } from '../place/place.ts';
import { requestTo, startOf } from '../place/request.ts';

export const run: CliCommand = {
  name: 'run',
  usage: '"<text>" [options]',
  summary: 'run an app and watch it; without a configuration, the demo world',
  details: [
    'In a terminal the tree of steps is drawn as it grows, and what is asked is answered there. Ctrl-C asks whether to',
    'stop the run or to leave it, to be resumed later. Piped, it prints a line as each step opens and closes, and the',
    'answer last; a run that waits for a person is left waiting (exit code 3) unless --yes is given.',
  ],
  options: {
    app: {
      type: 'string',
      value: '<name>',
      about: 'which app: of the configuration, or one that was made here',
    },
    conversation: { type: 'string', value: '<id>', about: 'go on with a conversation' },
    ...showingOptions,
    ...jsonOption,
    yes: { type: 'boolean', about: 'approve whatever is asked' },
    ...assistantOptions,
    ...anywhereOptions,
  },
  words: [1, Infinity],
  async run(given, terminal) {
    const text = given.words.join(' ');
    if (text.trim() === '') throw new RunError('malformed', 'Say what to do: vitrine run "<text>".');
    askedIn(given);
    const conversation = given.text('conversation');
    const said = { text, ...(conversation === undefined ? {} : { conversation }) };
    const server = serverOf(given);
    if (server) {
      const request = requestTo(given.text('app'), said);
      return throughRun(server, { given, terminal }, (home) => home.start(request));
    }
    return withAssistant(given, terminal, (settings) => {
      const named = given.text('app');
      const isKnown = named === undefined || settings.apps.some(({ name }) => name === named);
      // People make apps of their own, where there is a folder: whoever has it knows them.
      const isHere = isKnown || !existsSync(settings.home.data);
      const request = isHere ? startOf(settings.chosen(named), said) : requestTo(named, said);
      return throughRun(settings.home, { given, terminal }, (home) => home.start(request));
    });
  },
};
