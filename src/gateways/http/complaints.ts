import { RunError } from '../../run/failure.ts';
import type { AgentEvent } from '../gateway.ts';

const mostNotices = 10;
const mostPieces = 1_000;
const refusedCode = 'PART_REFUSED';

/** What cannot be read in one answer, told as notices. An answer full of it is told in few of them, and then given up. */
export class Complaints {
  readonly #who: string;
  readonly #clean: (text: string) => string;
  #count = 0;
  #refused = 0;

  constructor(who: string, clean: (text: string) => string) {
    this.#who = who;
    this.#clean = clean;
  }

  /** `what` ends the sentence «Model m sent …». */
  sent(what: string, events: AgentEvent[]): void {
    this.#count += 1;
    if (this.#count <= mostNotices) this.say(`sent ${this.#clean(what)}`, events);
    if (this.#count > mostPieces)
      throw new RunError(
        'unavailable',
        `${this.#who} sent more than ${mostPieces} pieces that cannot be read.`,
      );
  }

  /** A part that is larger than it may be, and is left out: `what` names it, `limit` the setting and its value. */
  refuse(what: string, limit: string, events: AgentEvent[]): void {
    this.#refused += 1;
    if (this.#refused > mostNotices) return;
    this.say(`sent ${this.#clean(what)}, which is more than ${limit} and is left out.`, events, refusedCode);
  }

  say(what: string, events: AgentEvent[], code = 'UPSTREAM_MALFORMED'): void {
    events.push({ type: 'notice.posted', code, message: `${this.#who} ${what}` });
  }

  finish(events: AgentEvent[]): void {
    const more = this.#count - mostNotices;
    if (more > 0) this.say(`sent ${more} more pieces that cannot be read.`, events);
    const larger = this.#refused - mostNotices;
    if (larger > 0) this.say(`sent ${larger} more parts that are too large.`, events, refusedCode);
    this.#count = 0;
    this.#refused = 0;
  }
}

/** The other side was there, and went. */
const gone =
  /^(?:UND_ERR_(?:SOCKET|CLOSED|DESTROYED|ABORTED)|ECONNRESET|EPIPE|terminated|other side closed)$/;

/** What people read of a connection that failed, without its last full stop. What a library calls that is for the log. */
export function connectionFailed(who: string, code: string): string {
  const connection = `The connection to ${who.replace(/^The /, 'the ')}`;
  if (gone.test(code)) return `${connection} was lost`;
  return code.startsWith('UND_ERR_') ? `${connection} failed` : `${connection} failed (${code})`;
}

/** What the system calls it, wherever in the chain of causes that stands. */
export function codeIn(error: unknown): string {
  let last = 'it was lost';
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    if (cause.cause === undefined && /^[\w ]+$/.test(cause.message)) last = cause.message;
  }
  return last;
}
