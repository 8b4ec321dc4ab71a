import { exit, lookOptions, type CliCommand } from '../command.ts';
import { findRun } from '../place/find.ts';
import { goOn } from '../place/go-on.ts';
import { inHome } from '../place/in-home.ts';
import { placeOf } from '../place/place.ts';
import { visibleLine } from '../terminal/escape.ts';
import { sendTo } from '../place/told.ts';
import { folderOwner } from '../../run/owner.ts';

export const message: CliCommand = {
  name: 'message',
  usage: '<run> "<text>" [options]',
  summary: 'tell a run something while it works',
  options: lookOptions,
  words: [2, Infinity],
  async run(given, terminal) {
    const [name = '', ...words] = given.words;
    return inHome(placeOf(given, terminal), { terminal }, async (home) => {
      const { run, seq: head, stranded } = await findRun(home, name);
      const { sentence } = await sendTo(home, run, {
        type: 'message',
        by: folderOwner,
        text: words.join(' '),
      });
      terminal.say(sentence);
      if (stranded !== undefined) terminal.warn(visibleLine(stranded));
      const code = await goOn(home, { run, after: head }, { given, terminal });
      return code === exit.waiting ? exit.completed : code;
    });
  },
};
