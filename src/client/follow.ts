import type { Entry } from '../run/events.ts';
import { failureOf, RunError, type Failure } from '../run/failure.ts';
import type { Showing } from '../wire/native/query.ts';
import { headHeader, watchRun } from '../wire/native/runs.ts';
import { ask, type ServerAddress } from './ask.ts';
import { comingBack, streamOf } from './stream.ts';
import { entryOf } from '../run/entries.ts';

export interface Following {
  readonly run: string;
  /** The last entry that was seen. */
  readonly after?: number;
  /** What to show, or everything that is recorded. */
  readonly showing: Showing | 'everything';
  readonly signal?: AbortSignal;
  /** A stream of the run that is there already, to be read first. */
  readonly begun?: Response;
}

const everything: Showing = { stages: 'nested', names: '*', depth: '*' };

/** What whoever follows a run learns: that the server answers and how far the run has come, what happened, that it is away. */
export type News =
  | { readonly is: 'joined'; readonly head: number }
  | { readonly is: 'entries'; readonly entries: readonly Entry[] }
  | { readonly is: 'away'; readonly failure?: Failure };

/**
 * The entries of a run after a cursor, as they come, until it ends: each once and in order, whatever happens to the
 * connection or the server meanwhile. What comes with one piece of news arrived together.
 */
export async function* followRun(server: ServerAddress, following: Following): AsyncGenerator<News> {
  const { run, showing, signal = new AbortController().signal } = following;
  const back = comingBack(server, signal);
  let { after: cursor = 0, begun } = following;
  while (!signal.aborted) {
    const failed: { failure?: Failure } = {};
    try {
      for await (const news of connection(
        server,
        { ...following, after: cursor, signal, begun },
        back.told,
      )) {
        if (news.is !== 'entries') {
          yield news;
          continue;
        }
        const fresh = news.entries.filter(({ seq }) => seq > cursor);
        const last = fresh.at(-1);
        if (!last) continue;
        if (showing === 'everything') expectNext(run, cursor, fresh);
        cursor = last.seq;
        back.isWell();
        yield { is: 'entries', entries: fresh };
        if (last.event.type === 'run.ended') return;
      }
    } catch (thrown) {
      if (signal.aborted || thrown instanceof EndOfRun) return;
      if (thrown instanceof RunError && thrown.failure.retryable !== true) throw thrown;
      failed.failure = failureOf(thrown);
    }
    begun = undefined;
    yield { is: 'away', ...failed };
    await back.wait();
  }
}

/** The entries alone. */
export async function* followEntries(
  server: ServerAddress,
  following: Following,
): AsyncGenerator<readonly Entry[]> {
  for await (const news of followRun(server, following)) if (news.is === 'entries') yield news.entries;
}

class EndOfRun extends Error {}

interface Connecting extends Omit<Following, 'begun' | 'signal'> {
  readonly begun: Response | undefined;
  readonly signal: AbortSignal;
}

/** One connection, as long as it holds. What the server says of coming back is written down. */
async function* connection(
  server: ServerAddress,
  { run, after, showing, signal, begun }: Connecting,
  told: { retry: number },
): AsyncGenerator<News> {
  const query = { after: String(after), ...(showing === 'everything' ? everything : showing) };
  const opening = async (either: AbortSignal): Promise<Response> => {
    const headers = { accept: 'text/event-stream' };
    const response = begun ?? (await ask(server, watchRun, { of: { run }, query, headers, signal: either }));
    if (response.status === 204) throw new EndOfRun();
    return response;
  };
  for await (const piece of streamOf(server, opening, { signal, told })) {
    if (piece instanceof Response) yield { is: 'joined', head: Number(piece.headers.get(headHeader) ?? 0) };
    else yield { is: 'entries', entries: piece.map(({ id, data }) => entryOf(Number(id), data)) };
  }
}

/** A gap in what is recorded is a loss; in what is shown it is what is not shown. */
function expectNext(run: string, cursor: number, [first]: readonly Entry[]): void {
  if (first?.seq === cursor + 1) return;
  throw new RunError('unavailable', `Run ${run} went from entry ${cursor} to ${first?.seq}.`, {
    retryable: true,
  });
}
