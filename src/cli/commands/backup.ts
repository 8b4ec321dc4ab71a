import { resolve } from 'node:path';
import { backUpFolder } from '../../server/compose/backup.ts';
import { dataOption, jsonOption, type CliCommand } from '../command.ts';
import { ownFolder } from '../place/place.ts';
import { tellVerified } from './verify.ts';

export const backup: CliCommand = {
  name: 'backup',
  usage: '<folder> [options]',
  summary: 'copy the data folder, also while a server works in it, and check the copy',
  details: [
    'The copy has everything as it was at one moment, for its owner alone: runs, keys, pins. The folder it is made in is empty',
    'or not there yet. Exit code 0: all in the copy is good; 1: something in it is damaged, as it is in the original.',
  ],
  options: { ...jsonOption, ...dataOption },
  words: [1, 1],
  async run(given, terminal) {
    const target = resolve(given.words[0] ?? '');
    return tellVerified({ folder: target, found: backUpFolder(ownFolder(given), target) }, given, terminal);
  },
};
