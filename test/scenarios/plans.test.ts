// Each task of a plan begins as soon as its own dependencies are settled, whoever else dawdles; and a run that is killed
// anywhere in it goes on as it would have.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Gateway } from '../../src/index.ts';
import type { Entry } from '../../src/run/events.ts';
import { RunError } from '../../src/run/failure.ts';
import type { Point } from '../kill/job.ts';
import type { Line } from '../kill/ledger.ts';
import { disturbed, inFolder, shapeOf, startLedger, type Outcome } from '../kill/sweep.ts';
import { seedOf, sized, tell } from '../long.ts';
import {
  begunWhen,
  drawPlan,
  fatesOf,
  planAgents,
  planSettings,
  planText,
  type DrawnTask,
} from '../random-plan.ts';
import { serving, textAt, untilAnswer, type Serving } from '../serving.ts';

/** Milliseconds that a slow agent waits at most for those who should have begun meanwhile. */
const patience = 20_000;

/** A plan that is being worked on: slow agents end one at a time, once all have begun that do not need them. */
class Play {
  readonly plan: readonly DrawnTask[];
  /** The slow ones that were let go, in that order. */
  readonly ended = new Set<string>();
  readonly #begun = new Set<string>();
  readonly #dawdling = new Map<string, () => void>();

  constructor(seed: number) {
    this.plan = drawPlan(seed);
  }

  async take(agent: string): Promise<string> {
    const task = this.plan.find((one) => one.agent === agent);
    if (!task) throw new Error(`${agent} has no part in this`);
    this.#begun.add(task.key);
    const over = task.nature === 'slow' ? this.#dawdle(task.key) : undefined;
    this.#look();
    await over;
    return task.nature === 'silent' ? '' : `${agent} did it`;
  }

  async #dawdle(key: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#dawdling.set(key, resolve);
    const enough = setTimeout(resolve, patience);
    await promise;
    clearTimeout(enough);
  }

  #look(): void {
    const fates = fatesOf(this.plan);
    for (const [key, end] of this.#dawdling) {
      const due = [...begunWhen(this.plan, this.ended)].filter((one) => fates.get(one) !== 'skipped');
      if (!due.every((one) => this.#begun.has(one))) return;
      this.#dawdling.delete(key);
      this.ended.add(key);
      end();
    }
  }
}

function staged() {
  const plays = new Map<number, Play>();
  const playOf = (seed: number): Play => {
    const play = plays.get(seed) ?? new Play(seed);
    plays.set(seed, play);
    return play;
  };
  const gateway = (name: string): Gateway => ({
    async *takeTurn({ messages }) {
      const text = messages.at(-1)?.text ?? '';
      const play = playOf(Number(/plan (\d+)/.exec(text)?.[1]));
      if (name === 'router') yield [{ type: 'text.appended', text: planText(play.plan) }];
      else if (name === 'writer') yield [{ type: 'text.appended', text: 'Written.' }];
      else {
        const said = await play.take(name);
        if (play.plan.find(({ agent }) => agent === name)?.nature === 'fails')
          throw new RunError('malformed', 'It broke.');
        if (said !== '') yield [{ type: 'text.appended', text: said }];
      }
      yield [{ type: 'turn.finished', reason: 'stop' }];
    },
  });
  return { gateway, playOf };
}

async function entriesOf(at: Serving, run: string): Promise<readonly Entry[]> {
  const { json } = await at.ask(`/api/runs/${run}/entries?limit=1000`);
  return (json as { readonly entries: readonly Entry[] }).entries;
}

/** When each task was begun or skipped, and when it was settled, as places in the journal. */
function courseOf(entries: readonly Entry[]) {
  const steps = new Map<number, string>();
  const [begun, settled] = [new Map<string, number>(), new Map<string, number>()];
  const fates = new Map<string, string>();
  for (const { seq, event } of entries) {
    if (event.type === 'step.planned') steps.set(event.step, event.key);
    const key = 'step' in event ? (steps.get(event.step ?? -1) ?? '') : '';
    const task = /^(\d+) a\d$/.exec(key) ? `t${Number(key.split(' ')[0]) - 1}` : undefined;
    if (task === undefined) continue;
    if (event.type === 'step.opened' || event.type === 'step.closed')
      begun.set(task, Math.min(seq, begun.get(task) ?? seq));
    if (event.type !== 'step.closed') continue;
    settled.set(task, seq);
    fates.set(task, event.outcome);
  }
  return { begun, settled, fates };
}

/** What a journal shows of waiting too long: nobody is behind a slow one that was let go once all others had begun. */
function lateIn(entries: readonly Entry[], { plan, ended }: Play): string[] {
  const { begun, settled } = courseOf(entries);
  const fates = fatesOf(plan);
  return [...ended].flatMap((key, i, order) =>
    [...begunWhen(plan, new Set(order.slice(0, i)))]
      .filter((other) => fates.get(other) !== 'skipped' && at(begun, other) > at(settled, key))
      .map((other) => `${other} waited for ${key}, which it does not need`),
  );
}

