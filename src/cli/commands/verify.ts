import { resolve } from 'node:path';
import { verifyFolder } from '../../server/compose/whole-folder.ts';
import { dataOption, exit, jsonOption, type CliCommand, type Given } from '../command.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';
import { count } from '../view/item-lines.ts';
import { ownFolder } from '../place/place.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const verify: CliCommand = {
  name: 'verify',
  usage: '[options]',
  summary: 'check every byte that a folder, or a copy of one, keeps of its runs',
  details: [
    'Every journal is read against its checksums, every large text against its name, and every table against its indexes.',
    'What lists find is compared with what journals say: where it differs, «vitrine reindex» makes it anew.',
    'Nothing is changed, also while a server works in the folder. Exit code 0: all is good; 1: it is not.',
  ],
  options: {
    backup: { type: 'string', value: '<folder>', about: 'a copy: no lock is taken and no file made there' },
    ...jsonOption,
    ...dataOption,
  },
  words: [0, 0],
  async run(given, terminal) {
    const backup = given.text('backup');
    const folder = backup === undefined ? ownFolder(given) : resolve(backup);
    const found = verifyFolder(folder, backup !== undefined);
    const code = tellVerified({ folder, found }, given, terminal);
    return found.index.runs === 0 ? code : exit.failed;
  },
};

/** What a check of a folder found, and the exit code that says whether all is good. */
export function tellVerified(
  { folder, found }: { readonly folder: string; readonly found: ReturnType<typeof verifyFolder> },
  given: Given,
  terminal: Terminal,
): number {
  const { runs, entries, blobs, damaged, problems, index } = found;
  const isGood = damaged.length === 0 && problems.length === 0;
  if (given.flag('json')) terminal.say(jsonLine({ folder, good: isGood, ...found }));
  else {
    for (const problem of problems) terminal.say(visibleLine(`✗ ${problem}`));
    for (const { run, after, head } of damaged)
      terminal.say(
        visibleLine(`✗ Run ${run} is damaged: its journal is good up to entry ${after} of ${head}.`),
      );
    for (const { run, differs } of index.first)
      terminal.say(visibleLine(`✗ Run ${run} is not found as its journal says: ${differs.join(', ')}.`));
    if (index.runs > 0)
      terminal.say(
        `✗ The index is otherwise than ${index.runs} journals say: «vitrine reindex» makes it anew.`,
      );
    const all = `${count(runs, 'run')} with ${entries} ${entries === 1 ? 'entry' : 'entries'} and ${count(blobs, 'large text')}`;
    terminal.say(isGood ? `✓ All is good in ${folder}: ${all}.` : `Of ${all} in ${folder} the rest is good.`);
  }
  return isGood ? exit.completed : exit.failed;
}
