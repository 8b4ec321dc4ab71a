import type { AgentEvent } from './gateway.ts';

const mostNotices = 10;

/** What cannot be read in one answer, told as notices. An answer full of it is told in few of them. */
export class Complaints {
  readonly #who: string;
  readonly #clean: (text: string) => string;
  #count = 0;

  constructor(who: string, clean: (text: string) => string) {
    this.#who = who;
    this.#clean = clean;
  }

  /** `what` ends the sentence «Model m sent …». */
  sent(what: string, events: AgentEvent[]): void {
    this.#count += 1;
    if (this.#count <= mostNotices) this.say(`sent ${this.#clean(what)}`, events);
  }

  say(what: string, events: AgentEvent[], code = 'UPSTREAM_MALFORMED'): void {
    events.push({ type: 'notice.posted', code, message: `${this.#who} ${what}` });
  }

  finish(events: AgentEvent[]): void {
    const more = this.#count - mostNotices;
    if (more > 0) this.say(`sent ${more} more pieces that cannot be read.`, events);
    this.#count = 0;
  }
}
