import { describe, expect, test } from 'vitest';
import { codes, Stage } from '../../test/stage.ts';
import { calm } from '../../test/virtual-clock.ts';
import { flowOf, testWorld, toolOf } from '../../test/world.ts';
import type { Flow } from '../engine/scope.ts';
import { workplaceIn } from '../engine/world.ts';
import type { Command } from '../run/commands.ts';
import { undecidedApprovals } from '../run/tree.ts';
import type { RunRow, Store } from '../stores/store.ts';
import { frontOf, type Front } from './front.ts';

const asks = flowOf(async (scope) => (await scope.ask({ title: 'Go on?' })).decision, 'asks');
const works = flowOf(async (scope) => (await scope.call('wait', {})).outcome, 'works');
const wait = toolOf('wait', (_, { signal }) => {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
});
const catalog = { flows: [asks, works], tools: [wait] };

/** A process that serves and works on nothing, over the store of a stage. */
function frontAt(stage: Stage, store: Store = stage.store): Front {
  return frontOf(workplaceIn(testWorld(catalog, { store, clock: stage.clock })));
}

async function begin(front: Front, flow: Flow): Promise<string> {
  const { run } = await front.start({ app: 'test', flow, input: { text: 'hello' } });
  await calm();
  return run;
}

async function rowOf({ store }: Stage, run: string): Promise<RunRow> {
  const row = await store.dispatch.get(run);
  if (!row) throw new Error(`no run ${run}`);
  return row;
}

