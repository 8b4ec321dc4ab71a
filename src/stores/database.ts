import { RunError } from '../run/failure.ts';
import { committer } from './database/commit.ts';
import { DatabaseError, type Database, type Rows, type Wanted } from './database/port.ts';
import { workingSet } from './database/working-set.ts';
import type { Operation, Reply } from './batch.ts';
import { facets, type Carrier, groupCommit } from './carrier.ts';
import { followers, hintsToListeners } from './follow.ts';
import { onlyDeclared } from './rules/declared.ts';
import { needsOf, perform } from './rules/rules.ts';
import type { Hint, Store } from './store.ts';

/** How often something is read anew before it is said that the database is not there. */
const tries = 3;

/**
 * Runs in a database that many processes write. Each decides by the same rules as every store, over rows that it has
 * locked and loaded, or that it remembers and that are still so.
 */
export function databaseStore(database: Database): Store {
  const hints = hintsToListeners();
  const commit = committer(database);
  const carrier: Carrier = {
    write: (name, argument) => open(() => group.add(name, argument)),
    read: (name, argument) =>
      open(async () => {
        const needs = needsOf(name, argument);
        const rows = await loaded(database, needs);
        const tables = onlyDeclared(workingSet(rows, needs).tables, needs);
        return perform({ tables, now: rows.now, hints: [] }, name, argument);
      }),
    offer: (appender, haste) => (isClosed ? appender.failed(closed()) : group.offer(appender, haste)),
    time: () => open(async () => (await loaded(database, {})).now),
  };
  const live = followers((run, after) => carrier.read('read', { run, after }));
  const commitAndShow = async (operations: readonly Operation[]): Promise<Reply> => {
    const reply = await commit(operations);
    const refused = new Set(reply.refusals.map(({ index }) => index));
    const done = operations.filter((_, index) => !refused.has(index));
    for (const { name, argument } of done) live.show(name, argument);
    hints.give(reply.hints);
    tellOthers(database, done, reply.hints);
    return reply;
  };
  const group = groupCommit((operations, { done, failed }) => {
    commitAndShow(operations).then(done, failed);
  });
  const unlisten = database.listen((news) => {
    for (const hint of news.hints) if (hint.type === 'erased') live.show('erase', hint.run);
    if (news.runs.length > 0) live.lookAgain();
    hints.give(news.hints);
  });
  let isClosed = false;
  const closed = (): RunError => new RunError('unavailable', 'The store is closed.');
  const open = <T>(ask: () => Promise<T>): Promise<T> => (isClosed ? Promise.reject(closed()) : ask());
  return {
    ...facets(carrier, live, hints),
    listen: hints.listen,
    health: () => open(() => healthOf(database)),
    async close() {
      isClosed = true;
      unlisten();
      await group.drained();
      await database.close();
      live.close();
    },
  };
}

function tellOthers(database: Database, done: readonly Operation[], hints: readonly Hint[]): void {
  const runs = done.flatMap(({ name, argument }) => {
    if (name === 'append') return argument.fence.run;
    return name === 'erase' ? argument : [];
  });
  if (runs.length > 0 || hints.length > 0) database.tell({ hints, runs });
}

async function loaded(database: Database, wanted: Wanted): Promise<Rows> {
  for (let tried = 1; ; tried += 1) {
    try {
      return await database.load(wanted);
    } catch (thrown) {
      if (!(thrown instanceof DatabaseError)) throw thrown;
      if (tried < tries) continue;
      const message = `The database did not answer (${thrown.message}): try again.`;
      throw new RunError('unavailable', message, { retryable: true, cause: thrown });
    }
  }
}

async function healthOf(database: Database): Promise<string | undefined> {
  try {
    await database.load({});
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof DatabaseError)) throw thrown;
    return `The database does not answer: ${thrown.message}`;
  }
}
