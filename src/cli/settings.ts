import { RunError } from '../run/failure.ts';
import type { FolderSettings } from '../server/compose/compose.ts';
import { appsOf } from '../server/compose/configured-apps.ts';
import { loadConfig } from '../server/compose/config.ts';
import { appNamed, defaultAppOf, type App } from '../server/folder/home.ts';
import type { Given } from './command.ts';
import { folderOf } from './data-folder.ts';
import type { Terminal } from './terminal/terminal.ts';

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
