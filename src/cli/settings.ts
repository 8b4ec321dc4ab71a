import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { RunError } from '../run/failure.ts';
import { appsOf, type FolderSettings } from '../server/compose/compose.ts';
import { loadConfig } from '../server/compose/config.ts';
import { appNamed, defaultAppOf, type App } from '../server/folder/home.ts';
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

export interface Settings {
  /** A terminal works on what it is asked for; the rest of the folder is for «vitrine resume». */
  readonly home: FolderSettings;
  readonly apps: readonly App[];
  /** The app of those who name none. */
  readonly chosen: (name: string | undefined) => App;
}

/** Everything a command needs to know before it opens or changes anything. */
export async function settingsOf(
  given: Given,
  terminal: Terminal,
  file = given.text('config'),
): Promise<Settings> {
  const folder = folderOf(given, terminal);
  const { data } = folder;
  const pace = paceIn(process.env['VITRINE_PACE']);
  const { config, where } = await loadConfig({ folder: process.cwd(), data, pace }, file);
  const apps = appsOf(config, where);
  return {
    home: { ...folder, config },
    apps,
    chosen(name = defaultAppOf(config)) {
      if (name === undefined) throw nameless(config, where);
      return appNamed(apps, name);
    },
  };
}

function nameless({ apps }: { readonly apps: object }, where: string): RunError {
  const known = Object.keys(apps).join(', ');
  if (known === '') return new RunError('malformed', `There is no app in ${where}: add one under «apps».`);
  return new RunError('malformed', `Say which app with --app, or set «defaultApp» in ${where}: ${known}.`);
}

export function paceIn(given: string | undefined): number {
  const pace = Number(given ?? '1');
  if (Number.isFinite(pace) && pace >= 0) return pace;
  throw new RunError(
    'malformed',
    `VITRINE_PACE is «${given}»: give a number, 1 for the usual pace, 0 for none.`,
  );
}
