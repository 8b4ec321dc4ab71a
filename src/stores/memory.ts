import type { Desk } from './rules/tables.ts';
import { facets, runOfOperation } from './carrier.ts';
import { followers, hintsToListeners } from './follow.ts';
import { offersTo } from './memory/offers.ts';
import { memoryTables } from './memory/tables.ts';
import { perform, type Argument, type OperationName, type Result } from './rules/rules.ts';
import type { Store } from './store.ts';

/**
 * Decides when an operation takes effect and what the caller learns of it: call `apply` and give what it gives, sooner
 * or later; fail without calling it (lost), or after calling it (the caller cannot know).
 */
export type Commit = <T>(apply: () => T, operation: OperationName) => Promise<T>;

export interface MemorySettings {
  readonly now: () => number;
  readonly commit?: Commit;
}

/** Everything of a store but surviving its process. Any number of engines may share one. */
export function memoryStore({ now, commit }: MemorySettings): Store {
  const tables = memoryTables();
  const hints = hintsToListeners();
  const inOrder = lines();
  const apply = <Name extends OperationName>(name: Name, argument: Argument<Name>): Result<Name> => {
    const desk: Desk = { tables, now: now(), hints: [] };
    const result = perform(desk, name, argument);
    live.show(name, argument);
    hints.give(desk.hints);
    return result;
  };
  const carry = async <Name extends OperationName>(
    name: Name,
    argument: Argument<Name>,
  ): Promise<Result<Name>> => {
    // Where nobody decides when, all takes effect at once, and so in order.
    if (!commit) return apply(name, argument);
    return inOrder(runOfOperation(name, argument), (begun) =>
      commit(() => {
        begun();
        return apply(name, argument);
      }, name),
    );
  };
  const offers = offersTo((append) => apply('append', append));
  const live = followers((run, after) => carry('read', { run, after }));
  return {
    ...facets(
      {
        write(name, argument) {
          offers.first(runOfOperation(name, argument));
          return carry(name, argument);
        },
        read: carry,
        time: async () => now(),
        // Where each operation is decided on, each is handed over by itself.
        ...(commit ? {} : { offer: (appender, haste) => offers.offer(appender, haste) }),
      },
      live,
      hints,
    ),
    listen: hints.listen,
    health: async () => undefined,
    async close() {
      live.close();
    },
  };
}

type InOrder = <T>(run: string | undefined, work: (begun: () => void) => Promise<T>) => Promise<T>;

/**
 * What is asked of one run takes effect in the order it was asked, however `commit` delays it: each operation is handed
 * over when the one before has taken effect or has failed. It does not wait for the answer.
 */
function lines(): InOrder {
  const ends = new Map<string, Promise<void>>();
  return async (run, work) => {
    if (run === undefined) return work(() => {});
    const before = ends.get(run);
    let begun = (): void => {};
    const end = new Promise<void>((resolve) => (begun = resolve));
    ends.set(run, end);
    try {
      if (before) await before;
      return await work(begun);
    } finally {
      begun();
      if (ends.get(run) === end) ends.delete(run);
    }
  };
}
