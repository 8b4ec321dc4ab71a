import { exit, homeOptions, type CliCommand } from '../command.ts';
import { settingsOf } from '../settings.ts';
import { visibleLine } from '../terminal/escape.ts';
import { leaveWhenTold } from '../terminal/leave.ts';
import { goodbye, graceIn, graceOption } from './serve.ts';
import { present } from '../../run/tree.ts';

export const work: CliCommand = {
  name: 'work',
  usage: '[options]',
  summary: 'work on the runs of the apps of the configuration, and serve nothing',
  details: [
    'For runs that «vitrine serve --no-work» takes in, in as many processes as there is work for. It takes a store that they share; a data folder is',
    'for one process at a time.',
  ],
  options: { ...graceOption, ...homeOptions },
  words: [0, 0],
  async run(given, terminal) {
    const leaving = leaveWhenTold();
    const { home } = await settingsOf(given, terminal);
    const { openWorker } = await import('../../server/compose/compose.ts');
    const server = { ...home.config?.server, ...present({ grace: graceIn(given) }) };
    const worker = await openWorker({ ...home, config: { ...home.config, server } });
    for (const notice of worker.notices) terminal.warn(visibleLine(notice));
    terminal.say('Vitrine works on the runs of its store.');
    await leaving.told();
    terminal.warn(goodbye);
    await worker.close();
    leaving.done();
    return exit.completed;
  },
};
