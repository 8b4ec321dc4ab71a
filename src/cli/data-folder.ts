import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RunError } from '../run/failure.ts';
import type { FolderSettings } from '../server/compose/compose.ts';
import { fileLog, logIn } from '../server/observe/log.ts';
import type { Given } from './command.ts';
import type { Terminal } from './terminal/terminal.ts';

export const isDebugging = process.env['VITRINE_DEBUG'] === '1';

/** Where the runs are kept unless somebody says otherwise. */
export const usualFolder = '.vitrine';

export function dataOf(given: Given): string {
  const folder = resolve(given.text('data') ?? usualFolder);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() ?? true) return folder;
  throw new RunError('malformed', `The data folder ${folder} is a file: name a folder with --data.`);
}

/** A folder without its configuration: for commands that run nothing of it, and so must not run what stands beside it. */
export function folderOf(given: Given, terminal: Terminal): FolderSettings {
  const data = dataOf(given);
  const log = fileLog(logIn(data));
  return {
    data,
    takes: 'asked',
    log: {
      error(details, message) {
        log.error(details, message);
        if (isDebugging)
          terminal.warn(`${message} ${details.cause instanceof Error ? details.cause.stack : ''}`);
      },
    },
  };
}
