// Workers, a person and tools in a simulated world: what is done there, and what the journal said at that moment.
import { Secrets } from '../../src/guards/secrets.ts';
import { Engine } from '../engine.ts';
import type { Flow, Scope } from '../../src/engine/scope.ts';
import type { World } from '../../src/engine/world.ts';
import type { AgentEvent } from '../../src/gateways/gateway.ts';
import { approval, budget } from '../../src/policies/standard.ts';
import type { Command } from '../../src/run/commands.ts';
import { RunError } from '../../src/run/failure.ts';
import { foldAll } from '../../src/run/entries.ts';
import { undecidedApprovals, type RunTree } from '../../src/run/tree.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { Simulation, type Odds, type Shared, type SimProcess } from '../simulation.ts';
import { entriesOf, flowOf, toolOf } from '../world.ts';
import { sha256 } from '../../src/loop/machine.ts';

/** One thing a tool or agent really did, and what the journal said at that moment. */
export interface Deed {
  readonly run: string;
  readonly key: string;
  readonly what: string;
  readonly intended: boolean;
  readonly recorded: boolean;
}

export const flows: readonly Flow[] = [
  flowOf(async (scope) => {
    const [first, second] = await both(
      scope,
      (branch) => branch.call('read', {}),
      (branch) => branch.call('charge', { n: 1 }),
    );
    const last = await scope.call('store', { n: 2 });
    return [first, second, last].map(({ outcome }) => outcome).join(' ');
  }, 'fan'),
  flowOf(async (scope) => {
    await scope.step({ key: 'outer' }, async (outer) => {
      outer.say('working');
      await outer.call('charge', { n: 3 }, { key: 'gated-1' });
      outer.say('still working');
    });
    const answer = await scope.ask({ title: 'Go on?' });
    const message = scope.message();
    await scope.call('approved', { n: 4 });
    return `${answer.decision} ${message?.text ?? '-'}`;
  }, 'questions'),
  flowOf(async (scope) => {
    const [one, two] = await both(
      scope,
      (branch) => branch.call('approved', { n: 5 }),
      (branch) => branch.call('approved', { n: 6 }),
    );
    const { text } = await scope.turn('remote', { messages: [{ role: 'user', text: 'hello' }] });
    return `${one.outcome} ${two.outcome} ${text}`;
  }, 'approvals'),
  flowOf(async (scope) => {
    const { decision } = await scope.ask({ title: 'In time?', expiresIn: 25_000 });
    await scope.call('charge', { n: 7 });
    return decision;
  }, 'deadline'),
];

async function both<A, B>(
  scope: Scope,
  a: (branch: Scope) => Promise<A>,
  b: (branch: Scope) => Promise<B>,
): Promise<[A, B]> {
  const { left, right } = await scope.parallel({ left: a, right: b });
  return [left, right];
}

export class Scene {
  readonly sim: Simulation;
  readonly deeds: Deed[] = [];
  readonly runs: string[] = [];
  readonly problems: unknown[] = [];
  readonly sent: { readonly run: string; readonly id: string; readonly command: Command }[] = [];
  #ids = 0;
  #workers = 0;

  constructor(seed: number, odds: Odds, share: (sim: Simulation) => Shared) {
    this.sim = new Simulation(seed, odds, share);
    const nobody = this.sim.immortal('nobody');
    this.sim.onCrash((dead) => {
      if (dead.name.startsWith('worker'))
        this.sim.schedule(nobody, () => this.hire(), Math.floor(this.sim.random() * 30_000));
    });
  }

  hire(): void {
    const process = this.sim.spawn(`worker-${(this.#workers += 1)}`);
    void this.engineOf(process)
      .work(new AbortController().signal)
      .catch((cause: unknown) => this.problems.push(cause));
  }

