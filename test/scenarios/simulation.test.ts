import { Secrets } from '../../src/guards/secrets.ts';
import { expect, test } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import type { Flow, Scope } from '../../src/engine/scope.ts';
import type { World } from '../../src/engine/world.ts';
import type { AgentEvent } from '../../src/gateways/gateway.ts';
import { approval } from '../../src/policies/approval.ts';
import { budget } from '../../src/policies/budget.ts';
import type { Command } from '../../src/run/commands.ts';
import { decodeAll } from '../../src/run/codec.ts';
import type { Entry } from '../../src/run/events.ts';
import { RunError } from '../../src/run/failure.ts';
import { foldAll } from '../../src/run/fold.ts';
import { undecidedApprovals, type RunTree } from '../../src/run/tree.ts';
import { sha256 } from '../../src/server/system.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { seedOf, tell } from '../long.ts';
import { drift } from '../../src/engine/clock.ts';
import { calm, Simulation, type Odds, type SimProcess } from '../simulation.ts';
import { entriesOf, flowOf, toolOf } from '../world.ts';

const schedules = Number(process.env['SCHEDULES'] ?? 10_000);
const stormy: Odds = { crash: 0.004, freeze: 0.002, lost: 0.01, ambiguous: 0.01, deaf: 0.05, clock: 0.005 };
const frozen: Odds = { crash: 0.001, freeze: 0.02, lost: 0, ambiguous: 0, deaf: 0.05, clock: 0.01 };
const weathers: readonly Odds[] = [stormy, frozen, stormy, frozen, calm];

/** When every simulation begins. */
const dawn = 1_000_000;
/** Crashes, freezes and commands take a run up again; nothing else may. */
const mostWakes = 60;

/** One thing a tool or agent really did, and what the journal said at that moment. */
interface Deed {
  readonly run: string;
  readonly key: string;
  readonly what: string;
  readonly intended: boolean;
  readonly recorded: boolean;
}

