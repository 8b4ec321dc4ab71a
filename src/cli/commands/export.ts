import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream as WebStream } from 'node:stream/web';
import { ask, type ServerAddress } from '../../client/ask.ts';
import { failureOf, RunError } from '../../run/failure.ts';
import { exportRun as readPage } from '../../wire/native/runs.ts';
import { exportedName } from '../../server/runs/exported-run.ts';
import { lookOptions, exit, jsonlOption, tenantOption, type CliCommand } from '../command.ts';
import { damagedRun } from '../view/damaged-run.ts';
import { jsonLine } from '../terminal/escape.ts';
import { findRun, recorded } from '../place/find.ts';
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
      const { server } = home;
      const row = await findRun(home, given.words[0] ?? '');
      if (isLines) await writeLines(server, row.run, terminal);
      else await writePage(server, row.run, { file: out ?? exportedName(row.run), terminal });
      if (row.damaged === undefined) return exit.completed;
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

async function writeLines(server: ServerAddress, run: string, { say }: Terminal): Promise<void> {
  for await (const entries of recorded(server, run)) for (const entry of entries) say(jsonLine(entry));
}

/** Whoever opens the file has all of it, or what was there before. */
async function writePage(
  server: ServerAddress,
  run: string,
  { file, terminal }: { readonly file: string; readonly terminal: Terminal },
): Promise<void> {
  const part = `${file}.${process.pid}.part`;
  const { body } = await ask(server, readPage, { of: { run } });
  try {
    const page = body ? Readable.fromWeb(body as WebStream) : [];
    await pipeline(page, createWriteStream(part, { mode: 0o600 }));
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
