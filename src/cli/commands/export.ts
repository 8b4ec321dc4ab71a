import { decodeAll } from '../../run/codec.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { lookOptions, exit, jsonlOption, tenantOption, type CliCommand } from '../command.ts';
import { damagedRun } from '../view/damaged-run.ts';
import { jsonLine } from '../terminal/escape.ts';
import { findRun } from '../place/find.ts';
import { lookIn } from '../place/place.ts';

export const exportRun: CliCommand = {
  name: 'export',
  usage: '<run> --jsonl [options]',
  summary: 'write what a run has recorded, one entry a line',
  details: [
    'Of a damaged run, everything up to the damage is written; then the message says where that is, and the exit code is 1.',
  ],
  options: { ...jsonlOption, ...tenantOption, ...lookOptions },
  words: [1, 1],
  async run(given, terminal) {
    if (!given.flag('jsonl'))
      throw new RunError('malformed', 'Say in which form: vitrine export <run> --jsonl.');
    const home = await lookIn(given);
    try {
      const row = await findRun(home, given.words[0] ?? '', given.text('tenant'));
      const { run, head } = row;
      for (let after = 0; after < head;) {
        const chunks = await home.journal.read(run, after);
        const entries = chunks.flatMap(({ frames }) => decodeAll(frames)).filter(({ seq }) => seq > after);
        for (const entry of entries) terminal.say(jsonLine(entry));
        const last = entries.at(-1)?.seq;
        if (last === undefined) break;
        after = last;
      }
      if (row.damaged === null) return exit.completed;
      terminal.warn(damagedRun(row, row.damaged));
      return exit.failed;
    } catch (thrown) {
      if (failureOf(thrown).code !== 'damaged') throw thrown;
      terminal.warn(failureOf(thrown).message);
      return exit.failed;
    } finally {
      await home.close();
    }
  },
};
