// Workers that share one store and one clock, and can die: a dead one gets no answer any more.
import { Engine } from './engine.ts';
import type { Flow } from '../src/engine/scope.ts';
import type { Catalog, World } from '../src/engine/world.ts';
import type { Command } from '../src/run/commands.ts';
import type { Entry, EventOf, RunEvent } from '../src/run/events.ts';
import { undecidedApprovals, type Approval, type RunTree, type Step } from '../src/run/tree.ts';
import { memoryStore } from '../src/stores/memory.ts';
import type { Appender, Receipt, Store } from '../src/stores/store.ts';
import { calm, VirtualClock } from './virtual-clock.ts';
import { entriesOf, testWorld, treeOf, type Problem } from './world.ts';

/** Longer than a lease. */
const pastTheLease = 20_000;

export interface Worker {
  readonly engine: Engine;
  readonly world: World;
  /** The process is gone: nothing it asked for is answered, and it learns of nothing. */
  die(): void;
  /** It ends as it should: its runs are given back. */
  quit(): Promise<void>;
}

export class Stage {
  readonly clock = new VirtualClock();
  readonly store: Store;
  readonly problems: Problem[] = [];
  #workers = 0;

  constructor(open: (now: () => number) => Store = (now) => memoryStore({ now })) {
    this.store = open(() => this.clock.now());
  }

  hire(catalog: Partial<Catalog>, overrides: Partial<World> = {}): Worker {
    this.#workers += 1;
    let isDead = false;
    const store = mortal(overrides.store ?? this.store, () => isDead);
    const world = testWorld(catalog, { clock: this.clock, ...overrides, store });
    const log = {
      error: (details: { cause: unknown }, message: string) =>
        void this.problems.push({ message, cause: details.cause }),
    };
    const engine = new Engine({ ...world, log: overrides.log ?? log }, `w${this.#workers}`);
    const over = new AbortController();
    const working = engine.work(over.signal);
    return {
      engine,
      world,
      die: () => (isDead = true),
      async quit() {
        over.abort();
        await working;
      },
    };
  }

  /** The worker dies, its lease ends, and whoever else is here takes over. */
  async bury(dead: Worker): Promise<void> {
    dead.die();
    await this.clock.pass(pastTheLease);
  }

  async start(
    worker: Worker,
    flow: Flow,
    more: Parameters<Engine['start']>[0] | object = {},
  ): Promise<string> {
    const { run } = await worker.engine.start({ app: 'test', flow, input: { text: 'hello' }, ...more });
    await calm();
    return run;
  }

  async send(run: string, command: Command, id = `c${Math.random()}`): Promise<Receipt> {
    const receipt = await this.store.mailbox.send({ id, run, command });
    await calm();
    return receipt;
  }

  /** Decide the oldest question, or the one named. */
  async decide(run: string, decision: Partial<Extract<Command, { type: 'decide' }>>): Promise<Receipt> {
    const approval = decision.approval ?? (await this.asked(run))[0]?.approval ?? 'none';
    const fingerprint = (await this.tree(run)).approvals.get(approval)?.fingerprint ?? 'none';
    const given: Command = {
      type: 'decide',
      by: 'ann',
      decision: 'approve',
      fingerprint,
      ...decision,
      approval,
    };
    return this.send(run, given);
  }

  async asked(run: string): Promise<Approval[]> {
    return undecidedApprovals(await this.tree(run));
  }

  async tree(run: string): Promise<RunTree> {
    await calm();
    return treeOf(this.store, run);
  }

  entries(run: string): Promise<Entry[]> {
    return entriesOf(this.store, run);
  }

  async events<Type extends RunEvent['type']>(run: string, type: Type): Promise<EventOf<Type>[]> {
    const all = (await this.entries(run)).map(({ event }) => event);
    return all.filter((event): event is EventOf<Type> => event.type === type);
  }

  async state(run: string): Promise<string | undefined> {
    await calm();
    return (await this.store.dispatch.get(run))?.state;
  }
}

export function stepAt(tree: RunTree, key: string): Step {
  const found = [...tree.steps.values()].find((step) => step.key === key);
  if (!found) throw new Error(`no step «${key}»`);
  return found;
}

export function codes(tree: RunTree): string[] {
  return tree.notices.map(({ code }) => code);
}

function mortal(store: Store, isDead: () => boolean): Store {
  const via = <A extends unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      if (isDead()) return new Promise<never>(() => {});
      const result = await call(...args);
      return isDead() ? new Promise<never>(() => {}) : result;
    };
  };
  const all = <T extends object>(facet: T): T =>
    Object.fromEntries(
      Object.entries(facet).map(([name, call]) => [name, name === 'follow' ? call : via(call as never)]),
    ) as T;
  const { offer, watch, ...journal } = store.journal;
  return {
    journal: {
      ...all(journal),
      watch,
      offer: offer && ((appender, haste) => offer(mortalAppender(appender, isDead), haste)),
    },
    dispatch: all(store.dispatch),
    mailbox: all(store.mailbox),
    blobs: all(store.blobs),
    shared: all(store.shared),
    definitions: all(store.definitions),
    feed: all(store.feed),
    listen: (hear, types) => store.listen((hint) => isDead() || hear(hint), types),
    health: () => store.health(),
    close: () => store.close(),
  };
}

function mortalAppender(appender: Appender, isDead: () => boolean): Appender {
  return {
    run: appender.run,
    next: () => (isDead() ? undefined : appender.next()),
    durable: () => isDead() || appender.durable(),
    failed: (thrown) => isDead() || appender.failed(thrown),
  };
}