/** And of waiting too short, or of an end that is another one. */
function wrongsIn(entries: readonly Entry[], plan: readonly DrawnTask[]): string[] {
  const { begun, settled, fates } = courseOf(entries);
  const expected = fatesOf(plan);
  return [
    ...plan.flatMap(({ key, dependsOn }) =>
      dependsOn
        .filter((other) => at(begun, key) < at(settled, other))
        .map((other) => `${key} did not wait for ${other}`),
    ),
    ...plan
      .filter(({ key }) => fates.get(key) !== expected.get(key))
      .map(({ key }) => `${key} is ${fates.get(key)}, not ${expected.get(key)}`),
  ];
}

function at(places: ReadonlyMap<string, number>, key: string): number {
  return places.get(key) ?? Infinity;
}

test(
  '[K31 K32] each task of a random plan begins as soon as its own dependencies are settled',
  { timeout: 600_000 },
  async () => {
    const { gateway, playOf } = staged();
    const staff = ['router', 'writer'].map(
      (name) => [name, { gateway: gateway(name), effect: 'pure' }] as const,
    );
    const others = planAgents.map(
      (name) => [name, { gateway: gateway(name), effect: 'idempotent', trusted: true }] as const,
    );
    const house = await serving({
      config: {
        agents: Object.fromEntries([...staff, ...others]),
        apps: { team: { flow: 'coordinate', settings: { ...planSettings } } },
        defaultApp: 'team',
      },
    });
    const seen = { plans: sized(50, 500), skipped: 0, failed: 0, slow: 0, silent: 0 };
    const first = seedOf('plans');
    for (let seed = first; seed < first + seen.plans; seed += 1) {
      const plan = drawPlan(seed);
      const started = await house.ask('/api/runs', { json: { input: { text: `plan ${seed}` } } });
      const run = textAt(started, 'run');
      await untilAnswer(
        () => house.ask(`/api/runs/${run}`),
        (answer) => /completed|failed/.test(textAt(answer, 'status')),
      );
      const entries = await entriesOf(house, run);
      const wrongs = [...lateIn(entries, playOf(seed)), ...wrongsIn(entries, plan)];
      expect(wrongs, `SEED=${seed}: ${JSON.stringify(plan)}`).toEqual([]);
      const fates = [...fatesOf(plan).values()];
      const last = entries.at(-1)?.event;
      const outcome = fates.includes('completed') ? 'completed' : 'failed';
      expect(last, `SEED=${seed}`).toMatchObject({
        type: 'run.ended',
        outcome,
        answer: expect.stringMatching(/\S/),
      });
      seen.skipped += fates.filter((fate) => fate === 'skipped').length;
      seen.failed += fates.filter((fate) => fate === 'failed').length;
      seen.slow += plan.filter(({ nature }) => nature === 'slow').length;
      seen.silent += entries.filter(
        ({ event }) => event.type === 'notice.posted' && event.code === 'AGENT_SILENT',
      ).length;
    }
    tell('plans', seen);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  },
);

/** Plans in which somebody fails, somebody is skipped, somebody dawdles and somebody says nothing. */
const killed = [3, 6, 10] as const;
const each = sized(24, 1);
const atOnce = 3;

test.for(killed)(
  '[K31 K32 L6] SIGKILL of plan %i at its records: it goes on as it would have, and nobody is asked twice',
  { timeout: 1_500_000 },
  async (seed) => {
    const ledger = await startLedger();
    const plan = drawPlan(seed);
    const kill = (point: Point): Promise<Outcome> =>
      inFolder((folder) => {
        const file = join(folder, 'ledger.jsonl');
        const job = {
          folder,
          point,
          text: `plan ${seed}`,
          work: { flow: 'planned', seed, ledger: { socket: ledger.socket, file } },
        } as const;
        return disturbed(job, {
          decide: () => expect.fail('nobody is to be asked'),
          wrongs: () => [...askedWrongly(file, plan)],
        });
      });
    const undisturbed = await kill({ when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    const shape = shapeOf(undisturbed.tree);
    const most = Math.min(undisturbed.entries.length, Number(process.env['KILLS'] ?? Infinity));
    const records = Array.from({ length: Math.ceil(most / each) }, (_, i) => i * each + 1);
    const points = records.flatMap((entry): Point[] => [
      { when: 'before', entry },
      { when: 'after', entry },
    ]);
    const seen = { cut: 0, points: points.length };
    const queue = points.entries();
    const sweep = async (): Promise<void> => {
      for (const [, point] of queue) {
        const { entries, tree, wrongs, wasCut } = await kill(point);
        const name = `SEED=${seed} ${JSON.stringify(point)}`;
        seen.cut += wasCut ? 1 : 0;
        if (entries.length === 0) continue;
        expect(wrongs, name).toEqual([]);
        expect(wrongsIn(entries, plan), name).toEqual([]);
        expect(shapeOf(tree), name).toEqual(shape);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sweep));
    await ledger.stop();
    tell(`plan ${seed}`, seen);
    expect(seen.cut).toBeGreaterThan(points.length * 0.9);
  },
);

/** Who was asked is in the ledger, once for each idempotency key. */
function askedWrongly(file: string, plan: readonly DrawnTask[]): string[] {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  const asked = lines.map((line) => (JSON.parse(line) as Line).what).toSorted();
  const fates = fatesOf(plan);
  const due = plan.filter(({ key }) => fates.get(key) !== 'skipped').map(({ agent }) => agent);
  return asked.join() === due.toSorted().join() ? [] : [`asked were ${asked.join()}, not ${due.join()}`];
}
