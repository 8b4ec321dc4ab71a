import { present } from '../../run/present.ts';
import { exit, homeOptions, whyOption, type CliCommand } from '../command.ts';
import { findRun } from '../find.ts';
import { hint } from '../hint.ts';
import { inHome } from '../in-home.ts';
import { settingsOf } from '../settings.ts';
import { whoIsHere } from '../terminal.ts';
import { sendTo } from '../told.ts';

export const pause: CliCommand = {
  name: 'pause',
  usage: '<run> [options]',
  summary: 'let a run finish what is under way, and begin nothing new',
  options: { ...whyOption, ...homeOptions },
  words: [1, 1],
  async run(given, terminal) {
    const settings = await settingsOf(given, terminal);
    return inHome(settings.home, { terminal }, async (home) => {
      const { run } = await findRun(home, given.words[0] ?? '');
      const why = present({ reason: given.text('why') });
      const { sentence, isDone } = await sendTo(home, run, { type: 'pause', by: whoIsHere(), ...why });
      (isDone ? terminal.say : terminal.warn)(sentence);
      if (isDone) terminal.warn(`Go on with: ${hint(given, 'resume', run)}`);
      while (home.isHolder && (await home.standing(run)).is === 'working')
        await new Promise((resolve) => setTimeout(resolve, 50));
      return isDone ? exit.completed : exit.failed;
    });
  },
};
