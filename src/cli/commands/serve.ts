import { RunError } from '../../run/failure.ts';
import { visibleLine } from '../terminal/escape.ts';
import { homeOptions, exit, type CliCommand, type Given } from '../command.ts';
import { leaveWhenTold } from '../terminal/leave.ts';
import type { RunningServer } from '../../server/serve.ts';
import { settingsOf, type Settings } from '../settings.ts';
import type { Terminal } from '../terminal/terminal.ts';

export const graceOption = {
  grace: {
    type: 'string',
    value: '<seconds>',
    about: 'how long what has begun may take when told to end; 5 unless said',
  },
} as const satisfies CliCommand['options'];

export const serve: CliCommand = {
  name: 'serve',
  usage: '[options]',
  summary: 'serve the apps of the configuration over HTTP, and work on their runs',
  details: [
    'On this machine nobody needs a key, unless --private asks for one: then a link that is good once signs your browser',
    'in. Where others can reach it a key is always asked for; if there is none, one is made and it is said where.',
    'SIGTERM or Ctrl-C lets what has begun come to its end and begins nothing more, hands runs back, tells viewers to',
    'come back, and ends. Told again, it ends at once.',
  ],
  options: {
    host: { type: 'string', value: '<address>', about: 'where to listen; 127.0.0.1 unless said' },
    port: { type: 'string', value: '<number>', about: '4177 unless said; 0 for any that is free' },
    'no-work': {
      type: 'boolean',
      about: 'serve only: «vitrine work» in other processes works on the runs, in a store that all share',
    },
    private: { type: 'boolean', about: 'ask for a key on this machine, too: other users of it are kept out' },
    ...graceOption,
    ...homeOptions,
  },
  words: [0, 0],
  async run(given, terminal) {
    const leaving = leaveWhenTold();
    const server = await listening(given, await settingsOf(given, terminal), terminal);
    greet(server, terminal);
    await leaving.told();
    terminal.warn(goodbye);
    await server.close();
    leaving.done();
    return exit.completed;
  },
};

/** Where it is, and how to come in. */
export function greet({ url, keyFile, link, context, notices }: RunningServer, terminal: Terminal): void {
  for (const notice of notices) terminal.warn(visibleLine(notice));
  context.home.toolServers?.hear((notice) => terminal.warn(visibleLine(notice)));
  terminal.say(`Vitrine listens on ${url}`);
  for (const line of inventory(context)) terminal.say(`  ${visibleLine(line)}`);
  if (keyFile !== undefined) terminal.say(`A key is asked for; yours is in ${keyFile}`);
  if (link !== undefined) terminal.say(`Sign your browser in, once and within ten minutes: ${link}`);
}

/** What can be run here, and with what. */
function inventory({ home, defaultApp }: RunningServer['context']): string[] {
  const { agents, tools } = home.catalog;
  const names = (all: readonly { readonly name: string }[]): string =>
    all.map(({ name }) => name).join(', ') || 'none';
  const apps = home.apps.map(({ name }) => ({ name: name === defaultApp ? `${name} (unless said)` : name }));
  const away = home.toolServers?.away ?? [];
  return [
    `apps    ${home.apps.length === 0 ? 'none: add one under «apps»' : names(apps)}`,
    `agents  ${names(agents)}`,
    `tools   ${names(tools)}`,
    ...(away.length === 0 ? [] : [`away    ${away.join(', ')}`]),
    `process ${process.pid}`,
  ];
}

/** What is said when it is told to end. */
export const goodbye = 'Handing back what is under way, once what has begun is over; Ctrl-C ends at once …';

/** A server as the options say it. */
export async function listening(
  given: Given,
  { home }: Settings,
  terminal: Terminal,
): Promise<RunningServer> {
  // Other commands start in a moment because they do not bring this along.
  const { serve: startServer } = await import('../../server/serve.ts');
  const host = given.text('host');
  const port = portIn(given);
  const grace = graceIn(given);
  return startServer({
    ...home,
    isPrivate: given.flag('private'),
    works: !given.flag('no-work'),
    warn: (line) => terminal.warn(visibleLine(line)),
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
    ...(grace === undefined ? {} : { grace }),
  });
}

function portIn(given: Given): number | undefined {
  const text = given.text('port');
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new RunError('malformed', `--port is «${text}»: give a number from 0 to 65535.`);
}

export function graceIn(given: Given): number | undefined {
  const text = given.text('grace');
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (/^\d+(\.\d+)?$/.test(text) && seconds <= 3_600) return seconds;
  throw new RunError('malformed', `--grace is «${text}»: give seconds from 0 to 3600.`);
}
