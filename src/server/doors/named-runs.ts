import type { NamedAnswer, SentMessage } from '../../projections/door.ts';
import { RunError } from '../../run/failure.ts';
import type { RunRow } from '../../stores/store.ts';

/** The runs and answers that a conversation names. */
export interface NamedRuns {
  row(run: string): Promise<RunRow | undefined>;
  /** An answer, as its protocol tells it; undefined where there was none. */
  answer(named: NamedAnswer): Promise<unknown>;
}

/** More answers than anybody has read. To look one up is a question to the store, or to read a run. */
const mostNamed = 1_000;

/** Each is looked up once, however often it is named. */
export function namedRuns(history: readonly SentMessage[], look: NamedRuns): NamedRuns {
  const named = history.filter((message) => message.named).length;
  const runs = new Set(history.flatMap((message) => message.run ?? []));
  const count = Math.max(named, runs.size);
  if (count > mostNamed)
    throw new RunError(
      'too-large',
      `The conversation names ${count} answers of runs: send at most ${mostNamed} of them, the last ones.`,
    );
  const rows = new Map<string, Promise<RunRow | undefined>>();
  const answers = new Map<string, Promise<unknown>>();
  return {
    row: (run) => known(rows, run, () => look.row(run)),
    answer: (one) => known(answers, `${one.run}.${one.begin}`, () => look.answer(one)),
  };
}

function known<T>(all: Map<string, Promise<T>>, name: string, look: () => Promise<T>): Promise<T> {
  const before = all.get(name);
  if (before) return before;
  const fresh = look();
  all.set(name, fresh);
  return fresh;
}
