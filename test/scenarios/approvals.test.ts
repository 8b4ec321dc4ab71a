import fc from 'fast-check';
import { Secrets } from '../../src/guards/secrets.ts';
import { expect, test } from 'vitest';
import { Engine } from '../engine.ts';
import { approval, budget } from '../../src/policies/standard.ts';
import type { Command } from '../../src/run/commands.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Approval } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import { calm, Simulation } from '../simulation.ts';
import { overMemory } from '../storm/over-memory.ts';
import { ended, entriesOf, flowOf, startRun, testWorld, toolOf, treeOf, until } from '../world.ts';
import { sha256 } from '../../src/loop/machine.ts';

const resumes = 500;
const schedules = Number(process.env['SCHEDULES'] ?? 3_000);
const schema = {
  type: 'object',
  properties: { amount: { type: 'number' } },
  required: ['amount'],
  additionalProperties: false,
};

const payTwice = flowOf(async (scope) => {
  const { outcome } = await scope.call('pay', { amount: 5 }, { key: 'first' });
  await scope.call('pay', { amount: 6 }, { key: 'second' });
  return outcome;
});

type Decide = Extract<Command, { type: 'decide' }>;
type Mutation = (
  right: Decide,
  asked: Approval,
  spent: readonly Approval[],
) => { run?: string; decide: unknown };

/** Ways of resuming with something else than what a person agreed to. */
const mutations: Readonly<Record<string, Mutation>> = {
  'another approval': (right) => ({ decide: { ...right, approval: `${right.approval}0` } }),
  'an approval of another run': (right) => ({
    decide: { ...right, approval: right.approval.replace('run_', 'run_x') },
  }),
  'another run': (right) => ({ run: 'run_nobody', decide: right }),
  'another fingerprint': (right, { fingerprint }) => ({
    decide: { ...right, fingerprint: fingerprint.replace(/.$/, (last) => (last === '0' ? '1' : '0')) },
  }),
  'no fingerprint': (right) => ({ decide: { ...right, fingerprint: undefined } }),
  'the fingerprint of a spent approval': (right, _, spent) => ({
    decide: { ...right, fingerprint: spent[0]?.fingerprint ?? 'none' },
  }),
  'a spent approval': (right, _, spent) => ({ decide: { ...right, approval: spent[0]?.approval ?? 'none' } }),
  'an edit without arguments': (right) => ({ decide: { ...right, decision: 'edit' } }),
  'an edit that does not fit': (right) => ({
    decide: { ...right, decision: 'edit', arguments: { amount: 'all', to: 'me' } },
  }),
  'arguments beside an approval': (right) => ({ decide: { ...right, arguments: { amount: 1_000_000 } } }),
  'a decision nobody offers': (right) => ({ decide: { ...right, decision: 'expire' } }),
  'an unknown decision': (right) => ({ decide: { ...right, decision: 'approved' } }),
  'nobody in particular': (right) => ({ decide: { ...right, by: '' } }),
  'a policy of its own': (right) => ({ decide: { ...right, policy: 2 } }),
  'a tenant of its own': (right) => ({ decide: { ...right, tenant: 'other' } }),
  'a call of its own': (right) => ({
    decide: { ...right, call: { id: 'x', tool: 'pay', arguments: { amount: 9 } } },
  }),
};

test(`[L10] ${resumes} mutated resumes execute nothing that was not approved`, async () => {
  const used = new Set<string>();
  const names = Object.keys(mutations);
  const property = fc.asyncProperty(
    fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }),
    async (chosen) => {
      const paid: Json[] = [];
      const pay = toolOf('pay', (input) => ({ receipt: paid.push(input) }), {
        effect: 'once',
        approval: 'always',
        schema,
      });
      const world = testWorld({ flows: [payTwice], tools: [pay] });
      const engine = new Engine(world, 'w');
      const over = new AbortController();
      const working = engine.work(over.signal);
      const { run } = await startRun(engine, payTwice);
      const agreed: Json[] = [];
      for (const amount of [5, 6]) {
        const tree = await until(
          world.store,
          run,
          (now) =>
            now.undecided === 1 &&
            [...now.approvals.values()].at(-1)?.decided === undefined &&
            now.approvals.size === amount - 4,
        );
        const asked = [...tree.approvals.values()].at(-1);
        if (!asked) throw new Error('nothing was asked');
        const spent = [...tree.approvals.values()].slice(0, -1);
        const { approval: id, fingerprint } = asked;
        const right: Decide = { type: 'decide', by: 'ann', approval: id, fingerprint, decision: 'approve' };
        for (const name of chosen) {
          used.add(name);
          const { run: other = run, decide } = mutations[name]?.(right, asked, spent) ?? { decide: right };
          await engine.send(other, decide as Command).catch((thrown: unknown) => {
            expect(thrown).toBeInstanceOf(RunError);
          });
          const decided = (await treeOf(world.store, run)).approvals.get(asked.approval)?.decided;
          expect(decided, name).toBeUndefined();
          expect(paid, `${name} executed something`).toEqual(agreed);
        }
        await engine.send(run, right);
        agreed.push({ amount });
        await until(world.store, run, (now) => now.ended !== undefined || now.approvals.size > amount - 4);
        expect(paid).toEqual(agreed);
      }
      await ended(world.store, run);
      over.abort();
      await working;
      expect(paid).toEqual([{ amount: 5 }, { amount: 6 }]);
      expect(world.problems).toEqual([]);
    },
  );
  await fc.assert(property, { numRuns: resumes / 2 });
  expect([...used].sort()).toEqual(names.sort());
});

