// What a piece of text costs on its way from the model's socket to a viewer's, beside the least that any server does (`raw`)
// and, with BASE=/path/to/a/checkout, beside what it cost there. The model, the viewers and each server are processes of
// their own; visits to the servers take turns. ROUNDS=n for more or fewer.
import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Had, Plan, Question, Usage, Visit } from './path/plan.ts';

const rounds = Number(process.env['ROUNDS'] ?? 3);
const base = process.env['BASE'];

const steady = { streams: 100, runs: 1, stagger: 10, plan: { deltas: 250, tools: 0, pace: 20 } };
const newWords = { ...steady, plan: { ...steady.plan, newWords: true } };
const withTool = { streams: 100, runs: 2, stagger: 17, plan: { deltas: 40, tools: 1, pace: 20 } };
const starts = { streams: 1, runs: 100, stagger: 0, plan: { deltas: 1, tools: 0, pace: 1 } };
const steps = { streams: 1, runs: 5, stagger: 0, plan: { deltas: 1, tools: 20, pace: 1 } };
const counted = { streams: 20, runs: 1, stagger: 1, plan: { deltas: 100, tools: 0, pace: 20 } };
/** Once for each server: of what starts and steps run, V8 compiles the last after some thousand of them. */
const settling = { streams: 20, runs: 125, stagger: 5, plan: { deltas: 4, tools: 1, pace: 1 } };
/** Before each visit: of a server that stood still, V8 has thrown away what it had compiled, and a busy one never stands still. */
const warmUp = { streams: 20, runs: 2, stagger: 5, plan: { deltas: 40, tools: 1, pace: 5 } };
const open = { streams: 300, runs: 1, stagger: 5, plan: { deltas: 1, tools: 0, pace: 1, open: 4_000 } };

type Load = Omit<Visit, 'url' | 'kind'>;

interface Subject {
  readonly name: string;
  readonly kind: Visit['kind'];
  readonly process: ChildProcess;
  readonly url: string;
}

/** What one visit showed. Microseconds, bytes, milliseconds. */
interface Seen {
  readonly cpu: number;
  readonly written: number;
  readonly commits: number;
  readonly had: Had;
}

export async function pathBench(): Promise<void> {
  const peer = fork(new URL('./path/peer.ts', import.meta.url), { execArgv: [] });
  const [port] = (await once(peer, 'message')) as [number];
  const model = `http://127.0.0.1:${port}/v1`;
  pin(peer, 1);
  try {
    const figures: Figures = { costs: new Map(), ratios: new Map(), rows: new Map(), notes: new Map() };
    for (let round = 0; round < rounds; round += 1) await roundOf(peer, model, figures);
    tell(figures);
  } finally {
    peer.kill();
  }
}

/** What was seen so far, by subject and load. */
interface Figures {
  readonly costs: Map<string, number[]>;
  readonly ratios: Map<string, number[]>;
  readonly rows: Map<string, Seen>;
  /** What is looked at once in each round. */
  readonly notes: Map<string, readonly [promises: number, kilobytes: number]>;
}

