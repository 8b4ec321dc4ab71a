import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { decodeAll } from '../../run/codec.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import type { FolderReader, RunRow } from '../../server/folder/home.ts';
import { exportedName, exportedRun } from '../../server/runs/exported-run.ts';
import { lookOptions, exit, jsonlOption, tenantOption, type CliCommand } from '../command.ts';
import { damagedRun } from '../view/damaged-run.ts';
import { jsonLine } from '../terminal/escape.ts';
import { findRun } from '../place/find.ts';
import { lookIn } from '../place/place.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const exportRun: CliCommand = {
  name: 'export',
  usage: '<run> [options]',
  summary: 'write a run as one page that plays it, or what it has recorded, one entry a line',
  details: [
    'The page is <run>.html unless said. It needs no server and no network: open it in a browser, send it to somebody.',
    'Files up to 10 MB are in it; larger ones are named. Secrets that are known here are not.',
    'Of a damaged run, everything up to the damage is written; then the message says where that is, and the exit code is 1.',
  ],
  options: {
    out: { type: 'string', value: '<file>', about: 'where to write the page' },
    ...jsonlOption,
    ...tenantOption,
    ...lookOptions,
  },
  words: [1, 1],
  async run(given, terminal) {
    const out = given.text('out');
    const isLines = given.flag('jsonl');
    if (isLines && out !== undefined)
      throw new RunError(
        'malformed',
        '--jsonl is written to the output: leave out --out, or send it on with >.',
      );
    const home = await lookIn(given);
    try {
      const row = await findRun(home, given.words[0] ?? '', given.text('tenant'));
      if (isLines) await writeLines(home, row, terminal);
      else await writePage(home, row, { file: out ?? exportedName(row.run), terminal });
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

async function writeLines(home: FolderReader, { run, head }: RunRow, { say }: Terminal): Promise<void> {
  for (let after = 0; after < head;) {
    const chunks = await home.journal.read(run, after);
    const entries = chunks.flatMap(({ frames }) => decodeAll(frames)).filter(({ seq }) => seq > after);
    for (const entry of entries) say(jsonLine(entry));
    const last = entries.at(-1)?.seq;
    if (last === undefined) break;
    after = last;
  }
}

/** Whoever opens the file has all of it, or what was there before. */
async function writePage(
  home: FolderReader,
  row: RunRow,
  { file, terminal }: { readonly file: string; readonly terminal: Terminal },
): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  try {
    await pipeline(exportedRun(home, row, { now: Date.now() }), createWriteStream(part, { mode: 0o600 }));
    await rename(part, file);
  } catch (thrown) {
    await rm(part, { force: true });
    const { code, path } = thrown as NodeJS.ErrnoException;
    if (path === undefined) throw thrown;
    throw new RunError('unavailable', `${file} cannot be written (${code}): say where with --out.`, {
      cause: thrown,
    });
  }
  terminal.say(`${file} has the run: open it in a browser.`);
}
