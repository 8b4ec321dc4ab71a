import { reindexFolder } from '../../server/compose/whole-folder.ts';
import { dataOption, exit, jsonOption, type CliCommand } from '../command.ts';
import { ownFolder } from '../place/place.ts';
import { jsonLine } from '../terminal/escape.ts';

export const reindex: CliCommand = {
  name: 'reindex',
  usage: '[options]',
  summary: 'make anew, from the journals, what lists find runs by',
  details: [
    'For runs of an older Vitrine, which kept no index, and after damage. No journal changes. Nothing else may work in the',
    'folder meanwhile: stop the server first.',
  ],
  options: { ...jsonOption, ...dataOption },
  words: [0, 0],
  async run(given, terminal) {
    const folder = ownFolder(given);
    const runs = await reindexFolder(folder);
    if (given.flag('json')) terminal.say(jsonLine({ folder, runs }));
    else terminal.say(`${runs} ${runs === 1 ? 'run is' : 'runs are'} in the index of ${folder}.`);
    return exit.completed;
  },
};