describe('a front without a worker, and a worker alone, over one store', () => {
  test('[E250] what one starts the other takes', async () => {
    const stage = new Stage();
    const front = frontAt(stage);
    const run = await begin(front, asks);
    expect(await rowOf(stage, run)).toMatchObject({ state: 'ready', epoch: 0, worker: null, head: 1 });
    stage.hire(catalog);
    const tree = await stage.tree(run);
    expect(undecidedApprovals(tree)).toHaveLength(1);
    const took = await stage.events(run, 'worker.took');
    expect(took).toEqual([{ type: 'worker.took', worker: 'w1', epoch: 1, reason: 'started' }]);
  });

  test('[E250] a worker beside takes it in the same commit', async () => {
    const stage = new Stage();
    const run = await stage.start(stage.hire(catalog), works);
    const [first] = await stage.store.journal.read(run, 0);
    expect(first).toMatchObject({ first: 1, last: 2 });
    expect(await rowOf(stage, run)).toMatchObject({ state: 'running', epoch: 1, worker: 'w1' });
  });

  test('[E251] a decision, a message and a stop get there, and their entries come back', async () => {
    const stage = new Stage();
    stage.hire(catalog);
    const front = frontAt(stage);
    const run = await begin(front, asks);
    const [asked] = await stage.asked(run);
    const decision: Command = {
      type: 'decide',
      by: 'ann',
      decision: 'approve',
      approval: asked?.approval ?? '',
      fingerprint: asked?.fingerprint,
    };
    const decided = await front.command(await rowOf(stage, run), { command: decision, id: 'd1' });
    expect(decided.entry?.event).toMatchObject({ type: 'approval.decided', decision: 'approve', by: 'ann' });
    expect(decided.receipt).toMatchObject({ id: 'd1', used: decided.entry?.seq });
    expect((await stage.tree(run)).ended?.answer).toBe('approve');

    const other = await begin(front, works);
    const command = { type: 'message', by: 'ann', text: 'hurry' } as const;
    const said = await front.command(await rowOf(stage, other), { command, id: 'm1' });
    expect(said.entry?.event).toMatchObject({ type: 'message.queued', text: 'hurry' });
    const stop = { command: { type: 'stop', by: 'ann' }, id: 's1' } as const;
    const stopped = await front.command(await rowOf(stage, other), stop);
    expect(stopped.entry?.event).toMatchObject({ type: 'stop.requested', by: 'ann' });
    await stage.clock.pass(1_000);
    expect((await stage.tree(other)).ended?.outcome).toBe('stopped');
    // Asked again after the end, it is the same stop.
    expect((await front.command(await rowOf(stage, other), stop)).entry).toEqual(stopped.entry);
  });

  test('[E251] a run that works elsewhere is stopped, and then erased', async () => {
    const stage = new Stage();
    stage.hire(catalog);
    const front = frontAt(stage);
    const run = await begin(front, works);
    const { tenant, conversation } = await rowOf(stage, run);
    const erasing = front.erase({ tenant, conversation, by: 'ann' });
    await stage.clock.pass(1_000);
    expect(await erasing).toBe(1);
    expect(await stage.store.dispatch.get(run)).toBeUndefined();
  });

  test('[E251] what its stop cut off elsewhere is told, and nothing is erased', async () => {
    const stage = new Stage();
    const pay = toolOf('wait', () => new Promise(() => {}), { effect: 'once' });
    stage.hire({ ...catalog, tools: [pay] });
    const front = frontAt(stage);
    const run = await begin(front, works);
    const { tenant, conversation } = await rowOf(stage, run);
    const refused = expect(front.erase({ tenant, conversation, by: 'ann' })).rejects.toThrow(
      'Nothing was erased yet',
    );
    await stage.clock.pass(1_000);
    await refused;
    expect((await stage.tree(run)).ended?.outcome).toBe('stopped');
  });

  test('[E252] a command is put into the mailbox once, and its receipt is an entry', async () => {
    const stage = new Stage();
    stage.hire(catalog);
    const { mailbox } = stage.store;
    const sent: string[] = [];
    const send: Store['mailbox']['send'] = (command) => {
      sent.push(command.id);
      return mailbox.send(command);
    };
    const front = frontAt(stage, { ...stage.store, mailbox: { ...mailbox, send } });
    const run = await begin(front, works);
    const paused = await front.command(await rowOf(stage, run), {
      command: { type: 'pause', by: 'ann' },
      id: 'p1',
    });
    expect(paused.entry?.event).toMatchObject({ type: 'run.paused', command: 'p1' });
    // What cannot be becomes a notice, which names the command it was, too.
    const again = front.command(await rowOf(stage, run), {
      command: { type: 'pause', by: 'bo' },
      id: 'p2',
    });
    await stage.clock.pass(11_000);
    expect((await again).entry?.event).toMatchObject({ code: 'ALREADY_PAUSED', command: 'p2' });
    expect(sent).toEqual(['p1', 'p2']);
  });

  test('[E42 E252] a hint that got lost is waited for until the lease is renewed', async () => {
    const stage = new Stage();
    const deaf: Store = { ...stage.store, listen: () => () => {} };
    stage.hire(catalog, { store: deaf });
    const front = frontAt(stage);
    const run = await begin(front, works);
    await stage.clock.pass(1_000);
    const row = await rowOf(stage, run);
    const pausing = front.command(row, { command: { type: 'pause', by: 'ann' }, id: 'p1' });
    await stage.clock.pass(6_000);
    expect((await pausing).entry?.event.type).toBe('run.paused');
  });

  test('[E252] where nobody comes in time, it waits, and whoever asked is told so', async () => {
    const stage = new Stage();
    const front = frontAt(stage);
    const run = await begin(front, works);
    const row = await rowOf(stage, run);
    const pausing = front.command(row, { command: { type: 'pause', by: 'ann' }, id: 'p1' });
    await stage.clock.pass(11_000);
    expect(await pausing).toMatchObject({ receipt: { used: null, fresh: true }, entry: undefined });
    stage.hire(catalog);
    expect((await stage.tree(run)).paused).toBe(true);
  });
});

test('[E253] what is asked of a run is recorded where its flow is not known, whoever serves', async () => {
  const stage = new Stage();
  const first = stage.hire(catalog);
  const run = await stage.start(first, asks);
  await first.quit();
  const other = stage.hire({ flows: [works], tools: [wait] });
  const front = frontOf(workplaceIn(other.world), { worker: other.engine });
  const sent = { command: { type: 'message', by: 'ann', text: 'hurry' }, id: 'm1' } as const;
  const said = await front.command(await rowOf(stage, run), sent);
  expect(said.entry?.event.type).toBe('message.queued');
  const stop = { command: { type: 'stop', by: 'ann' }, id: 's1' } as const;
  await front.command(await rowOf(stage, run), stop);
  const tree = await stage.tree(run);
  expect([tree.ended?.outcome, codes(tree)]).toEqual(['stopped', ['RUN_STRANDED']]);
});
