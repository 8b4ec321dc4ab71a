import { failureOf, RunError } from '../../run/failure.ts';
import type { Asker, Reading, Health } from './sqlite.worker.ts';
import type { Check } from './check.ts';
import type { Committer } from './commit.ts';

/** A database as its thread has it. */
export interface Opened {
  readonly commit: Committer;
  readonly read: Reading;
  readonly asker: Asker;
  readonly health: Pick<Health, 'now'>;
  readonly check: Check;
  readonly notices: readonly string[];
  readonly close: () => void;
}

interface Ways {
  readonly write: () => Opened;
  readonly read: () => Opened;
  /** Why there is no space; undefined while there is. */
  readonly full: () => string | undefined;
}

/**
 * A folder that cannot be opened for writing because its disk is full is opened for reading, until whoever asks for its
 * health finds that there is space. What cannot be read either is told as what it was.
 */
export function onceThereIsSpace(ways: Ways): Opened {
  try {
    return ways.write();
  } catch (thrown) {
    const reader = ways.full() === undefined ? undefined : attempt(ways.read);
    if (!reader) throw thrown;
    return waiting(ways, reader, failureOf(thrown).message);
  }
}

function waiting({ write, read, full }: Ways, reader: Opened, why: string): Opened {
  let opened = reader;
  let missing: string | undefined = why;
  const tryAgain = (): void => {
    if (missing === undefined || full() !== undefined) return;
    // Before it is opened again: to close a file of a database takes away the locks that this process has on it.
    opened.close();
    try {
      opened = write();
      missing = undefined;
    } catch (thrown) {
      missing = failureOf(thrown).message;
      opened = read();
    }
  };
  return {
    notices: [],
    commit(time, operations) {
      if (missing !== undefined) throw new RunError('unavailable', missing, { retryable: true });
      return opened.commit(time, operations);
    },
    read: (name, argument) => opened.read(name, argument),
    asker: (name, argument) => opened.asker(name, argument),
    check: (place) => opened.check(place),
    health: {
      now() {
        tryAgain();
        return missing ?? opened.health.now();
      },
    },
    close: () => opened.close(),
  };
}

function attempt(read: () => Opened): Opened | undefined {
  try {
    return read();
  } catch {
    // Why it cannot be written says more.
    return undefined;
  }
}
