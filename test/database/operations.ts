// What many writers ask of the same few runs, lines, commands and blobs, nearly always in each other's way.
import type { Operation } from '../../src/stores/batch.ts';
import type { Argument } from '../../src/stores/rules/rules.ts';
import { sharedName } from '../../src/stores/memory/shared.ts';
import type { Fence, RunRow, Store } from '../../src/stores/store.ts';
import type { Simulation } from '../simulation.ts';
import type { StoredRows } from './rows.ts';

export const runs = ['a', 'b', 'c'];
export const lines = ['x', 'y'];
export const commands = ['1', '2', '3'];
export const texts = ['one', 'two'];
export const shared = ['p', 'q'].map((name) => ({ kind: 'pins', tenant: '', name }));
export const tenant = 't';
const flows = ['flow@1'];
const lease = 60;

/** What one knows of a run that may be there in a moment. */
const young = { epoch: 1, head: 1, state: 'running', status: 'running', approvals: 0 } as const;

/** What is looked at of a row to ask for something. */
type Seen = Pick<RunRow, 'run' | 'epoch' | 'head' | 'state' | 'status' | 'approvals'>;

/** Some operations to be asked for at once, as one who looked at the rows a while ago would. */
export function someOperations(sim: Simulation, rows: StoredRows, writer: string): readonly Operation[] {
  const operations = Array.from({ length: 1 + Math.floor(sim.random() ** 2 * 3) }, () => {
    if (sim.chance(0.1)) return share(sim, rows);
    const run = pick(sim, runs);
    const row = rows.row(run) ?? (sim.chance(0.4) ? { ...young, run } : undefined);
    return row ? ofRun(sim, row, writer) : create(sim, run);
  });
  return operations.filter(
    (operation, i) => !operations.slice(0, i).some((other) => isBlurred(operation, other)),
  );
}

/**
 * Together in one commit, nobody outside could tell what became of each: two appends to one run are joined, two claims
 * share what they found, and of a run that was claimed and erased nothing is left.
 */
function isBlurred(one: Operation, other: Operation): boolean {
  if (one.name === 'append')
    return other.name === 'append' && other.argument.fence.run === one.argument.fence.run;
  const claiming = [one.name, other.name];
  return claiming.every((name) => name === 'claim' || name === 'erase') && claiming.includes('claim');
}

/** Asks a store for it. */
export function ask(store: Store, { name, argument }: Operation): Promise<unknown> {
  switch (name) {
    case 'append':
      return store.journal.append(argument);
    case 'create':
      return store.dispatch.create(argument);
    case 'claim':
      return store.dispatch.claim(argument);
    case 'renew':
      return store.dispatch.renew(argument.fences, argument.lease);
    case 'release':
      return store.dispatch.release(argument);
    case 'handBack':
      return store.dispatch.handBack(argument);
    case 'hold':
      return store.dispatch.hold(argument.fence, argument.name);
    case 'letGo':
      return store.dispatch.letGo(argument.fence, argument.name);
    case 'erase':
      return store.dispatch.erase(argument);
    case 'send':
      return store.mailbox.send(argument);
    case 'put':
      return store.blobs.put(argument.owner, argument.text);
    case 'share':
      return store.shared.set(argument);
    case 'damage':
      throw new Error('nobody asks for damage');
  }
}

/** The epoch that a writer believed in is in what it wrote. */
export function epochIn(frames: string): number {
  return Number(/ of (\d+) by /.exec(frames)?.[1] ?? 0);
}

function frameOf(sim: Simulation, seq: number, { epoch, writer }: { epoch: number; writer: string }): string {
  return `id: ${seq}\ndata: ${Math.floor(sim.random() * 1e9)} of ${epoch} by ${writer}\n\n`;
}

function create(sim: Simulation, run: string): Operation {
  const key = sim.chance(0.5) ? { idempotencyKey: pick(sim, ['k', 'l']) } : {};
  const claim = sim.chance(0.6) ? { claim: { worker: 'w', lease } } : {};
  const names = { run, tenant, conversation: 'c', app: 'app', title: 'Title', flow: 'flow@1' };
  const frames = frameOf(sim, 1, { epoch: 'claim' in claim ? 1 : 0, writer: 'creator' });
  return { name: 'create', argument: { ...names, last: 1, frames, ...key, ...claim } };
}

type Make = (sim: Simulation, row: Seen, writer: string) => Operation;

