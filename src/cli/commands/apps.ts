import { vitrineClient } from '../../client/client.ts';
import type { AppList } from '../../wire/native/people.ts';
import { anywhereOptions, exit, jsonOption, type CliCommand } from '../command.ts';
import { inHome } from '../place/in-home.ts';
import { serverOf } from '../place/place.ts';
import { settingsOf } from '../settings.ts';
import { jsonLine, visibleLine } from '../terminal/escape.ts';

export const apps: CliCommand = {
  name: 'apps',
  usage: '[options]',
  summary: 'list the apps that can be run: those of the configuration, and those that people made',
  options: { ...jsonOption, ...anywhereOptions },
  words: [0, 0],
  async run(given, terminal) {
    const place = serverOf(given) ?? (await settingsOf(given, terminal)).home;
    const { apps: found, defaultApp } = await inHome(place, { terminal }, ({ server }) =>
      vitrineClient(server).apps(),
    );
    for (const app of found)
      terminal.say(given.flag('json') ? jsonLine(app) : visibleLine(lineOf(app, defaultApp)));
    return exit.completed;
  },
};

function lineOf(
  { name, flow = '', description = '' }: AppList['apps'][number],
  unlessSaid: string | undefined,
): string {
  const about = name === unlessSaid ? `${flow} (unless --app says another)` : flow;
  return `${name.padEnd(24)} ${about}${description === '' ? '' : `: ${description}`}`;
}
