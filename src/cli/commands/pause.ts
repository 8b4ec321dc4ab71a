import { exit, lookOptions, whyOption, type CliCommand } from '../command.ts';
import { findRun } from '../place/find.ts';
import { hint } from '../hint.ts';
import { inHome } from '../place/in-home.ts';
import { placeOf } from '../place/place.ts';
import { visibleLine } from '../terminal/escape.ts';
import { sendTo } from '../place/told.ts';
import { folderOwner } from '../../run/owner.ts';
import { present } from '../../run/tree.ts';

export const pause: CliCommand = {
  name: 'pause',
  usage: '<run> [options]',
  summary: 'let a run finish what is under way, and begin nothing new',
  options: { ...whyOption, ...lookOptions },
  words: [1, 1],
  async run(given, terminal) {
    return inHome(placeOf(given, terminal), { terminal }, async (home) => {
      const { run, stranded } = await findRun(home, given.words[0] ?? '');
      const why = present({ reason: given.text('why') });
      const { sentence, isDone } = await sendTo(home, run, { type: 'pause', by: folderOwner, ...why });
      (isDone ? terminal.say : terminal.warn)(sentence);
      if (stranded !== undefined) terminal.warn(visibleLine(stranded));
      if (isDone) terminal.warn(`Go on with: ${hint(given, 'resume', run)}`);
      await home.released(run);
      return isDone ? exit.completed : exit.failed;
    });
  },
};
