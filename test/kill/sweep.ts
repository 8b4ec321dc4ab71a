// Kills a process at a point, lets another take over, and compares with a run nobody disturbed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Engine } from '../engine.ts';
import type { Command } from '../../src/run/commands.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll, decodeAll } from '../../src/run/entries.ts';
import { promptOf } from '../../src/run/prompt.ts';
import { textOf, type Approval, type RunTree, type Step } from '../../src/run/tree.ts';
import type { Json } from '../../src/run/values.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import type { Store } from '../../src/stores/store.ts';
import { entriesOf, testWorld } from '../world.ts';
import { catalogOf, type Job, type Point, type Work } from './job.ts';
import type { Line } from './ledger.ts';
import type { killFlows } from './world.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));
const ledgerProcess = fileURLToPath(new URL('./ledger.ts', import.meta.url));

export interface Outcome {
  readonly entries: readonly Entry[];
  readonly tree: RunTree;
  readonly wrongs: readonly string[];
  readonly doubts: number;
  readonly wasCut: boolean;
  /** The last entry of the commit at which it was killed: every entry of that commit is the same place. */
  readonly cutAt: number;
}

export async function startLedger(): Promise<{ socket: string; stop(): Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-ledger-'));
  const socket = join(folder, 'ledger.sock');
  const process_ = spawn(process.execPath, [ledgerProcess, socket], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(process_.stdout, 'data');
  return {
    socket,
    async stop() {
      const gone = once(process_, 'exit');
      process_.stdin.end();
      await gone;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One case of the sweep: kill at the point, take over, look. */
export async function killAt(socket: string, flow: LedgerFlow, point: Point): Promise<Outcome> {
  return inFolder(async (folder) => {
    const ledger = { socket, file: join(folder, 'ledger.jsonl') };
    const asked = (): number => linesOf(ledger.file, 'model').length;
    const judge = { decide: careful(ledger.file), models: asked, wrongs: () => twice(ledger.file) };
    return disturbed({ folder, point, text: 'begin', work: { flow, ledger } }, judge);
  });
}

type LedgerFlow = keyof typeof killFlows;

/** How a case is looked at from outside. */
export interface Judge {
  /** Nothing where nobody decides. */
  readonly decide: (tree: RunTree, asked: Approval) => Command | undefined;
  /** Requests to models so far, where somebody counts them. */
  readonly models?: () => number;
  /** What is wrong with the world once the run is over. */
  readonly wrongs: () => string[] | Promise<string[]>;
}

/** Kill, take over, and say what is wrong. */
export async function disturbed(job: Job, judge: Judge): Promise<Outcome> {
  const { acknowledged, wasCut, cutAt, trouble } = await runChild(job);
  const store = await sqliteStore({ folder: job.folder });
  try {
    const outcome = await takeOver(store, { work: job.work, judge, acknowledged });
    return { ...outcome, wasCut, cutAt, wrongs: [...outcome.wrongs, ...trouble] };
  } finally {
    await store.close();
  }
}

export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-kill-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Killed extends Pick<Outcome, 'wasCut' | 'cutAt'> {
  readonly acknowledged: number;
  readonly trouble: readonly string[];
}

async function runChild(job: Job): Promise<Killed> {
  const victim = spawn(process.execPath, [child, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { acknowledged: 0, wasCut: false, cutAt: 0, trouble: [] as string[] };
  createInterface(victim.stderr).on('line', (line) => seen.trouble.push(line));
  createInterface(victim.stdout).on('line', (line) => {
    if (line.startsWith('acknowledged '))
      seen.acknowledged = Math.max(seen.acknowledged, Number(line.slice(13)));
    if (!line.startsWith('here ')) return;
    seen.wasCut = true;
    seen.cutAt = Number(line.slice(5));
    victim.kill('SIGKILL');
  });
  await once(victim, 'close');
  return seen;
}

interface Taking {
  readonly work: Work;
  readonly judge: Judge;
  readonly acknowledged: number;
}

async function takeOver(
  store: Store,
  { work, judge, acknowledged }: Taking,
): Promise<Omit<Outcome, 'wasCut' | 'cutAt'>> {
  const [row] = await store.dispatch.list({ tenant: 'local' });
  if (!row)
    return { entries: [], tree: foldAll([]), wrongs: acknowledged > 0 ? ['the run is gone'] : [], doubts: 0 };
  const before = await entriesOf(store, row.run);
  const wrongs =
    before.length < acknowledged ? [`only ${before.length} of ${acknowledged} acknowledged entries`] : [];
  const openTurns = unrecordedTurns(foldAll(before));
  const asked = judge.models?.() ?? 0;
  const world = testWorld(await catalogOf(work, { afterEffect: async () => {} }), { store });
  const engine = new Engine(world, 'heir');
  const over = new AbortController();
  const working = engine.work(over.signal);
  const doubts = await answerAll({ engine, store, run: row.run, decide: judge.decide });
  over.abort();
  await working;
  const entries = await entriesOf(store, row.run);
  const tree = foldAll(entries);
  const turnsAfter = turnsOf(tree) - turnsOf(foldAll(before)) + openTurns;
  const requests = judge.models ? judge.models() - asked : turnsAfter;
  if (requests !== turnsAfter)
    wrongs.push(`${requests} model requests for ${turnsAfter} turns without an outcome`);
  wrongs.push(...world.problems.map(({ message, cause }) => `${message} ${String(cause)}`));
  wrongs.push(...wrongsOf(entries, before), ...(await lostPrompts(store, tree)), ...(await judge.wrongs()));
  return { entries, tree, wrongs, doubts };
}

interface Watch {
  readonly engine: Engine;
  readonly store: Store;
  readonly run: string;
  readonly decide: Judge['decide'];
}

async function answerAll({ engine, store, run, decide }: Watch): Promise<number> {
  const tree = foldAll([]);
  let doubts = 0;
  for await (const { frames } of store.journal.follow(run, 0, new AbortController().signal)) {
    foldAll(decodeAll(frames), tree);
    if ((await store.dispatch.get(run))?.head !== tree.seq) continue;
    for (const approval of tree.approvals.values()) {
      if (approval.decided) continue;
      doubts += isDoubt(approval) ? 1 : 0;
      const command = decide(tree, approval);
      if (command) await engine.send(run, command, `answer ${approval.approval}`);
    }
  }
  return doubts;
}

export function isDoubt({ title }: Approval): boolean {
  return title.startsWith('Did');
}

/** What a careful person does: approve what is asked, and look into the ledger where it is doubtful. */
function careful(file: string): Judge['decide'] {
  return (tree, asked) => {
    const { approval, fingerprint } = asked;
    const decide = { type: 'decide', by: 'heir', approval, fingerprint } as const;
    if (!isDoubt(asked)) return { ...decide, decision: 'approve' };
    const tool = tree.steps.get(asked.step)?.call?.tool ?? '';
    const isDone = linesOf(file, 'once').some(({ what }) => what === tool);
    if (isDone) return { ...decide, decision: 'approve', answer: { done: tool } };
    return { ...decide, decision: 'edit', arguments: asked.arguments as Json };
  };
}

function linesOf(file: string, effect: Line['effect']): Line[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.effect === effect);
}

function twice(file: string): string[] {
  const done = [...linesOf(file, 'once'), ...linesOf(file, 'idempotent')].map(({ what }) => what);
  const wrongs = done.filter((what, i) => done.indexOf(what) !== i).map((what) => `${what} was done twice`);
  const missing = ['tool1', 'tool2', 'tool4', 'tool5', 'tool7', 'tool8', 'tool9'].filter(
    (what) => !done.includes(what),
  );
  return [...wrongs, ...missing.map((what) => `${what} was not done`)];
}

function wrongsOf(entries: readonly Entry[], before: readonly Entry[]): string[] {
  const wrongs: string[] = [];
  if (entries.some(({ seq }, i) => seq !== i + 1)) wrongs.push('the journal has a gap');
  if (entries.at(-1)?.event.type !== 'run.ended') wrongs.push('the run did not end');
  if (before.some((entry, i) => JSON.stringify(entry) !== JSON.stringify(entries[i])))
    wrongs.push('the past has changed');
  return wrongs;
}

/** Turns that were taken, and nobody can say any more what was sent. */
async function lostPrompts(store: Store, tree: RunTree): Promise<string[]> {
  const wrongs: string[] = [];
  for (const { id, kind, status, title } of tree.steps.values()) {
    // Where a person said what became of it, it may have been cut off before anything was sent.
    const isDoubtful = [...tree.approvals.values()].some((asked) => asked.step === id && isDoubt(asked));
    if (kind !== 'turn' || status !== 'completed' || isDoubtful) continue;
    const prompt = await promptOf(tree, id, (blob) => store.blobs.get('local', blob));
    if (!prompt?.messages.length) wrongs.push(`nobody knows what «${title}» was sent`);
  }
  return wrongs;
}

function unrecordedTurns(tree: RunTree): number {
  return [...tree.open].filter((id) => tree.steps.get(id)?.kind === 'turn').length;
}

function turnsOf(tree: RunTree): number {
  return [...tree.steps.values()].filter(({ kind }) => kind === 'turn').length;
}

/** A tree without what a takeover may change: ids, times, attempts, and who decided. */
export function shapeOf(tree: RunTree): unknown {
  const shape = (step: Step): unknown => ({
    key: step.key,
    kind: step.kind,
    title: step.title,
    status: step.status,
    text: textOf(step),
    // Where a person settled a doubt, what the tool had said may never have been recorded.
    log: step.call?.effect === 'once' ? '' : textOf(step, 'log'),
    // A wait gives its time.
    result: step.kind === 'wait' ? undefined : step.result,
    children: step.children
      .map((id) => tree.steps.get(id))
      .filter((found) => found !== undefined)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(shape),
  });
  const root = tree.steps.get(0);
  return { answer: tree.ended?.answer, outcome: tree.ended?.outcome, root: root && shape(root) };
}
