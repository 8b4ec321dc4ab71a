import { flatTree } from '../../run/flat-tree.ts';
import { damageOf } from '../../front/good-chunks.ts';
import { shownTree, type ShownTree } from '../../server/runs/shown-tree.ts';
import {
  askedIn,
  lookOptions,
  exit,
  jsonOption,
  showingOptions,
  tenantOption,
  type CliCommand,
} from '../command.ts';
import { damagedRun } from '../view/damaged-run.ts';
import { drawTree } from '../view/draw.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { findRun, treeOf } from '../place/find.ts';
import { hint, waitingHint } from '../hint.ts';
import { unpainted } from '../terminal/line.ts';
import { lookIn } from '../place/place.ts';
import { tellAnswer } from '../view/show-run.ts';
import { usedLine } from '../view/used-line.ts';
import { treeFor } from '../view/watch.ts';

export const show: CliCommand = {
  name: 'show',
  usage: '<run> [options]',
  summary: 'show a run as it is now: its tree and its answer',
  options: { ...showingOptions, ...jsonOption, ...tenantOption, ...lookOptions },
  words: [1, 1],
  async run(given, terminal) {
    const asked = askedIn(given);
    const home = await lookIn(given);
    try {
      const row = await findRun(home, given.words[0] ?? '', asked);
      const { run, seq: head, status, damaged = null } = row;
      const whole = shownTree((entry) => entry);
      const tree = await treeOf(home.server, run, beside(whole, treeFor(row.shown)));
      const damage = damageOf({ head, status, damaged }, tree);
      if (given.flag('json')) terminal.say(jsonLine({ ...flatTree(tree, run), ...damage }));
      else {
        const width = terminal.isLive ? Math.max(20, terminal.out.columns - 1) : 120;
        const paint = terminal.isLive ? terminal.paint : unpainted;
        for (const line of drawTree(tree, { width, now: tree.ended ? tree.at : Date.now(), paint }))
          terminal.say(line);
        const used = usedLine(whole.tree);
        if (used !== undefined) terminal.say(paint(used, ['dim']));
        if (row.stranded !== undefined) terminal.warn(visibleLine(row.stranded));
        if (damage) terminal.warn(damagedRun(row, damage.damaged));
        else if (tree.ended) await tellAnswer(home, { tree }, terminal);
        else if (tree.undecided > 0 || tree.paused) waitingHint(given, run, tree).forEach(terminal.warn);
        else if (row.left)
          terminal.warn(`Nobody works on it at the moment. Go on with: ${hint(given, 'resume', run)}`);
      }
      return damage ? exit.failed : exit.completed;
    } finally {
      await home.close();
    }
  },
};

/** What steps have used that are not shown is used all the same. */
function beside(whole: ShownTree, { tree, take }: ShownTree): ShownTree {
  return {
    tree,
    take(entry) {
      whole.take(entry);
      return take(entry);
    },
  };
}
