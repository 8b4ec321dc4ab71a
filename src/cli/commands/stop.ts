import { exit, lookOptions, tenantOption, whyOption, type CliCommand } from '../command.ts';
import { findRun, summaryOf } from '../place/find.ts';
import { inHome } from '../place/in-home.ts';
import { leaveWhenTold } from '../terminal/leave.ts';
import { placeOf } from '../place/place.ts';
import { silentView } from '../view/silent-view.ts';
import { sendTo } from '../place/told.ts';
import { watch } from '../view/watch.ts';
import { folderOwner } from '../../run/owner.ts';
import { present } from '../../run/tree.ts';

export const stop: CliCommand = {
  name: 'stop',
  usage: '<run> [options]',
  summary: 'end a run for good, at every level',
  options: { ...whyOption, ...tenantOption, ...lookOptions },
  words: [1, 1],
  async run(given, terminal) {
    return inHome(placeOf(given, terminal), { terminal }, async (home) => {
      const { run } = await findRun(home, given.words[0] ?? '');
      const reason = present({ reason: given.text('why') });
      await sendTo(home, run, { type: 'stop', by: folderOwner, ...reason });
      const leaving = leaveWhenTold();
      const { is, tree, why } = await watch(home, run, { view: silentView(leaving.signal) });
      leaving.done();
      // A damaged run ends where its journal cannot say so.
      const outcome = is === 'damaged' ? (await summaryOf(home.server, run)).status : tree.ended?.outcome;
      if (why !== undefined) terminal.warn(why);
      terminal.say(
        outcome === 'stopped' || is === 'ended' ? `Run ${run} is ${outcome}.` : `Run ${run} is stopping.`,
      );
      return outcome === 'stopped' ? exit.completed : exit.failed;
    });
  },
};