  engineOf(process: SimProcess): Engine {
    return new Engine(this.#world(process), process.name);
  }

  /** What a person does: decide what is asked, now and then pause, resume, stop or say something. */
  async act(person: SimProcess, run: string): Promise<void> {
    const tree = await this.treeOf(run);
    const roll = this.sim.random();
    const asked = undecidedApprovals(tree)[0];
    const by = 'ann';
    if (asked && roll < 0.6)
      return this.#send(person, run, {
        type: 'decide',
        by,
        approval: asked.approval,
        fingerprint: asked.fingerprint,
        decision: roll < 0.45 ? 'approve' : 'reject',
      });
    if (roll < 0.7) return this.#send(person, run, { type: 'pause', by });
    if (roll < 0.85) return this.#send(person, run, { type: 'resume', by });
    if (roll < 0.87) return this.#send(person, run, { type: 'stop', by });
    return this.#send(person, run, { type: 'message', by, text: 'hurry' });
  }

  /** A parked run with a command that nobody will look at: the one thing that must never be, at any moment. */
  async lookForLostWakeUps(): Promise<void> {
    for (const run of this.runs) {
      const [row, pending] = await Promise.all([
        this.sim.store.dispatch.get(run),
        this.sim.store.mailbox.pending(run),
      ]);
      if (row?.state === 'waiting' && pending.length > 0)
        this.problems.push(`${run} is parked with a command pending`);
    }
  }

  /** After the storm: nothing is left that only a person's patience could bring on. */
  async help(person: SimProcess, run: string): Promise<void> {
    const tree = await this.treeOf(run);
    if (tree.ended) return;
    if (tree.paused) await this.#send(person, run, { type: 'resume', by: 'ann' });
    for (const { approval: id, fingerprint } of undecidedApprovals(tree)) {
      const decision = { type: 'decide', by: 'ann', approval: id, fingerprint, decision: 'approve' } as const;
      await this.#send(person, run, decision);
    }
  }

  async treeOf(run: string): Promise<RunTree> {
    return foldAll(await entriesOf(this.sim.store, run));
  }

  /** A command is sent until somebody says that it is there; the same id, so that it counts once. */
  async #send(person: SimProcess, run: string, command: Command): Promise<void> {
    const id = `c${(this.#ids += 1)}`;
    const mailbox = this.sim.storeOf(person).mailbox;
    for (;;) {
      try {
        await mailbox.send({ id, run, command });
        this.sent.push({ run, id, command });
        return;
      } catch (thrown) {
        if (!(thrown instanceof RunError) || thrown.failure.code !== 'unavailable') return;
      }
    }
  }

  #world(process: SimProcess): World {
    const { sim } = this;
    return {
      store: sim.storeOf(process),
      clock: sim.clockOf(process),
      catalog: {
        flows,
        agents: [
          {
            name: 'remote',
            description: '',
            effect: 'once',
            gateway: { takeTurn: (turn) => this.#speak(process, turn.idempotencyKey) },
          },
        ],
        tools: this.#tools(process),
      },
      policies: [budget, approval],
      log: { error: ({ cause }) => void (cause instanceof RunError || this.problems.push(cause)) },
      newId: (kind) => `${kind}${(this.#ids += 1)}`,
      hash: sha256,
      secrets: new Secrets(),
    };
  }

  #tools(process: SimProcess): Tool[] {
    const does =
      (what: string) =>
      async (_: unknown, { run, idempotencyKey }: { run: string; idempotencyKey: string }) => {
        await this.#do(process, { run, key: idempotencyKey, what });
        await this.sim.moment(process);
        return { what };
      };
    return [
      toolOf('read', does('pure'), { effect: 'pure' }),
      toolOf('store', does('idempotent'), { effect: 'idempotent' }),
      toolOf('charge', does('once'), { effect: 'once' }),
      toolOf('approved', does('once'), { effect: 'once', approval: 'always' }),
    ];
  }

  async *#speak(process: SimProcess, key: string): AsyncGenerator<readonly AgentEvent[]> {
    await this.#do(process, { run: key.slice(0, key.indexOf('-')), key, what: 'once' });
    for (const text of ['good ', 'day']) {
      await this.sim.moment(process);
      yield [{ type: 'text.appended', text }];
    }
    yield [{ type: 'turn.finished', reason: 'stop' }];
  }

  /** The effect itself, beside what was durable when it was asked for. */
  async #do(process: SimProcess, deed: Pick<Deed, 'run' | 'key' | 'what'>): Promise<void> {
    const tree = await this.treeOf(deed.run);
    const step = tree.steps.get(Number(deed.key.split('-')[1]));
    const seen = { intended: step?.started === true, recorded: step?.closedAt !== undefined };
    await this.sim.moment(process);
    this.deeds.push({ ...deed, ...seen });
  }
}
