import { failureOf } from '../../run/failure.ts';
import { goOn } from '../../run/tool-pause.ts';
import { folderOwner } from '../../run/owner.ts';
import type { ListedRun } from '../../wire/native/runs.ts';
import type { TerminalHome } from '../place/terminal-home.ts';
import { assistantOptions, withAssistant } from '../place/assistant.ts';
import { askedIn, exit, anywhereOptions, showingOptions, type CliCommand, type Given } from '../command.ts';
import { visibleLine } from '../terminal/escape.ts';
import { allRuns, findRun, isOver, summaryOf, treeOf } from '../place/find.ts';
import { inHome } from '../place/in-home.ts';
import { lookIn, serverOf, type Place } from '../place/place.ts';
import { showRun, type Shown, type Where } from '../view/show-run.ts';

export const resume: CliCommand = {
  name: 'resume',
  usage: '[<run>] [options]',
  summary: 'finish every unfinished run of the folder, or one, then exit',
  details: [
    'Runs that were cut off go on where they were, paused ones and those that wait after a tool go on, and what waits for a person is asked here if',
    'there is a terminal, approved with --yes, and otherwise listed and left (exit code 3).',
  ],
  options: {
    yes: { type: 'boolean', about: 'approve whatever is asked' },
    ...showingOptions,
    ...assistantOptions,
    ...anywhereOptions,
  },
  words: [0, 1],
  async run(given, terminal) {
    askedIn(given);
    const server = serverOf(given);
    if (server) return resumeIn(server, { given, terminal });
    if (given.words.length === 0 && !(await isAnyLeft(given))) {
      terminal.warn('There is nothing to resume.');
      return exit.completed;
    }
    return withAssistant(given, terminal, ({ home }) => resumeIn(home, { given, terminal }));
  },
};

/**
 * Whether there is anything to work on: else nothing has to be loaded or started. A folder of an older Vitrine cannot be looked
 * into; whoever works there brings it up to date.
 */
async function isAnyLeft(given: Given): Promise<boolean> {
  const home = await lookIn(given).catch((thrown: unknown) => {
    const { code } = failureOf(thrown);
    if (code !== 'unknown' && code !== 'rejected') throw thrown;
    return code === 'rejected';
  });
  if (typeof home === 'boolean') return home;
  try {
    for await (const _ of allRuns(home.server, { unfinished: true })) return true;
    return false;
  } finally {
    await home.close();
  }
}

async function resumeIn(place: Place, where: Where): Promise<number> {
  const { given, terminal } = where;
  let resumed: Resumed;
  do {
    resumed = await inHome(place, where, async (home) => {
      const rows = await unfinished(home, given.words[0]);
      if (rows.length === 0) terminal.warn('There is nothing to resume.');
      return resumeAll(home, rows, where);
    });
  } while (resumed.isOrphaned);
  return resumed.code;
}

type Resumed = Pick<Shown, 'code' | 'isOrphaned'>;

/** The oldest first: a later turn of a conversation may wait for an earlier one. */
async function unfinished(home: TerminalHome, named: string | undefined): Promise<readonly ListedRun[]> {
  if (named !== undefined) {
    const row = await findRun(home, named);
    return isOver(row.status) ? [] : [row];
  }
  const rows: ListedRun[] = [];
  for await (const row of allRuns(home.server, { unfinished: true })) rows.push(row);
  return rows.toReversed();
}

async function letGoOn(home: TerminalHome, { run, status }: ListedRun): Promise<void> {
  if (status !== 'paused' && status !== 'waiting') return;
  const command = goOn(await treeOf(home.server, run), folderOwner);
  if (status === 'paused' || command.type === 'decide') await home.send(run, command);
}

/** All of them work at once; they are shown one after the other, for whoever watches misses nothing. */
async function resumeAll(home: TerminalHome, rows: readonly ListedRun[], where: Where): Promise<Resumed> {
  const { terminal } = where;
  const codes: number[] = [];
  const taken: ListedRun[] = [];
  for (const row of rows) {
    if (await home.takeUp(row.run)) taken.push(row);
    else {
      const { flow, stranded } = await summaryOf(home.server, row.run);
      const why = home.isHolder ? undefined : stranded;
      const needed = `Run ${row.run} needs the flow ${flow}, which is not known here: give its --config.`;
      // Another process has the folder, and with it the configuration: no option here changes that.
      terminal.warn(visibleLine(why === undefined ? needed : `Run ${row.run} is stranded. ${why}`));
      codes.push(exit.failed);
    }
    if (taken.at(-1) === row) await letGoOn(home, row);
  }
  for (const { run, seq: head, title } of taken) {
    if (!terminal.isLive) terminal.say(`${run}  ${visibleLine(title)}`);
    const { code, isOrphaned } = await showRun(home, { run, after: head }, where);
    if (isOrphaned) return { code, isOrphaned };
    codes.push(code);
    if (code === exit.stopped && home.inHand().includes(run)) break;
  }
  return { code: Math.max(exit.completed, ...codes), isOrphaned: false };
}
