// The process that is killed. It works on one run, and when it comes to the given point it says so and stands still
// there, until whoever watches kills it from outside.
import { Secrets } from '../../src/guards/secrets.ts';
import { approval, budget } from '../../src/policies/standard.ts';
import type { Command } from '../../src/run/commands.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import type { Approval } from '../../src/run/tree.ts';
import type { RunRequest } from '../../src/front/front.ts';
import { Engine } from '../engine.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import type { Append, Appender, Store } from '../../src/stores/store.ts';
import { commandFor } from '../workflow/decided.ts';
import { catalogOf, type Job } from './job.ts';
import { newId, sha256, systemClock } from '../../src/loop/machine.ts';

const job = JSON.parse(process.argv[2] ?? '') as Job;
const { point } = job;
const store = watched(await sqliteStore({ folder: job.folder }));
const catalog = await catalogOf(job.work, {
  afterEffect: async (tool) => {
    if (point.when === 'effect' && point.tool === tool) await standStill(0);
  },
});
const world = {
  store,
  clock: systemClock,
  catalog,
  policies: [budget, approval],
  newId,
  hash: sha256,
  secrets: new Secrets(),
  log: { error: fail },
};
const engine = new Engine(world, 'child');
const over = new AbortController();
const working = engine.work(over.signal);
const { run } = await engine.start(await wantedRun());
tell(`run ${run}`);
await decideAll();
over.abort();
await working;
await store.close();
tell('done');

async function wantedRun(): Promise<RunRequest> {
  const { work, text } = job;
  if (work.flow === 'workflow') return (await import('./graphs.ts')).graphRun(work, store);
  const flow = catalog.flows.find(({ name }) => name === work.flow);
  if (!flow) throw new Error(`there is no flow ${work.flow}`);
  return { app: 'kill', flow, input: { text } };
}

/** Tells what was acknowledged, and stands still at the point. */
function watched(inner: Store): Store {
  const { journal, dispatch } = inner;
  const { offer } = journal;
  return {
    ...inner,
    journal: {
      ...journal,
      append: (append) => pass(append.head, append.last, () => journal.append(append)),
      offer: offer && ((appender, haste) => offer(stopping(appender), haste)),
    },
    dispatch: { ...dispatch, create: (wanted) => pass(0, wanted.last, () => dispatch.create(wanted)) },
  };
}

async function pass<T>(head: number, last: number, commit: () => Promise<T>): Promise<T> {
  if (isPoint('before', head, last)) await standStill(last);
  const result = await commit();
  if (isPoint('after', head, last)) await standStill(last);
  tell(`acknowledged ${last}`);
  return result;
}

/** The same for whoever is called: one that is told nothing more stands still. */
function stopping(appender: Appender): Appender {
  let given: Append | undefined;
  return {
    run: appender.run,
    next() {
      given = appender.next();
      if (!given || !isPoint('before', given.head, given.last)) return given;
      void standStill(given.last);
      return undefined;
    },
    durable() {
      if (given && isPoint('after', given.head, given.last)) return void standStill(given.last);
      tell(`acknowledged ${given?.last}`);
      appender.durable();
    },
    failed: (thrown) => appender.failed(thrown),
  };
}

function isPoint(when: 'before' | 'after', head: number, last: number): boolean {
  return 'entry' in point && point.when === when && point.entry > head && point.entry <= last;
}

async function decideAll(): Promise<void> {
  const tree = foldAll([]);
  for await (const { frames } of store.journal.follow(run, 0, over.signal)) {
    for (const entry of decodeAll(frames)) {
      foldAll([entry], tree);
      if (entry.event.type !== 'approval.requested') continue;
      const asked = tree.approvals.get(entry.event.approval);
      const command = asked && (await commandAt(asked));
      if (command) await engine.send(run, command);
    }
  }
}

async function commandAt(asked: Approval): Promise<Command | undefined> {
  const { work } = job;
  if (work.flow === 'workflow') return commandFor((await import('./graphs.ts')).graphDecide(work), asked);
  const { approval, fingerprint } = asked;
  return { type: 'decide', by: 'child', approval, fingerprint, decision: 'approve' };
}

/** At a commit, whose last entry this is. */
function standStill(last: number): Promise<never> {
  tell(`here ${last}`);
  return new Promise(() => {});
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`);
}

function fail({ cause }: { readonly cause: unknown }, message: string): void {
  process.stderr.write(`${message} ${String(cause)}\n`);
}
