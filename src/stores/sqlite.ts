import { RunError } from '../run/failure.ts';
import { storeClock, type ClockSettings } from './clock.ts';
import { facets, type Carrier } from './facets.ts';
import { followers } from './follow.ts';
import { groupCommit } from './group-commit.ts';
import { hintsToListeners } from './hints.ts';
import { sqliteThread } from './sqlite-thread.ts';
import type { Store } from './store.ts';

export interface SqliteSettings extends ClockSettings {
  readonly folder: string;
}

export interface SqliteStore extends Store {
  /** What the owner should know about the folder as it was found. */
  readonly notices: readonly string[];
}

/** Runs in a folder on this machine, written by this process alone. Fails with `rejected` while another one has it. */
export async function sqliteStore({ folder, ...settings }: SqliteSettings): Promise<SqliteStore> {
  const clock = storeClock(settings);
  const thread = await sqliteThread(folder, 'write');
  const hints = hintsToListeners();
  const live = followers((run, after) => thread.read('read', { run, after }));
  const group = groupCommit(async (operations) => {
    const reply = await thread.commit(clock(), operations);
    const refused = new Set(reply.refusals.map(({ index }) => index));
    operations.forEach(({ name, argument }, index) => refused.has(index) || live.show(name, argument));
    hints.give(reply.hints);
    return reply;
  });
  let closed = false;
  const open = <T>(ask: () => Promise<T>): Promise<T> =>
    closed ? Promise.reject(new RunError('unavailable', `The store in ${folder} is closed.`)) : ask();
  const carrier: Carrier = {
    write: (name, argument) => open(() => group.add(name, argument)),
    read: (name, argument) => open(() => thread.read(name, argument)),
    time: () => open(async () => (settings.now ?? Date.now)()),
  };
  return {
    notices: thread.notices,
    ...facets(carrier, live),
    listen: (hear) => hints.listen(hear),
    health: () => open(() => thread.health()),
    async close() {
      closed = true;
      await group.drained();
      await thread.close();
      live.close();
    },
  };
}
