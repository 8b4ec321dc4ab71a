import { RunError } from '../../run/failure.ts';
import { runsOf } from '../../front/erase.ts';
import { localTenant, type Home } from '../../server/folder/home.ts';
import { exit, lookOptions, tenantOption, type CliCommand } from '../command.ts';
import { findRun } from '../place/find.ts';
import { inHome } from '../place/in-home.ts';
import { placeOf } from '../place/place.ts';

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
      const tenant = given.text('tenant') ?? localTenant;
      const { conversation, count } = await meant(home, given.words[0] ?? '', tenant);
      const runs = `${count} ${count === 1 ? 'run' : 'runs'}`;
      if (!given.flag('yes')) {
        const message = `This would erase conversation ${conversation} with ${runs}, for good: say --yes to do it.`;
        throw new RunError('malformed', message);
      }
      await home.erase(conversation, tenant);
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
async function meant(home: Home, given: string, tenant: string): Promise<Meant> {
  const own = await countOf(home, given, tenant);
  if (own.count > 0) return own;
  const run = await findRun(home, given, tenant);
  return countOf(home, run.conversation, tenant);
}

async function countOf(home: Home, conversation: string, tenant: string): Promise<Meant> {
  const rows = await runsOf(home.dispatch, { tenant, conversation });
  return { conversation, count: rows.length };
}
