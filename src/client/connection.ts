import type { Failure } from '../run/failure.ts';
import type { News } from './follow.ts';

/** How a viewer stands with the server. Whatever it is, the run itself is safe. */
export type Connection =
  /** Nothing was heard yet. */
  | { readonly is: 'connecting' }
  /** So many entries that had happened before are on their way; where some are not shown, at most so many. */
  | { readonly is: 'catching up'; readonly entries: number }
  /** What happens is here when it happens. */
  | { readonly is: 'live' }
  /** The server does not answer. It is asked again and again, for what comes from this entry on. */
  | { readonly is: 'away'; readonly resumesAt: number; readonly failure?: Failure }
  /** The run has ended, and all of it is here. */
  | { readonly is: 'over' }
  /** Asking again cannot help: there is no such run, the key is not good, it is no Vitrine server. */
  | { readonly is: 'refused'; readonly failure: Failure };

/** Where things are left out, the last entries may be among them: after so long a silence nothing is on its way. */
const quiet = 1_000;

/** Keeps account of how a viewer stands with the server. */
export class ConnectionState {
  readonly #arrived: { readonly head: number };
  readonly #changed: () => void;
  #connection: Connection = { is: 'connecting' };
  /** How far the run had come when it was joined. */
  #goal = 0;
  #silence: ReturnType<typeof setTimeout> | undefined;

  constructor(arrived: { readonly head: number }, changed: () => void) {
    this.#arrived = arrived;
    this.#changed = changed;
  }

  get connection(): Connection {
    return this.#connection;
  }

  hear(news: News): void {
    clearTimeout(this.#silence);
    const { head } = this.#arrived;
    if (news.is === 'away') {
      const { failure } = news;
      this.#connection = { is: 'away', resumesAt: head + 1, failure };
      return;
    }
    if (news.is === 'joined') this.#goal = news.head;
    const missing = this.#goal - head;
    if (missing > 0) this.#catchUp(missing);
    else if (this.#connection.is !== 'live') this.#connection = { is: 'live' };
  }

  /** Nothing more comes: the run is over, or cannot be watched. */
  end(failure?: Failure): void {
    this.#connection = failure ? { is: 'refused', failure } : { is: 'over' };
  }

  /** Nobody listens any more. */
  rest(): void {
    clearTimeout(this.#silence);
  }

  #catchUp(entries: number): void {
    this.#connection = { is: 'catching up', entries };
    this.#silence = setTimeout(() => {
      this.#goal = 0;
      this.#connection = { is: 'live' };
      this.#changed();
    }, quiet);
  }
}