const payOnce = flowOf(async (scope) => (await scope.call('pay', { amount: 5 })).outcome, 'once');

/** Approve, reject and stop, each from somebody else, at any moment. */
async function race(seed: number): Promise<{ winner: string; paid: number }> {
  const sim = new Simulation(seed, { ...calm, deaf: 0.1 }, overMemory);
  const worker = sim.spawn('worker');
  let paid = 0;
  let ids = 0;
  const pay = toolOf(
    'pay',
    async () => {
      await sim.moment(worker);
      paid += 1;
      return { paid };
    },
    { effect: 'once', approval: 'always', schema },
  );
  const world = {
    store: sim.storeOf(worker),
    clock: sim.clockOf(worker),
    catalog: { flows: [payOnce], agents: [], tools: [pay] },
    policies: [budget, approval],
    log: { error: ({ cause }: { readonly cause: unknown }) => expect(cause).toBeInstanceOf(RunError) },
    newId: (kind: string) => `${kind}${(ids += 1)}`,
    hash: sha256,
    secrets: new Secrets(),
  };
  const engine = new Engine(world, 'worker');
  void engine.work(new AbortController().signal);
  let run = '';
  void engine
    .start({ app: 'race', flow: payOnce, input: { text: 'go' } })
    .then((started) => (run = started.run));
  await sim.until(() => run !== '', 200);
  const asked = `${run}.a1`;
  await sim.until(async () => (await treeOf(sim.store, run)).undecided > 0, 200);
  const { fingerprint = '' } = (await treeOf(sim.store, run)).approvals.get(asked) ?? {};
  const commands: Command[] = [
    { type: 'decide', by: 'ann', approval: asked, fingerprint, decision: 'approve' },
    { type: 'decide', by: 'bob', approval: asked, decision: 'reject' },
    { type: 'stop', by: 'eve' },
  ];
  commands.forEach((command, i) => {
    const person = sim.spawn(`person-${i}`);
    sim.schedule(
      person,
      () => {
        sim
          .storeOf(person)
          .mailbox.send({ id: `c${i}`, run, command })
          .catch((thrown: unknown) => expect(thrown).toBeInstanceOf(RunError));
      },
      Math.floor(sim.random() * 4),
    );
  });
  await sim.until(async () => (await treeOf(sim.store, run)).ended !== undefined, 600);
  return { winner: await winnerOf(sim, run), paid };
}

async function winnerOf(sim: Simulation, run: string): Promise<string> {
  const entries = await entriesOf(sim.store, run);
  const decisions = entries.filter(({ event }) => event.type === 'approval.decided');
  expect(decisions.length, 'final decisions').toBeLessThanOrEqual(1);
  const tree = await treeOf(sim.store, run);
  expect(tree.ended, 'the run ended').toBeDefined();
  const [decided] = [...tree.approvals.values()].map((asked) => asked.decided?.decision);
  return decided ?? 'stop';
}

test(`[L9 L10] [R34] approve, reject and stop race in ${schedules} schedules: one winner`, async () => {
  const won = new Map<string, number>();
  for (let seed = 1; seed <= schedules; seed += 1) {
    const { winner, paid } = await race(seed);
    won.set(winner, (won.get(winner) ?? 0) + 1);
    expect(paid, `seed ${seed}: ${winner} won`).toBeLessThanOrEqual(winner === 'approve' ? 1 : 0);
  }
  expect([...won.keys()].sort()).toEqual(['approve', 'reject', 'stop']);
}, 600_000);
