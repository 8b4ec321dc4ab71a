import { RunError } from '../../run/failure.ts';
import { homeOptions, exit, type CliCommand, type Given } from '../command.ts';
import { leaveWhenTold } from '../leave.ts';
import { settingsOf } from '../settings.ts';

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
    // Other commands start in a moment because they do not bring this along.
    const { serve: startServer } = await import('../../server/serve.ts');
    const { home } = await settingsOf(given, terminal);
    const host = given.text('host');
    const port = portIn(given);
    const server = await startServer({
      ...home,
      ...(host === undefined ? {} : { host }),
      ...(port === undefined ? {} : { port }),
    });
    terminal.say(`Vitrine listens on ${server.url}`);
    await new Promise<void>((resolve) => {
      if (leaving.signal.aborted) return resolve();
      leaving.signal.addEventListener('abort', () => resolve());
    });
    terminal.warn('Handing back what is under way …');
    await server.close();
    leaving.done();
    return exit.completed;
  },
};

function portIn(given: Given): number | undefined {
  const text = given.text('port');
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new RunError('malformed', `--port is «${text}»: give a number from 0 to 65535.`);
}
