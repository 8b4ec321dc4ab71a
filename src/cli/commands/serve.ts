import { RunError } from '../../run/failure.ts';
import { homeOptions, exit, type CliCommand, type Given } from '../command.ts';
import { leaveWhenTold } from '../leave.ts';
import type { RunningServer } from '../../server/serve.ts';
import { settingsOf, type Settings } from '../settings.ts';

export const serve: CliCommand = {
  name: 'serve',
  usage: '[options]',
  summary: 'serve the apps of the configuration over HTTP, and work on their runs',
  details: [
    'On this machine nobody needs a key. To be reached from others, make one first: vitrine keys create <name>.',
    'SIGTERM or Ctrl-C hands runs back, tells viewers to come back, and ends.',
  ],
  options: {
    host: { type: 'string', value: '<address>', about: 'where to listen; 127.0.0.1 unless said' },
    port: { type: 'string', value: '<number>', about: '4177 unless said; 0 for any that is free' },
    ...homeOptions,
  },
  words: [0, 0],
  async run(given, terminal) {
    const leaving = leaveWhenTold();
    const server = await listening(given, await settingsOf(given, terminal));
    terminal.say(`Vitrine listens on ${server.url}`);
    await leaving.told();
    terminal.warn('Handing back what is under way …');
    await server.close();
    leaving.done();
    return exit.completed;
  },
};

/** A server as the options say it. */
export async function listening(given: Given, { home }: Settings): Promise<RunningServer> {
  // Other commands start in a moment because they do not bring this along.
  const { serve: startServer } = await import('../../server/serve.ts');
  const host = given.text('host');
  const port = portIn(given);
  return startServer({
    ...home,
    ...(host === undefined ? {} : { host }),
    ...(port === undefined ? {} : { port }),
  });
}

function portIn(given: Given): number | undefined {
  const text = given.text('port');
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new RunError('malformed', `--port is «${text}»: give a number from 0 to 65535.`);
}
