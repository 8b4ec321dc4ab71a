import { RunError } from '../../run/failure.ts';
import { facets, type Carrier } from '../carrier.ts';
import { followers } from '../follow.ts';
import type { Store } from '../store.ts';
import { sqliteThread } from './thread.ts';

/** The writer is another process and cannot tell us; looking costs one query for each run that is followed. */
const pollMilliseconds = 100;

/** The runs in a folder, read beside the process that writes it, or when none does. What would change something is refused. */
export async function sqliteReader({ folder }: { readonly folder: string }): Promise<Store> {
  const thread = await sqliteThread(folder, 'read');
  const live = followers((run, after) => thread.read('read', { run, after }));
  const poll = setInterval(() => live.lookAgain(), pollMilliseconds);
  const listen: Store['listen'] = () => () => {};
  const carrier: Carrier = {
    read: (name, argument) => thread.read(name, argument),
    write: refused,
    time: async () => Date.now(),
  };
  return {
    ...facets(carrier, live, { listen }),
    listen,
    health: async () => undefined,
    async close() {
      clearInterval(poll);
      await thread.close();
      live.close();
    },
  };
}

async function refused(): Promise<never> {
  throw new RunError('unavailable', 'This data folder is only read here: nothing is changed in it.');
}
