import { setTimeout } from 'node:timers/promises';
import { RunError } from '../run/failure.ts';
import { facets, type Carrier, groupCommit } from './carrier.ts';
import { followers, type Followers, hintsToListeners } from './follow.ts';
import {
  begunRuns,
  type BegunRuns,
  sqliteThread,
  type SqliteThread,
  unsentRuns,
  type UnsentRuns,
} from './sqlite/thread.ts';
import { fromNewest, type CheckPlace } from './sqlite/check.ts';
import type { Committed, Operation, Reply } from './batch.ts';
import type { Hint, Store } from './store.ts';

export interface SqliteSettings extends ClockSettings {
  readonly folder: string;
  /** On a full disk, give what can be read, and write once there is space; otherwise opening fails. */
  readonly isPatient?: boolean;
}

export interface SqliteStore extends Store {
  /** What the owner should know about the folder as it was found. */
  readonly notices: readonly string[];
}

/** Runs in a folder on this machine, written by this process alone. Fails with `rejected` while another one has it. */
export async function sqliteStore({
  folder,
  isPatient = false,
  ...settings
}: SqliteSettings): Promise<SqliteStore> {
  const clock = storeClock(settings);
  const hints = hintsToListeners();
  const begun = begunRuns();
  const thread = await sqliteThread(folder, isPatient ? 'patient' : 'write', hearing(hints, begun));
  const live = followers(
    async (run, after) => begun.after(run, after) ?? thread.read('read', { run, after }),
  );
  const unsent = unsentRuns();
  const show = shower({ live, hints, unsent, begun });
  const group = groupCommit((operations, committed) =>
    thread.commit(clock(), operations, show(operations, committed)),
  );
  const over = new AbortController();
  let checking: Promise<void> | undefined;
  const closed = (): RunError => new RunError('unavailable', `The store in ${folder} is closed.`);
  const open = <T>(ask: () => Promise<T>): Promise<T> =>
    over.signal.aborted ? Promise.reject(closed()) : ask();
  const carrier: Carrier = {
    write: (name, argument) => open(() => group.add(name, argument)),
    read: (name, argument) => open(() => thread.read(name, argument)),
    offer: (appender, haste) =>
      over.signal.aborted ? appender.failed(closed()) : group.offer(appender, haste),
    time: () => open(async () => (settings.now ?? Date.now)()),
  };
  const all = facets(carrier, live, hints);
  return {
    notices: thread.notices,
    ...all,
    mailbox: unsent.over(all.mailbox),
    listen(hear, types) {
      const unlisten = hints.listen(hear, types);
      checking ??= checkAll(thread, over.signal);
      return unlisten;
    },
    health: () => open(() => thread.health()),
    async close() {
      over.abort();
      unsent.forget();
      await group.drained();
      await checking;
      await thread.close();
      live.close();
    },
  };
}

type GivesHints = Pick<ReturnType<typeof hintsToListeners>, 'give'>;

/** What the thread says unasked is of damage: what is kept is no longer what was written. */
function hearing(hints: GivesHints, begun: BegunRuns): (heard: readonly Hint[]) => void {
  return (heard) => {
    begun.forget();
    hints.give(heard);
  };
}

interface Shown {
  readonly live: Followers;
  readonly hints: GivesHints;
  readonly unsent: UnsentRuns;
  readonly begun: BegunRuns;
}

/** Whoever watches is shown what was committed before whoever wrote it goes on. */
function shower({ live, hints, unsent, begun }: Shown) {
  const show = (operations: readonly Operation[], reply: Reply): void => {
    unsent.committed(operations, reply);
    begun.committed(operations, reply);
    const refused = new Set(reply.refusals.map(({ index }) => index));
    operations.forEach(({ name, argument }, index) => refused.has(index) || live.show(name, argument));
    hints.give(reply.hints);
  };
  return (operations: readonly Operation[], { done, failed }: Committed): Committed => ({
    failed(thrown) {
      // Nobody knows what became of it.
      begun.forget();
      failed(thrown);
    },
    done(reply) {
      try {
        show(operations, reply);
      } catch (thrown) {
        return failed(thrown);
      }
      done(reply);
    },
  });
}

/** Between two pieces others have the thread to themselves; all was looked at once, it rests. Milliseconds. */
const breath = 20;
const restAfter = 24 * 60 * 60 * 1_000;

/** As long as somebody is there to hear of it, look for what nobody reads: a disk forgets without being asked. */
async function checkAll(thread: SqliteThread, signal: AbortSignal): Promise<void> {
  for (let place: CheckPlace | undefined = fromNewest; !signal.aborted;) {
    place = await thread.check(place ?? fromNewest).catch(() => undefined);
    const pause = place === undefined ? restAfter : breath;
    await setTimeout(pause, undefined, { signal, ref: false }).catch(() => {});
  }
}

/** The time of a store, and how far it was moved since it was last looked at. */
export type Clock = () => { readonly now: number; readonly jump: number };

export interface ClockSettings {
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds that have really passed, since any moment. Without it, `now` is believed as it is. */
  readonly elapsed?: () => number;
}

/** Two clocks drift apart a little all the time. */
const drift = 1_000;

/**
 * The wall clock can be set, and goes on while a laptop sleeps; what people asked for by the clock follows it. A lease is
 * a length of time in which its worker can act, so leases must move along: else every run would be taken from a worker
 * that is well, and its effects would be in doubt.
 */
export function storeClock({ now, elapsed }: ClockSettings): Clock {
  const wall = now ?? Date.now;
  const steady = elapsed ?? (now === undefined ? () => performance.now() : wall);
  let offset = wall() - steady();
  return () => {
    const time = wall();
    const jump = time - steady() - offset;
    offset += jump;
    return { now: time, jump: Math.abs(jump) > drift ? Math.round(jump) : 0 };
  };
}
