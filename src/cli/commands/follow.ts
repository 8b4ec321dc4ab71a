import { askedIn, lookOptions, exit, jsonOption, showingOptions, type CliCommand } from '../command.ts';
import { findRun, isOver } from '../place/find.ts';
import { hint } from '../hint.ts';
import { visibleLine } from '../terminal/escape.ts';
import { leaveWhenTold } from '../terminal/leave.ts';
import { isHeld, lookIn } from '../place/place.ts';
import { tellAnswer, viewOf } from '../view/show-run.ts';
import { look } from '../view/watch.ts';

export const follow: CliCommand = {
  name: 'follow',
  usage: '<run> [options]',
  summary: 'watch a run that another process works on, from its beginning to its end',
  details: ['Looking changes nothing, and leaving stops nothing: Ctrl-C only ends the watching.'],
  options: { ...showingOptions, ...jsonOption, ...lookOptions },
  words: [1, 1],
  async run(given, terminal) {
    const asked = askedIn(given);
    const home = await lookIn(given);
    const leaving = leaveWhenTold();
    try {
      const found = await findRun(home, given.words[0] ?? '', asked);
      const { run, status, stranded } = found;
      if (stranded !== undefined) terminal.warn(visibleLine(stranded));
      if (!isOver(status) && !(await isHeld(given)))
        terminal.warn(`Nobody works on run ${run} at the moment: ${hint(given, 'resume')}`);
      const view = viewOf(terminal, given, { run, signal: leaving.signal });
      const { is, tree, why = '' } = await look(home, found, view);
      if (is === 'damaged') terminal.warn(why);
      if (is === 'damaged') return exit.failed;
      if (!tree.ended) return exit.stopped;
      if (!given.flag('json')) await tellAnswer(home, { tree }, terminal);
      return tree.ended.outcome === 'completed' ? exit.completed : exit.failed;
    } finally {
      leaving.done();
      await home.close();
    }
  },
};
