// Kills a process at a point, lets another take over, and compares with a run nobody disturbed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Engine } from '../../src/engine/engine.ts';
import { decodeAll } from '../../src/run/codec.ts';
import type { Entry } from '../../src/run/events.ts';
import { foldAll } from '../../src/run/fold.ts';
import { textOf, type Approval, type RunTree, type Step } from '../../src/run/tree.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import type { Store } from '../../src/stores/store.ts';
import { entriesOf, testWorld } from '../world.ts';
import type { Job, Point } from './child.ts';
import type { Line } from './ledger.ts';
import { killCatalog } from './world.ts';

const child = fileURLToPath(new URL('./child.ts', import.meta.url));
const ledgerProcess = fileURLToPath(new URL('./ledger.ts', import.meta.url));

export interface Outcome {
  readonly entries: readonly Entry[];
  readonly tree: RunTree;
  readonly wrongs: readonly string[];
  readonly doubts: number;
  readonly wasCut: boolean;
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
export async function killAt(socket: string, flow: Job['flow'], point: Point): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-kill-'));
  const ledger = { socket, file: join(folder, 'ledger.jsonl') };
  try {
    const { acknowledged, wasCut, trouble } = await runChild({ folder, ledger, flow, point });
    const store = await sqliteStore({ folder });
    try {
      const outcome = await takeOver(store, ledger, acknowledged);
      return { ...outcome, wasCut, wrongs: [...outcome.wrongs, ...trouble] };
    } finally {
      await store.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runChild(job: Job): Promise<{ acknowledged: number; wasCut: boolean; trouble: string[] }> {
  const victim = spawn(process.execPath, [child, JSON.stringify(job)], {
    // Hundreds of processes read the same sources.
    env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'vitrine-compile-cache') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const seen = { acknowledged: 0, wasCut: false, trouble: [] as string[] };
  createInterface(victim.stderr).on('line', (line) => seen.trouble.push(line));
  createInterface(victim.stdout).on('line', (line) => {
    if (line.startsWith('acknowledged '))
      seen.acknowledged = Math.max(seen.acknowledged, Number(line.slice(13)));
    if (line !== 'here') return;
    seen.wasCut = true;
    victim.kill('SIGKILL');
  });
  await once(victim, 'close');
  return seen;
}

async function takeOver(
  store: Store,
  ledger: { socket: string; file: string },
  acknowledged: number,
): Promise<Omit<Outcome, 'wasCut'>> {
  const [row] = await store.dispatch.list({ tenant: 'local' });
  if (!row)
    return { entries: [], tree: foldAll([]), wrongs: acknowledged > 0 ? ['the run is gone'] : [], doubts: 0 };
  const before = await entriesOf(store, row.run);
  const wrongs =
    before.length < acknowledged ? [`only ${before.length} of ${acknowledged} acknowledged entries`] : [];
  const openTurns = unrecordedTurns(foldAll(before));
  const asked = linesOf(ledger.file, 'model').length;
  const world = testWorld(killCatalog(ledger, { afterEffect: async () => {} }), { store });
  const engine = new Engine(world, 'heir');
  const over = new AbortController();
  const working = engine.work(over.signal);
  const doubts = await answerAll({ engine, store, run: row.run, file: ledger.file });
  over.abort();
  await working;
  const entries = await entriesOf(store, row.run);
  const tree = foldAll(entries);
  const requests = linesOf(ledger.file, 'model').length - asked;
  const turnsAfter = turnsOf(tree) - turnsOf(foldAll(before)) + openTurns;
  if (requests !== turnsAfter)
    wrongs.push(`${requests} model requests for ${turnsAfter} turns without an outcome`);
  wrongs.push(...world.problems.map(({ message, cause }) => `${message} ${String(cause)}`));
  wrongs.push(...wrongsOf(entries, before), ...twice(ledger.file));
  return { entries, tree, wrongs, doubts };
}

interface Watch {
  readonly engine: Engine;
  readonly store: Store;
  readonly run: string;
  readonly file: string;
}

/** What a careful person does: approve what is asked, and look into the ledger where it is doubtful. */
async function answerAll({ engine, store, run, file }: Watch): Promise<number> {
  const tree = foldAll([]);
  let doubts = 0;
  for await (const { frames } of store.journal.follow(run, 0, new AbortController().signal)) {
    foldAll(decodeAll(frames), tree);
    if ((await store.dispatch.get(run))?.head !== tree.seq) continue;
    for (const approval of tree.approvals.values()) {
      if (approval.decided) continue;
      doubts += approval.title.startsWith('Did') ? 1 : 0;
      await engine.send(run, decisionOn(tree, approval, file), `answer ${approval.approval}`);
    }
  }
  return doubts;
}

function decisionOn(tree: RunTree, { approval, step, title, arguments: asked }: Approval, file: string) {
  const decide = { type: 'decide', by: 'heir', approval } as const;
  if (!title.startsWith('Did')) return { ...decide, decision: 'approve' } as const;
  const tool = tree.steps.get(step)?.call?.tool ?? '';
  const isDone = linesOf(file, 'once').some(({ what }) => what === tool);
  if (isDone) return { ...decide, decision: 'approve', answer: { done: tool } } as const;
  return { ...decide, decision: 'edit', arguments: asked as { for: string } } as const;
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
    result: step.result,
    children: step.children
      .map((id) => tree.steps.get(id))
      .filter((found) => found !== undefined)
      .toSorted((a, b) => (a.key < b.key ? -1 : 1))
      .map(shape),
  });
  const root = tree.steps.get(0);
  return { answer: tree.ended?.answer, outcome: tree.ended?.outcome, root: root && shape(root) };
}
