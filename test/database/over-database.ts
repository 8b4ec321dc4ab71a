// Processes that share a simulated database, each with a store of its own over it.
import type { News } from '../../src/stores/database/port.ts';
import { databaseStore } from '../../src/stores/database.ts';
import type { Append, Chunk, Store } from '../../src/stores/store.ts';
import type { AppliedAppend, Shared, SimProcess, Simulation } from '../simulation.ts';
import { client, type Travel } from './client.ts';
import { direct } from './direct.ts';
import { isOfRun } from './rows.ts';
import { Server, type Applied } from './server.ts';

export interface SharedDatabase extends Shared {
  readonly server: Server;
}

export function overDatabase(sim: Simulation): SharedDatabase {
  const place = sim.immortal('database');
  const server = new Server({
    get now() {
      return sim.now;
    },
    moment: () => sim.moment(place),
    later: (milliseconds, call) => sim.later(place, milliseconds, call),
  });
  // A connection that nobody is at the other end of is noticed after a while.
  sim.onCrash(({ name }) => sim.later(place, Math.floor(sim.random() * 500), () => server.hangUp(name)));
  const listeners = new Map<string, (news: News) => void>();
  const written = new Writings();
  server.onApplied = (applied) => written.note(applied, server);
  return {
    server,
    store: databaseStore(direct(server, () => sim.now)),
    storeOf: (process) =>
      recorded(databaseStore(client(server, travel(sim, process, listeners))), process, { sim, written }),
    met: () => server.seen,
    wrongs: () => [
      ...written.wrongs(),
      ...(server.seen.deadlocks > 0 ? ['transactions waited in a circle'] : []),
    ],
  };
}

export function travel(
  sim: Simulation,
  process: SimProcess,
  listeners: Map<string, (news: News) => void>,
): Travel {
  return {
    name: process.name,
    moment: () => sim.moment(process),
    cut() {
      if (process.isImmortal || !sim.chance(sim.odds.cut)) return undefined;
      sim.seen.cut += 1;
      const roll = sim.random();
      return roll < 0.3 ? 'lost' : roll < 0.5 ? 'late' : 'unheard';
    },
    doubts: () => {},
    tell(news) {
      for (const [name, hear] of listeners) {
        if (name === process.name) continue;
        if (sim.chance(sim.odds.deaf)) sim.seen.deaf += 1;
        else hear(news);
      }
    },
    listen(hear) {
      listeners.set(process.name, (news) => sim.schedule(process, () => hear(news)));
      return () => listeners.delete(process.name);
    },
  };
}

interface Written {
  readonly chunk: Chunk;
  /** Of its run, before and after what was committed with it. */
  readonly epochs: readonly number[];
}

/** What was written, and in whose hand the run was at that moment. */
class Writings {
  readonly #issued: Append[] = [];
  readonly #written: Written[] = [];
  readonly #epochs = new Map<string, number>();

  issue(append: Append): void {
    this.#issued.push(append);
  }

  note({ changes }: Applied, { rows }: Server): void {
    for (const change of changes) {
      if (change.type !== 'chunk.added') continue;
      const epoch = rows.row(change.run)?.epoch ?? 0;
      this.#written.push({ chunk: change.chunk, epochs: [this.#epochs.get(change.run) ?? epoch, epoch] });
    }
    for (const { run } of changes.filter(isOfRun)) this.#epochs.set(run, rows.row(run)?.epoch ?? 0);
  }

  wrongs(): readonly string[] {
    return this.#issued.flatMap(({ fence, head, frames }) => {
      const isThere = ({ chunk }: Written): boolean =>
        chunk.run === fence.run &&
        chunk.first <= head + 1 &&
        chunk.last > head &&
        chunk.frames.includes(frames);
      const written = frames === '' ? undefined : this.#written.find(isThere);
      if (!written || written.epochs.includes(fence.epoch)) return [];
      return [
        `${fence.run} was written at ${head + 1} by epoch ${fence.epoch}, being at ${written.epochs.join()}`,
      ];
    });
  }
}

function recorded(
  store: Store,
  process: SimProcess,
  { sim, written }: { readonly sim: Simulation; readonly written: Writings },
): Store {
  return {
    ...store,
    journal: {
      ...store.journal,
      async append(append) {
        written.issue(append);
        await store.journal.append(append);
        const applied: AppliedAppend = { ...append, process: process.name, acknowledged: true };
        sim.appends.push(applied);
      },
    },
  };
}
