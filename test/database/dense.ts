// Writers that hit the same runs, lines and commands at the same time, each through a store of its own; beside them a model
// in which everything happens one after the other, in the order of the commits.
import { databaseStore } from '../../src/stores/database.ts';
import { Simulation, type Odds, type SimProcess } from '../simulation.ts';
import { client } from './client.ts';
import { invariants } from './invariants.ts';
import { isAsExpected, Model, type Asked } from './model.ts';
import { isOfRun } from './rows.ts';
import { ask, someOperations } from './operations.ts';
import { overDatabase, travel, type SharedDatabase } from './over-database.ts';
import type { Applied, Session } from './server.ts';

interface Batch {
  readonly asked: readonly Asked[];
  /** A commit under lock was not answered: what was asked beside appends was given up. */
  isInDoubt: boolean;
}

export class Dense {
  readonly sim: Simulation;
  readonly shared: SharedDatabase;
  readonly wrongs: string[] = [];
  operations = 0;
  readonly #model = new Model();
  readonly #batches = new Map<string, Batch>();
  /** What each transaction is for; it may still be on its way when its batch is over. */
  readonly #open = new Map<Session, Batch>();
  readonly #watch: (applied: Applied) => readonly string[];
  #writers = 0;

  constructor(seed: number, odds: Odds) {
    this.sim = new Simulation(seed, odds, overDatabase);
    this.shared = this.sim.shared as SharedDatabase;
    const { server } = this.shared;
    // Longer than anybody stands still: a batch is then never divided, so what was committed together is known.
    server.lockTimeout = 3_600_000;
    this.#watch = invariants(server.rows);
    server.onOpen = (session) => {
      const batch = this.#batches.get(session.name);
      const isGivenUp = ({ operation: { name } }: Asked): boolean =>
        name !== 'append' && batch?.isInDoubt === true;
      if (batch) this.#open.set(session, { ...batch, asked: batch.asked.filter((one) => !isGivenUp(one)) });
    };
    server.onApplied = (applied) => this.#check(applied);
    const nobody = this.sim.immortal('nobody');
    this.sim.onCrash(() => this.sim.schedule(nobody, () => this.hire(), 20));
  }

  hire(): void {
    const process = this.sim.spawn(`writer-${(this.#writers += 1)}`);
    this.#work(process).catch((thrown: unknown) => this.wrongs.push(`a bug: ${String(thrown)}`));
  }

  async #work(process: SimProcess): Promise<void> {
    const { server } = this.shared;
    const way = travel(this.sim, process, new Map());
    const doubts = (session: Session): void => {
      const batch = this.#batches.get(process.name);
      if (batch && !session.isGuarded) batch.isInDoubt = true;
    };
    const store = databaseStore(client(server, { ...way, doubts }));
    for (;;) {
      await this.sim.moment(process, Math.floor(this.sim.random() * 15));
      const asked = someOperations(this.sim, server.rows, process.name).map((operation): Asked => ({
        operation,
      }));
      this.#batches.set(process.name, { asked, isInDoubt: false });
      const told = await Promise.allSettled(asked.map(({ operation }) => ask(store, operation)));
      this.operations += asked.length;
      told.forEach((one, i) => {
        const what = asked[i];
        if (!what || isAsExpected(what, one)) return;
        const [expected, got] = [what.expected, one.status === 'fulfilled' ? one.value : String(one.reason)];
        this.wrongs.push(`${JSON.stringify(what.operation)} gave ${JSON.stringify({ expected, got })}`);
      });
    }
  }

  #check(applied: Applied): void {
    if (this.wrongs.length > 0) return;
    this.#model.apply(this.#takingEffect(applied), applied);
    this.wrongs.push(...this.#watch(applied), ...this.#model.differences(this.shared.server.rows));
    if (this.shared.server.seen.deadlocks > 0) this.wrongs.push('transactions waited in a circle');
  }

  /** Which of what was asked is in this commit. */
  #takingEffect({ session, changes }: Applied): readonly Asked[] {
    const { asked } = this.#open.get(session) ?? { asked: [] };
    // What was refused changed nothing: where nobody heard of it, it is decided anew.
    const left = asked.filter(({ expected }) => expected === undefined || 'code' in expected);
    if (!session.isGuarded) return left;
    return left.filter(
      ({ operation: { name, argument } }) =>
        name === 'append' && changes.filter(isOfRun).some(({ run }) => run === argument.fence.run),
    );
  }
}
