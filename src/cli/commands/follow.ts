import { readHome } from '../../server/compose.ts';
import { controlClient } from '../../server/control-client.ts';
import { askedIn, dataOption, exit, jsonOption, showingOptions, type CliCommand } from '../command.ts';
import { findRun } from '../find.ts';
import { hint } from '../hint.ts';
import { leaveWhenTold } from '../leave.ts';
import { dataOf } from '../settings.ts';
import { tellAnswer, viewOf } from '../show-run.ts';
import { look } from '../watch.ts';

export const follow: CliCommand = {
  name: 'follow',
  usage: '<run> [options]',
  summary: 'watch a run that another process works on, from its beginning to its end',
  details: ['Looking changes nothing, and leaving stops nothing: Ctrl-C only ends the watching.'],
  options: { ...showingOptions, ...jsonOption, ...dataOption },
  words: [1, 1],
  async run(given, terminal) {
    const data = dataOf(given);
    const asked = askedIn(given);
    const home = await readHome({ data });
    const leaving = leaveWhenTold();
    try {
      const { run, state } = await findRun(home, given.words[0] ?? '');
      const holder = state === 'ended' ? undefined : await controlClient(data);
      if (state !== 'ended' && !holder)
        terminal.warn(`Nobody works on run ${run} at the moment: ${hint(given, 'resume')}`);
      holder?.close();
      const view = viewOf(terminal, given, { run, signal: leaving.signal });
      const { tree } = await look(home, run, { view, asked });
      if (!tree.ended) return exit.stopped;
      if (!given.flag('json')) await tellAnswer(home, tree, terminal);
      return tree.ended.outcome === 'completed' ? exit.completed : exit.failed;
    } finally {
      leaving.done();
      await home.close();
    }
  },
};
