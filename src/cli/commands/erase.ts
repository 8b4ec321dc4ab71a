import { RunError } from '../../run/failure.ts';
import { vitrineClient } from '../../client/client.ts';
import { exit, lookOptions, tenantOption, type CliCommand } from '../command.ts';
import { allRuns, findRun } from '../place/find.ts';
import { inHome } from '../place/in-home.ts';
import { placeOf } from '../place/place.ts';
import type { Reached } from '../place/terminal-home.ts';

export const erase: CliCommand = {
  name: 'erase',
  usage: '<run|conversation> [options]',
  summary: 'take a conversation away for good: its runs are stopped, and no trace of them is left',
  details: [
    'Runs of one conversation know of each other, so all of them go. Backups and exports are yours to look after.',
  ],
  options: {
    yes: { type: 'boolean', about: 'do it; without it, it is said what would go' },
    ...tenantOption,
    ...lookOptions,
  },
  words: [1, 1],
  async run(given, terminal) {
    return inHome(placeOf(given, terminal), { terminal }, async (home) => {
      const { conversation, count } = await meant(home, given.words[0] ?? '');
      const runs = `${count} ${count === 1 ? 'run' : 'runs'}`;
      if (!given.flag('yes')) {
        const message = `This would erase conversation ${conversation} with ${runs}, for good: say --yes to do it.`;
        throw new RunError('malformed', message);
      }
      await vitrineClient(home.server).forget(conversation);
      terminal.say(`Conversation ${conversation} is gone, with ${runs}.`);
      return exit.completed;
    });
  },
};

interface Meant {
  readonly conversation: string;
  readonly count: number;
}

/** A conversation by its id, or by one of its runs. */
async function meant(home: Reached, given: string): Promise<Meant> {
  const own = await countOf(home, given);
  if (own.count > 0) return own;
  const run = await findRun(home, given);
  return countOf(home, run.conversation);
}

async function countOf({ server }: Reached, conversation: string): Promise<Meant> {
  let count = 0;
  for await (const _ of allRuns(server, { conversation })) count += 1;
  return { conversation, count };
}