/** Servers of its own: one process of the same code differs from the next by a tenth, by where V8 has put things. */
async function roundOf(peer: ChildProcess, model: string, figures: Figures): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-path-'));
  const subjects = await openAll(model, folder);
  try {
    // What was in use once is not given back: memory is looked at first.
    const memory = new Map<Subject, number>();
    for (const subject of subjects) memory.set(subject, await memoryPerStream(peer, subject));
    for (const subject of subjects) await visit(peer, subject, settling);
    await compare(peer, subjects, figures);
    for (const subject of subjects) {
      const promises = await promisesPerDelta(peer, subject);
      figures.notes.set(subject.name, [promises, (memory.get(subject) ?? 0) / 1_000]);
    }
  } finally {
    for (const { process: child } of subjects) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openAll(model: string, folder: string): Promise<readonly Subject[]> {
  const here = join(import.meta.dirname, '..');
  const servers = [
    { name: 'memory', root: here, store: 'memory' },
    { name: 'SQLite', root: here, store: 'sqlite' },
    ...(base === undefined
      ? []
      : [
          { name: 'memory before', root: base, store: 'memory' },
          { name: 'SQLite before', root: base, store: 'sqlite' },
        ]),
  ];
  const raw = await begin('raw', 'raw', [model]);
  const ours: Subject[] = [];
  for (const { name, root, store } of servers)
    ours.push(await begin(name, 'vitrine', [root, store, model, join(folder, name)]));
  return [raw, ...ours];
}

async function begin(name: string, kind: Visit['kind'], given: readonly string[]): Promise<Subject> {
  const script = new URL(kind === 'raw' ? './path/raw.ts' : './path/subject.ts', import.meta.url);
  const child = fork(script, [...given], {
    execArgv: ['--expose-gc'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const [url] = (await once(child, 'message')) as [string];
  pin(child, 0);
  return { name, kind, process: child, url };
}

/** Each side on a core of its own, where the system can do that. */
function pin({ pid }: ChildProcess, core: number): void {
  spawnSync('taskset', ['-apc', String(core), String(pid)], { stdio: 'ignore' });
}

async function ask({ process: child }: Subject, question: Question): Promise<Usage> {
  const answer = once(child, 'message');
  child.send(question);
  return ((await answer) as [Usage])[0];
}

async function visit(peer: ChildProcess, subject: Subject, load: Load): Promise<Seen> {
  const before = await ask(subject, 'usage');
  const { url, kind } = subject;
  const done = once(peer, 'message');
  peer.send({ url, kind, ...load } satisfies Visit);
  const [had] = (await done) as [Had];
  const after = await ask(subject, 'usage');
  const sent = deltasOf(load);
  if (had.deltas !== sent) throw new Error(`${subject.name}: ${had.deltas} of ${sent} deltas arrived`);
  return {
    had,
    cpu: after.cpu - before.cpu,
    written: after.written - before.written,
    commits: after.commits - before.commits,
  };
}

function deltasOf({ streams, runs, plan: { deltas, tools } }: Load): number {
  return streams * runs * deltas * (tools + 1);
}

const loads = {
  steady,
  'steady, every word new': newWords,
  'with start and tool': withTool,
  start: starts,
  'tool step': steps,
};

/** The same visits to everyone, by turns; ratios are those of one round to `raw` in the same round. */
async function compare(
  peer: ChildProcess,
  subjects: readonly Subject[],
  { costs, ratios, rows }: Figures,
): Promise<void> {
  for (const [name, load] of Object.entries(loads)) {
    let raw = 0;
    for (const subject of subjects) {
      const key = `${subject.name}: ${name}`;
      await visit(peer, subject, warmUp);
      const seen = await visit(peer, subject, load);
      const cost = seen.cpu / unitsOf(name, load);
      if (subject.name === 'raw') raw = cost;
      rows.set(key, seen);
      costs.set(key, [...(costs.get(key) ?? []), cost]);
      ratios.set(key, [...(ratios.get(key) ?? []), cost / raw]);
    }
  }
}

function tell({ costs, ratios, rows, notes }: Figures): void {
  for (const [name, load] of Object.entries(loads)) {
    console.log(`\nCPU of all threads, ${unitName(name)}, ${name}; medians of ${rounds} rounds by turns`);
    for (const who of notes.keys()) {
      const key = `${who}: ${name}`;
      const all = ratios.get(key) ?? [];
      const spread = `${Math.min(...all).toFixed(2)} to ${Math.max(...all).toFixed(2)}`;
      console.log(
        `  ${who.padEnd(14)} ${fixed(median(costs.get(key)), 9)} µs ${fixed(median(all), 7, 2)} of raw (${spread})${aside(rows.get(key), name, load)}`,
      );
    }
  }
  console.log('');
  for (const [who, [promises, kilobytes]] of notes)
    console.log(
      `  ${who.padEnd(14)} ${promises.toFixed(2)} promises per delta, ${kilobytes.toFixed(0)} KB per open stream`,
    );
}

function aside(seen: Seen | undefined, name: string, load: Load): string {
  if (!seen) return '';
  const units = unitsOf(name, load);
  const disk =
    seen.commits > 0
      ? `, ${(seen.written / units / 1_000).toFixed(2)} KB to disk, ${(seen.commits / units).toFixed(2)} commits`
      : '';
  return `, p50 ${seen.had.p50.toFixed(1)} ms, p99 ${seen.had.p99.toFixed(1)} ms${disk}`;
}

function unitsOf(name: string, load: Load): number {
  if (name === 'start') return load.runs;
  return name === 'tool step' ? load.runs * load.plan.tools : deltasOf(load);
}

function unitName(name: string): string {
  return name === 'start' ? 'per run' : name === 'tool step' ? 'per step' : 'per delta';
}

/** Of a visit without and one with more deltas: what a start costs is in both. */
async function promisesPerDelta(peer: ChildProcess, subject: Subject): Promise<number> {
  const made = async (plan: Plan): Promise<number> => {
    const { promises } = await ask(subject, 'count promises');
    await visit(peer, subject, { ...counted, plan });
    return (await ask(subject, 'usage')).promises - promises;
  };
  const { plan } = counted;
  const few = await made({ ...plan, deltas: 1, open: plan.deltas * plan.pace });
  const many = await made(plan);
  return (many - few) / (counted.streams * (plan.deltas - 1));
}

/** After a few streams, so that what is loaded with the first of them does not count. */
async function memoryPerStream(peer: ChildProcess, subject: Subject): Promise<number> {
  await visit(peer, subject, starts);
  const { resident } = await ask(subject, 'collect');
  const { url, kind } = subject;
  const done = once(peer, 'message');
  peer.send({ url, kind, ...open } satisfies Visit);
  await new Promise((resolve) => setTimeout(resolve, open.streams * open.stagger + open.plan.open / 2));
  const full = await ask(subject, 'collect');
  await done;
  return (full.resident - resident) / open.streams;
}

function fixed(value: number, width: number, digits = 1): string {
  return value.toFixed(digits).padStart(width);
}

function median(values: readonly number[] = []): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
