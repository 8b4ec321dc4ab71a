// The simulated database as somebody outside sees it: nothing takes a moment, nothing is locked, nothing fails.
import type { Database, Transaction } from '../../src/stores/database/port.ts';
import type { Server } from './server.ts';

export function direct({ rows }: Server, now: () => number): Database {
  const load: Database['load'] = async (wanted) => rows.load(wanted, now());
  const transaction: Transaction = {
    lock: async (locks) => locks,
    lockDue: async ({ flows, max }) => rows.due({ flows, max }, now()).slice(0, max),
    load,
    commit: async (changes) => rows.apply(changes),
    rollback: async () => {},
  };
  return {
    begin: async () => transaction,
    load,
    compareAndSet: async () => [],
    tell: () => {},
    listen: () => () => {},
    close: async () => {},
  };
}
