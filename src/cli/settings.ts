import { join, resolve } from 'node:path';
import { RunError } from '../run/failure.ts';
import { appsOf, builtIn, type HomeSettings } from '../server/compose.ts';
import { loadConfig } from '../server/config.ts';
import { appNamed, type App } from '../server/home.ts';
import { fileLog } from '../server/log.ts';
import type { Given } from './command.ts';
import type { Terminal } from './terminal.ts';

export const isDebugging = process.env['VITRINE_DEBUG'] === '1';

/** Where the runs are kept unless somebody says otherwise. */
export const usualFolder = '.vitrine';

export function dataOf(given: Given): string {
  return resolve(given.text('data') ?? usualFolder);
}

/** A folder without its configuration: for commands that run nothing of it, and so must not run what stands beside it. */
export function folderOf(given: Given, terminal: Terminal): HomeSettings & { readonly pace: number } {
  const data = dataOf(given);
  const log = fileLog(join(data, 'vitrine.log'));
  return {
    data,
    takes: 'asked',
    pace: paceIn(process.env['VITRINE_PACE']),
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
  readonly home: HomeSettings;
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
  const { data, pace } = folder;
  const { config, where, isOwn } = await loadConfig({ folder: process.cwd(), data, pace }, file);
  const apps = appsOf(config, where);
  return {
    home: { ...folder, config },
    apps,
    chosen: (name) => appNamed(apps, name ?? (isOwn ? defaultApp(config, where) : builtIn)),
  };
}

function defaultApp(
  { apps, defaultApp: chosen }: { readonly apps: object; readonly defaultApp?: string },
  where: string,
): string {
  if (chosen !== undefined) return chosen;
  const [first = builtIn, ...others] = Object.keys(apps);
  if (others.length === 0) return first;
  const known = [first, ...others].join(', ');
  throw new RunError('malformed', `Say which app with --app, or set «defaultApp» in ${where}: ${known}.`);
}

export function paceIn(given: string | undefined): number {
  const pace = Number(given ?? '1');
  if (Number.isFinite(pace) && pace >= 0) return pace;
  throw new RunError(
    'malformed',
    `VITRINE_PACE is «${given}»: give a number, 1 for the usual pace, 0 for none.`,
  );
}
