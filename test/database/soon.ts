// A simulated database for tests that are not simulations: moments come by themselves, in an order that a seed decides, and
// time passes when the test says so.
import type { Database, News } from '../../src/stores/database/port.ts';
import { Chance } from '../random.ts';
import { client, type Cut } from './client.ts';
import { Server, type Moments } from './server.ts';

export class SoonDatabase {
  now = 1_000_000;
  /** What happens to the next commits. */
  readonly cuts: Cut[] = [];
  readonly server: Server;
  readonly #chance: Chance;
  readonly #waiting: (() => void)[] = [];
  readonly #timers = new Set<{ readonly at: number; readonly call: () => void }>();
  readonly #listeners = new Map<string, (news: News) => void>();

  constructor(seed = 1) {
    this.#chance = new Chance(seed);
    this.server = new Server(this.#moments());
  }

  /** As a process of this name has it. */
  of(name: string): Database {
    return client(this.server, {
      name,
      moment: () => this.#moment(),
      cut: (commits) => (commits ? this.cuts.shift() : undefined),
      doubts: () => {},
      tell: (news) => {
        for (const [other, hear] of this.#listeners)
          if (other !== name) void this.#moment().then(() => hear(news));
      },
      listen: (hear) => {
        this.#listeners.set(name, hear);
        return () => this.#listeners.delete(name);
      },
    });
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
    for (const timer of this.#timers) {
      if (timer.at > this.now) continue;
      this.#timers.delete(timer);
      timer.call();
    }
  }

  #moments(): Moments {
    const time = (): number => this.now;
    return {
      get now() {
        return time();
      },
      moment: () => this.#moment(),
      later: (milliseconds, call) => {
        const timer = { at: this.now + milliseconds, call };
        this.#timers.add(timer);
        return () => this.#timers.delete(timer);
      },
    };
  }

  #moment(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      if (this.#waiting.length === 1) setImmediate(() => this.#go());
    });
  }

  #go(): void {
    const [next] = this.#waiting.splice(this.#chance.between(0, this.#waiting.length - 1), 1);
    next?.();
    if (this.#waiting.length > 0) setImmediate(() => this.#go());
  }
}