const flows: readonly Flow[] = [
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

class Scene {
  readonly sim: Simulation;
  readonly deeds: Deed[] = [];
  readonly runs: string[] = [];
  readonly problems: unknown[] = [];
  readonly sent: { readonly run: string; readonly id: string; readonly command: Command }[] = [];
  #ids = 0;
  #workers = 0;

  constructor(seed: number, odds: Odds) {
    this.sim = new Simulation(seed, odds);
    this.sim.onCrash = (dead) => {
      if (dead.name.startsWith('worker'))
        this.sim.schedule(this.#nobody, () => this.hire(), Math.floor(this.sim.random() * 30_000));
    };
  }

  readonly #nobody: SimProcess = {
    name: 'nobody',
    isImmortal: true,
    isDead: false,
    frozenUntil: 0,
    offset: 0,
    slept: 0,
  };

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

async function play(seed: number, odds: Odds): Promise<{ scene: Scene; trees: RunTree[] }> {
  const scene = new Scene(seed, odds);
  const { sim } = scene;
  scene.hire();
  scene.hire();
  const person = sim.spawn('person');
  const door = sim.spawn('door');
  await begin(scene, door);
  sim.kill(door);
  for (let i = 0; i < 6; i += 1) {
    for (const run of scene.runs)
      sim.schedule(person, () => void scene.act(person, run), Math.floor(sim.random() * 20_000));
  }
  await sim.until(() => false, 250);
  sim.odds = calm;
  await scene.lookForLostWakeUps();
  const helper = sim.spawn('helper');
  let isOver = false;
  for (let round = 0; round < 60 && !isOver; round += 1) {
    await sim.until(() => false, 60);
    await scene.lookForLostWakeUps();
    isOver = (
      await Promise.all(scene.runs.map(async (run) => (await scene.treeOf(run)).ended !== undefined))
    ).every(Boolean);
    if (round % 4 === 3) for (const run of scene.runs) void scene.help(helper, run);
  }
  return { scene, trees: await Promise.all(scene.runs.map((run) => scene.treeOf(run))) };
}

/** Runs are created by someone who then goes away, so that workers must find them. */
async function begin(scene: Scene, door: SimProcess): Promise<void> {
  const flow = flows[Math.floor(scene.sim.random() * flows.length)] ?? flows[0];
  if (!flow) throw new Error('no flows');
  const engine = scene.engineOf(door);
  let started: { run: string } | undefined;
  const odds = scene.sim.odds;
  scene.sim.odds = calm;
  void engine.start({ app: 'sim', flow, input: { text: 'go' } }).then((result) => (started = result));
  await scene.sim.until(() => started !== undefined, 100);
  scene.sim.odds = odds;
  if (!started) throw new Error('the run was not created');
  scene.runs.push(started.run);
}

async function judge({ scene, trees }: { scene: Scene; trees: RunTree[] }): Promise<string[]> {
  const wrongs: string[] = scene.problems.map((problem) => `a bug: ${String(problem)}`);
  for (const [i, run] of scene.runs.entries()) {
    const tree = trees[i];
    const entries = await entriesOf(scene.sim.store, run);
    if (!tree?.ended) wrongs.push(`${run} never ended: ${await whereabouts(scene, run, entries)}`);
    wrongs.push(
      ...judgeJournal(run, entries),
      ...judgeTimes(scene, run, entries),
      ...judgeAppends(scene, run, entries),
      ...judgeDeeds(scene, run, tree),
    );
    wrongs.push(...(await judgeCommands(scene, run, entries)));
    if ((await scene.sim.store.mailbox.pending(run)).length > 0) wrongs.push(`${run} left commands unused`);
  }
  return wrongs;
}

async function whereabouts({ sim }: Scene, run: string, entries: readonly Entry[]): Promise<string> {
  const row = await sim.store.dispatch.get(run);
  return JSON.stringify({ at: sim.now, row, entries: entries.map(({ at, event }) => [at, event]) });
}

function judgeJournal(run: string, entries: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  entries.forEach(({ seq }, i) => seq === i + 1 || wrongs.push(`${run} has ${seq} at place ${i + 1}`));
  const ends = entries.filter(({ event }) => event.type === 'run.ended');
  if (ends.length > 1 || (ends.length === 1 && ends[0] !== entries.at(-1)))
    wrongs.push(`${run} goes on after its end`);
  const epochs = entries.flatMap(({ event }) => (event.type === 'worker.took' ? event.epoch : []));
  if (epochs.some((epoch, i) => i > 0 && epoch <= (epochs[i - 1] ?? 0)))
    wrongs.push(`${run} has epochs ${epochs.join()}`);
  for (const { message } of foldAll(entries).notices.filter(
    ({ code }) => code === 'OUT_OF_PLACE' || code === 'FLOW_DIVERGED',
  ))
    wrongs.push(`${run}: ${message}`);
  return wrongs;
}

/** No clock of a worker, however wrong, moves the times of a run, ends a question early or keeps waking the run. */
function judgeTimes({ sim }: Scene, run: string, entries: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  const tree = foldAll(entries);
  entries.forEach(({ at }, i) => at >= (entries[i - 1]?.at ?? 0) || wrongs.push(`${run} goes back at ${i}`));
  if ((entries.at(-1)?.at ?? 0) > sim.now + drift) wrongs.push(`${run} has times that are yet to come`);
  if (tree.spent.milliseconds > sim.now - dawn + drift)
    wrongs.push(`${run} worked for ${tree.spent.milliseconds} ms`);
  for (const { decided, expiresAt = 0 } of tree.approvals.values())
    if (decided?.decision === 'expire' && decided.at < expiresAt)
      wrongs.push(`${run} expired a question early`);
  if (tree.epoch > mostWakes) wrongs.push(`${run} was taken up ${tree.epoch} times`);
  return wrongs;
}

/** What a command became must say so, or be the end that overtook it. */
async function judgeCommands(
  { sim, sent }: Scene,
  run: string,
  entries: readonly Entry[],
): Promise<string[]> {
  const wrongs: string[] = [];
  for (const { id, command } of sent.filter((one) => one.run === run)) {
    const { used } = await sim.store.mailbox.send({ id, run, command });
    const event = used === null ? undefined : entries[used - 1]?.event;
    const isIt =
      event?.type === 'run.ended' ||
      event?.type === 'notice.posted' ||
      (event && 'command' in event && event.command === id);
    if (!isIt)
      wrongs.push(`command ${id} (${command.type}) became entry ${used}, which is ${JSON.stringify(event)}`);
  }
  return wrongs;
}

function judgeAppends({ sim }: Scene, run: string, entries: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  let epoch = 0;
  for (const { fence, frames, process } of sim.appends.filter((append) => append.fence.run === run)) {
    if (fence.epoch < epoch) wrongs.push(`${process} wrote with epoch ${fence.epoch} after ${epoch}`);
    epoch = fence.epoch;
    for (const entry of decodeAll(frames)) {
      if (JSON.stringify(entries[entry.seq - 1]) !== JSON.stringify(entry))
        wrongs.push(`${run} lost entry ${entry.seq}`);
    }
  }
  return wrongs;
}

function judgeDeeds(scene: Scene, run: string, tree: RunTree | undefined): string[] {
  const wrongs: string[] = [];
  const counts = new Map<string, number>();
  for (const { key, what, intended, recorded } of scene.deeds.filter((deed) => deed.run === run)) {
    if (!intended) wrongs.push(`${key} was done before its intent was durable`);
    if (recorded) wrongs.push(`${key} was done after its outcome was recorded`);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    const step = tree?.steps.get(Number(key.split('-')[1]));
    if (count > (what === 'once' ? 1 : (step?.attempt ?? 1)))
      wrongs.push(`${key} (${what}) was done ${count} times`);
  }
  return wrongs;
}

test(`[L3 L4 L5 L6 L7] [R36] [R57] ${schedules} schedules with crashes, freezes and lost commits: one writer, nothing lost, nothing twice`, async () => {
  const seen = {
    crash: 0,
    freeze: 0,
    lost: 0,
    ambiguous: 0,
    deaf: 0,
    clock: 0,
    expired: 0,
    doubts: 0,
    takeovers: 0,
    parked: 0,
    stopped: 0,
  };
  const first = seedOf('simulation');
  for (let seed = first; seed < first + schedules; seed += 1) {
    const played = await play(seed, weathers[seed % weathers.length] ?? calm);
    const wrongs = await judge(played);
    expect(wrongs, `seed ${seed}`).toEqual([]);
    for (const fault of ['crash', 'freeze', 'lost', 'ambiguous', 'deaf', 'clock'] as const)
      seen[fault] += played.scene.sim.seen[fault];
    for (const tree of played.trees) {
      seen.takeovers += tree.takeovers;
      seen.stopped += tree.ended?.outcome === 'stopped' ? 1 : 0;
      seen.parked += tree.epoch - 1 - tree.takeovers;
      seen.expired += [...tree.approvals.values()].filter(
        ({ decided }) => decided?.decision === 'expire',
      ).length;
      seen.doubts += [...tree.approvals.values()].filter(({ title }) => title.startsWith('Did')).length;
    }
  }
  tell('simulation', { schedules, ...seen });
  for (const [what, count] of Object.entries(seen))
    expect(count, `schedules saw ${what}`).toBeGreaterThan(schedules / 100);
}, 3_600_000);