const kinds: readonly (readonly [weight: number, make: Make])[] = [
  [30, (sim, row, writer) => append(sim, row, { writer })],
  [
    7,
    (sim, row, writer) =>
      append(sim, row, { writer, uses: [{ command: pick(sim, commands), seq: row.head + 1 }] }),
  ],
  [3, (sim, row, writer) => append(sim, row, { writer, ends: true })],
  [3, (sim, row, writer) => append(sim, row, { writer, summary: { status: 'paused', approvals: 1 } })],
  [8, () => ({ name: 'claim', argument: { worker: 'w', flows, max: 2, lease } })],
  [8, (_, { run }) => ({ name: 'claim', argument: { worker: 'w', flows, max: 1, lease, run } })],
  [6, (sim, row) => ({ name: 'renew', argument: { fences: [fence(sim, row)], lease } })],
  [12, (sim, row) => release(sim, row)],
  [4, (sim, row) => ({ name: 'handBack', argument: fence(sim, row) })],
  [9, (sim, row) => hold(sim, row, pick(sim, lines))],
  [6, (sim, row) => letGo(sim, row, pick(sim, lines))],
  [14, (sim, { run }) => send(sim, run)],
  [2, (sim, { run }) => ({ name: 'put', argument: { owner: { tenant, run }, text: pick(sim, texts) } })],
  [1, (_, { run }) => ({ name: 'erase', argument: run })],
];
const weights = kinds.reduce((sum, [weight]) => sum + weight, 0);

function ofRun(sim: Simulation, row: Seen, writer: string): Operation {
  if (row.state === 'ended' && sim.chance(0.5)) return { name: 'erase', argument: row.run };
  if (row.state === 'running' && isRush(sim))
    return sim.chance(0.5) ? hold(sim, row, 'x') : letGo(sim, row, 'x');
  let roll = sim.random() * weights;
  for (const [weight, make] of kinds) {
    roll -= weight;
    if (roll < 0) return make(sim, row, writer);
  }
  return send(sim, row.run);
}

/** Now and then everybody comes to the same line. */
function isRush({ now }: Simulation): boolean {
  return now % 50 < 20;
}

function hold(sim: Simulation, row: Seen, line: string): Operation {
  return { name: 'hold', argument: { fence: fence(sim, row), name: line } };
}

function letGo(sim: Simulation, row: Seen, line: string): Operation {
  return { name: 'letGo', argument: { fence: fence(sim, row), name: line } };
}

/** Mostly of whoever has the run; now and then of one who had it. */
function fence(sim: Simulation, { run, epoch }: Seen): Fence {
  return { run, epoch: sim.chance(0.1) ? Math.max(1, epoch - 1) : epoch };
}

function append(
  sim: Simulation,
  row: Seen,
  { writer, ...change }: Partial<Argument<'append'>> & { readonly writer: string },
): Operation {
  const mine = fence(sim, row);
  const head = sim.chance(0.05) ? Math.max(0, row.head + (sim.chance(0.5) ? 1 : -1)) : row.head;
  const { status, approvals } = row;
  const frames = frameOf(sim, head + 1, { ...mine, writer });
  return {
    name: 'append',
    argument: { fence: mine, head, last: head + 1, frames, summary: { status, approvals }, ...change },
  };
}

function release(sim: Simulation, row: Seen): Operation {
  const wakeAt = sim.chance(0.5) ? { wakeAt: sim.now + Math.floor(sim.random() * 60) } : {};
  const begun = sim.chance(0.3) ? { begun: [pick(sim, lines)] } : {};
  return { name: 'release', argument: { fence: fence(sim, row), head: row.head, ...wakeAt, ...begun } };
}

/** Mostly of the version that is there; now and then of one that was. */
function share(sim: Simulation, rows: StoredRows): Operation {
  const key = pick(sim, shared);
  const known = rows.shared.get(sharedName(key))?.version ?? 0;
  const version = sim.chance(0.2) ? Math.max(0, known - 1) : known;
  const value = `${Math.floor(sim.random() * 1e9)}`;
  return { name: 'share', argument: { ...key, value, version } };
}

function send(sim: Simulation, run: string): Operation {
  const type = pick(sim, ['pause', 'resume', 'stop'] as const);
  return { name: 'send', argument: { run, id: pick(sim, commands), command: { type, by: 'ann' } } };
}

function pick<T>(sim: Simulation, values: readonly T[]): T {
  const value = values[Math.floor(sim.random() * values.length)];
  if (value === undefined) throw new Error('nothing to pick from');
  return value;
}
