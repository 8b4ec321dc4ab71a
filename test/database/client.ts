// A process's way to the simulated database: every statement travels, and the connection may break on either way.
import { DatabaseError, type Database, type News, type Transaction } from '../../src/stores/database/port.ts';
import type { Server, Session } from './server.ts';

export type Cut = 'lost' | 'late' | 'unheard';

/** What happens to a process, and between it and the database. */
export interface Travel {
  readonly name: string;
  /** A moment of this process: one that is dead never has another. */
  moment(): Promise<void>;
  /** Whether the connection breaks now; and then, whether the statement is lost, comes late, or only its answer is lost. */
  cut(commits: boolean): Cut | undefined;
  /** The outcome of a commit is unknown to it. */
  doubts(session: Session): void;
  tell(news: News): void;
  listen(hear: (news: News) => void): () => void;
}

export function client(server: Server, travel: Travel): Database {
  /** Sends a statement and brings back its answer. */
  const ask = async <T>(session: Session, work: () => Promise<T>, commits = false): Promise<T> => {
    const cut = travel.cut(commits);
    if (cut) session.isBroken = true;
    const failed = (): DatabaseError => {
      if (commits) travel.doubts(session);
      return new DatabaseError(commits ? 'unknown' : 'undone', 'the connection broke');
    };
    if (cut === 'lost') {
      server.end(session);
      await travel.moment();
      throw failed();
    }
    const working = work();
    if (cut === 'late') {
      working.catch(() => {}).finally(() => server.end(session));
      await travel.moment();
      throw failed();
    }
    const answer = await settled(working);
    await travel.moment();
    if (cut === 'unheard') {
      server.end(session);
      throw failed();
    }
    return answer();
  };
  return {
    async begin() {
      await travel.moment();
      return transaction(server, server.open(travel.name), ask);
    },
    load: async (wanted) => {
      const session = server.open(travel.name);
      try {
        return await ask(session, () => server.load(session, wanted));
      } finally {
        server.end(session);
      }
    },
    compareAndSet: (chunks) => {
      const session = server.open(travel.name, true);
      return ask(session, () => server.compareAndSet(session, chunks), true);
    },
    tell: (news) => travel.tell(news),
    listen: (hear) => travel.listen(hear),
    close: async () => {},
  };
}

type Ask = <T>(session: Session, work: () => Promise<T>, commits?: boolean) => Promise<T>;

function transaction(server: Server, session: Session, ask: Ask): Transaction {
  let before: Promise<unknown> = Promise.resolve();
  /** Statements are sent one behind the other; one that fails takes all that follow with it. */
  const next = <T>(work: () => Promise<T>, commits = false): Promise<T> => {
    const result = before.then(() => ask(session, work, commits));
    before = result;
    before.catch(() => {});
    return result;
  };
  return {
    lock: (locks) => next(() => server.lock(session, locks)),
    lockDue: (due) => next(() => server.lockDue(session, due)),
    load: (wanted) => next(() => server.load(session, wanted)),
    commit: (changes) => next(() => server.commit(session, changes), true),
    async rollback() {
      if (!session.isBroken) server.end(session);
    },
  };
}

/** How it went, to be told later. */
async function settled<T>(working: Promise<T>): Promise<() => T> {
  try {
    const value = await working;
    return () => value;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}
