import { needsOf } from '../rules/rules.ts';
import { together, type Needs } from '../rules/needs.ts';
import { decide, type Decision, type Item } from './decide.ts';
import { compareLocks, inOrder, lockKey, locksOf, runLock, wantedWith } from './locks.ts';
import { noRows, type Database, type Lock, type Rows, type Transaction, type Wanted } from './port.ts';

/**
 * Decides a batch in one transaction: locks what it needs in the order that everybody keeps, loads it, runs the rules and
 * writes what they changed. Fails with `DatabaseError`, or with what a rule is at fault with; nothing is applied then, or
 * nobody knows.
 */
export async function decideLocked(database: Database, items: readonly Item[]): Promise<Decision> {
  const needs = together(items.map(needsOfItem));
  for (let locks = inOrder(locksOf(needs, noRows)); ;) {
    const transaction = await database.begin();
    try {
      const { rows, wanted, missing } = await lockAndLoad(transaction, needs, locks);
      if (missing) {
        await transaction.rollback();
        locks = inOrder([...locks, ...missing]);
        continue;
      }
      const decision = decide(items, rows, wanted);
      await transaction.commit(decision.set.changes());
      return decision;
    } catch (thrown) {
      await transaction.rollback().catch(() => {});
      throw thrown;
    }
  }
}

type Loaded =
  | { readonly rows: Rows; readonly wanted: Wanted; readonly missing?: never }
  /** Something must be locked that comes before what is held, or has come since: all has to begin anew, in order. */
  | { readonly rows?: never; readonly wanted?: never; readonly missing: readonly Lock[] };

/**
 * What hangs on a run (its head, its commands, its places) is read in a later statement than the one that locks: that one
 * saw the rows of others as they were before it had to wait.
 */
async function lockAndLoad(transaction: Transaction, needs: Needs, locks: readonly Lock[]): Promise<Loaded> {
  let held = locks;
  let got: readonly Lock[] = [];
  for (let asked = locks; ;) {
    const locked = transaction.lock(asked);
    if (asked === locks) {
      got = await lockDue(transaction, needs, locked);
      held = inOrder([...held, ...got]);
    }
    const wanted = wantedWith(needs, held);
    const loading = transaction.load(wanted);
    const [rows, more] = await Promise.all([loading, locked]);
    got = [...got, ...more];
    if (isUnlocked(rows, held, got)) return { missing: [] };
    const missing = notIn(held, inOrder(locksOf(needs, rows, held)));
    const [lowest, highest] = [missing[0], held.at(-1)];
    if (!lowest) return { rows, wanted };
    if (highest && compareLocks(lowest, highest) < 0) return { missing };
    asked = missing;
    held = [...held, ...missing];
  }
}

/** A run that was not there when it was to be locked, and came before all was read: nobody keeps it from changing. */
function isUnlocked({ runs }: Rows, held: readonly Lock[], got: readonly Lock[]): boolean {
  const notThere = new Set(notIn(got, held).map(lockKey));
  return runs.some(({ row }) => notThere.has(lockKey(runLock(row.run))));
}

function notIn(held: readonly Lock[], locks: readonly Lock[]): readonly Lock[] {
  const known = new Set(held.map(lockKey));
  return locks.filter((lock) => !known.has(lockKey(lock)));
}

/** Taken without waiting, so their order does not matter. */
async function lockDue(
  transaction: Transaction,
  { due = [] }: Needs,
  locked: Promise<unknown>,
): Promise<readonly Lock[]> {
  if (due.length === 0) return [];
  const [, ...runs] = await Promise.all([locked, ...due.map((one) => transaction.lockDue(one))]);
  return runs.flat().map(runLock);
}

function needsOfItem({ operation: { name, argument }, isDoubtful }: Item): Needs {
  const needs = needsOf(name, argument);
  if (!isDoubtful || name !== 'append') return needs;
  return { ...needs, chunks: [{ run: argument.fence.run, after: argument.head }] };
}
