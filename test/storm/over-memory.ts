// Processes that share one real memory store, each operation on its way, taking effect, and on its way back.
import { RunError } from '../../src/run/failure.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import type { Append, Store } from '../../src/stores/store.ts';
import type { AppliedAppend, Shared, SimProcess, Simulation } from '../simulation.ts';

export function overMemory(sim: Simulation): Shared {
  const store = memoryStore({ now: () => sim.now });
  return { store, storeOf: (process) => reached(sim, store, process), met: () => ({}), wrongs: () => [] };
}

/** The store as one process reaches it. */
function reached(sim: Simulation, store: Store, owner: SimProcess): Store {
  const { journal, dispatch, mailbox, blobs } = store;
  const via = <R>(call: () => Promise<R>): Promise<R> => carry(sim, owner, call);
  const append = async (wanted: Append): Promise<void> => {
    const applied: AppliedAppend = { ...wanted, process: owner.name, acknowledged: false };
    await via(async () => {
      await journal.append(wanted);
      sim.appends.push(applied);
    });
    applied.acknowledged = true;
  };
  return {
    // No worker asks for the rest.
    ...store,
    journal: {
      append,
      read: (run, after) => via(() => journal.read(run, after)),
      follow: (run, after, signal) => journal.follow(run, after, signal),
    },
    dispatch: {
      create: (wanted) => via(() => dispatch.create(wanted)),
      claim: (request) => via(() => dispatch.claim(request)),
      renew: (fences, lease) => via(() => dispatch.renew(fences, lease)),
      release: (request) => via(() => dispatch.release(request)),
      handBack: (fence) => via(() => dispatch.handBack(fence)),
      get: (run) => via(() => dispatch.get(run)),
      find: (wanted) => via(() => dispatch.find(wanted)),
      list: (filter) => via(() => dispatch.list(filter)),
      unfinished: (tenant) => via(() => dispatch.unfinished(tenant)),
      questions: () => via(() => dispatch.questions()),
      count: (which) => via(() => dispatch.count(which)),
      flows: () => via(() => dispatch.flows()),
      hold: (fence, name) => via(() => dispatch.hold(fence, name)),
      letGo: (fence, name) => via(() => dispatch.letGo(fence, name)),
      time: () => via(() => dispatch.time()),
      erase: (run) => via(() => dispatch.erase(run)),
      reindex: (request) => via(() => dispatch.reindex(request)),
    },
    mailbox: {
      send: (command) => via(() => mailbox.send(command)),
      pending: (run) => via(() => mailbox.pending(run)),
    },
    blobs: reachedBlobs(blobs, via),
    listen: (hear, types) => store.listen((hint) => passOn(sim, owner, () => hear(hint)), types),
    close: async () => {},
  };
}

function reachedBlobs(blobs: Store['blobs'], via: <R>(call: () => Promise<R>) => Promise<R>): Store['blobs'] {
  return {
    put: (place, text) => via(() => blobs.put(place, text)),
    get: (tenant, blob) => via(() => blobs.get(tenant, blob)),
    users: (tenant, blob) => via(() => blobs.users(tenant, blob)),
    held: (tenant) => via(() => blobs.held(tenant)),
  };
}

function passOn(sim: Simulation, owner: SimProcess, hear: () => void): void {
  if (owner.isDead) return;
  if (sim.chance(sim.odds.deaf)) sim.seen.deaf += 1;
  else sim.schedule(owner, hear);
}

/** On its way, taking effect, and on its way back: three moments, and a crash or a loss may fall between any two. */
async function carry<R>(sim: Simulation, owner: SimProcess, call: () => Promise<R>): Promise<R> {
  await sim.moment(owner);
  if (sim.chance(sim.odds.lost)) {
    sim.seen.lost += 1;
    throw new RunError('unavailable', 'The store did not answer (lost).');
  }
  const result = await call();
  const isUnknown = sim.chance(sim.odds.ambiguous);
  await sim.moment(owner);
  if (!isUnknown) return result;
  sim.seen.ambiguous += 1;
  throw new RunError('unavailable', 'The store did not answer (unknown).');
}
