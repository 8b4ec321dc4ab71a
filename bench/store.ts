import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import { sqliteStore, type SqliteStore } from '../src/stores/sqlite.ts';
import { encode } from '../src/run/entries.ts';

const runs = 200;
const rounds = 5;
const eventsPerRound = 40_000;
const paced = { perSecond: 10_000, seconds: 3, tick: 5 };

/** What the SQLite store costs beside a bare loop of inserts: same bytes, same rows in a transaction, same durability. */
export async function storeBench(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-bench-'));
  try {
    const store = await sqliteStore({ folder: join(folder, 'store') });
    const heads = await begin(store);
    const bare = bareLoop(join(folder, 'bare.db'));
    const measured = { store: [] as number[], bare: [] as number[], batch: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const { perSecond, batch } = await flood(store, heads, join(folder, 'store', 'high-water'));
      measured.store.push(perSecond);
      measured.batch.push(batch);
      measured.bare.push(bare.insert(Math.round(batch)));
    }
    const [ours, loop] = [median(measured.store), median(measured.bare)];
    console.log(
      `SQLite store, ${runs} runs, one ${frame(100).length}-byte event per append, medians of ${rounds}:`,
    );
    console.table({
      'bare insert loop': {
        'events/s': Math.round(loop),
        ratio: 1,
        'rows per commit': Math.round(median(measured.batch)),
      },
      'the store': {
        'events/s': Math.round(ours),
        ratio: round2(ours / loop),
        'rows per commit': Math.round(median(measured.batch)),
      },
    });
    await pacedBench(store, heads);
    bare.close();
    await store.close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function pacedBench(store: SqliteStore, heads: Map<string, number>): Promise<void> {
  const rows: { idle: Paced[]; store: Paced[] } = { idle: [], store: [] };
  for (let round = 0; round < rounds; round += 1) {
    rows.idle.push(await pace(async () => {}, heads));
    rows.store.push(await pace((run) => append(store, heads, run), heads));
  }
  console.log(`Main loop at ${paced.perSecond} events/s, milliseconds, medians of ${rounds}:`);
  console.table({ 'the same pace without a store': middle(rows.idle), 'with the store': middle(rows.store) });
}

async function begin(store: SqliteStore): Promise<Map<string, number>> {
  const names = Array.from({ length: runs }, (_, i) => `run-${String(i).padStart(22, '0')}`);
  const fixed = { tenant: 't', conversation: 'c', app: 'bench', title: 'bench', flow: 'bench@1' };
  const claim = { worker: 'bench', lease: 3_600_000 };
  await Promise.all(
    names.map((run) => store.dispatch.create({ run, ...fixed, last: 1, frames: frame(1), claim })),
  );
  return new Map(names.map((run) => [run, 1]));
}

function append(store: SqliteStore, heads: Map<string, number>, run: string): Promise<void> {
  const head = heads.get(run) ?? 0;
  heads.set(run, head + 1);
  const summary = { status: 'running', approvals: 0 } as const;
  return store.journal.append({
    fence: { run, epoch: 1 },
    head,
    last: head + 1,
    frames: frame(head + 1),
    summary,
  });
}

/** Every run appends as soon as it is answered. */
async function flood(
  store: SqliteStore,
  heads: Map<string, number>,
  mark: string,
): Promise<{ readonly perSecond: number; readonly batch: number }> {
  const commits = (): number => Number(readFileSync(mark, 'latin1').slice(0, 16));
  const before = commits();
  const start = performance.now();
  let left = eventsPerRound;
  await Promise.all(
    [...heads.keys()].map(async (run) => {
      while (left > 0) {
        left -= 1;
        await append(store, heads, run);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1_000;
  return { perSecond: eventsPerRound / seconds, batch: eventsPerRound / (commits() - before) };
}

function bareLoop(path: string): { insert(batch: number): number; close(): void } {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4000;
    CREATE TABLE chunk (run INTEGER, first INTEGER, last INTEGER, at INTEGER, frames TEXT);
    CREATE UNIQUE INDEX place ON chunk (run, last)`);
  const insert = database.prepare('INSERT INTO chunk VALUES (?, ?, ?, ?, ?)');
  let done = 0;
  return {
    insert(batch) {
      const start = performance.now();
      for (let i = 0; i < eventsPerRound; i += batch) {
        database.exec('BEGIN');
        for (let j = i; j < Math.min(i + batch, eventsPerRound); j += 1) {
          const seq = 1 + Math.floor(done / runs);
          insert.run(done % runs, seq, seq, 0, frame(seq));
          done += 1;
        }
        database.exec('COMMIT');
      }
      return eventsPerRound / ((performance.now() - start) / 1_000);
    },
    close: () => database.close(),
  };
}

interface Paced {
  readonly 'loop delay p50': number;
  readonly 'loop delay p99': number;
  readonly 'loop delay max': number;
  readonly 'durable p50': number;
  readonly 'durable p99': number;
}

async function pace(work: (run: string) => Promise<void>, heads: Map<string, number>): Promise<Paced> {
  const names = [...heads.keys()];
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const latencies: number[] = [];
  const open: Promise<void>[] = [];
  const timed = async (run: string): Promise<void> => {
    const start = performance.now();
    await work(run);
    latencies.push(performance.now() - start);
  };
  delay.enable();
  const start = performance.now();
  let sent = 0;
  await new Promise<void>((resolve) => {
    const clock = setInterval(() => {
      const due = Math.min(paced.seconds, (performance.now() - start) / 1_000) * paced.perSecond;
      for (; sent < due; sent += 1) open.push(timed(names[sent % names.length] ?? ''));
      if (due < paced.seconds * paced.perSecond) return;
      clearInterval(clock);
      resolve();
    }, paced.tick);
  });
  delay.disable();
  await Promise.all(open);
  latencies.sort((one, other) => one - other);
  const milliseconds = (nanoseconds: number): number => round2(nanoseconds / 1e6);
  return {
    'loop delay p50': milliseconds(delay.percentile(50)),
    'loop delay p99': milliseconds(delay.percentile(99)),
    'loop delay max': milliseconds(delay.max),
    'durable p50': round2(latencies[Math.floor(latencies.length * 0.5)] ?? 0),
    'durable p99': round2(latencies[Math.floor(latencies.length * 0.99)] ?? 0),
  };
}

function middle(all: readonly Paced[]): Paced {
  const of = (name: keyof Paced): number => median(all.map((one) => one[name]));
  return {
    'loop delay p50': of('loop delay p50'),
    'loop delay p99': of('loop delay p99'),
    'loop delay max': of('loop delay max'),
    'durable p50': of('durable p50'),
    'durable p99': of('durable p99'),
  };
}

function frame(seq: number): string {
  return encode({
    seq,
    at: 1_700_000_000_000 + seq,
    event: { type: 'text.appended', step: 12, channel: 'content', text: 'some words ' },
  });
}

function median(numbers: readonly number[]): number {
  return [...numbers].sort((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? 0;
}

function round2(number: number): number {
  return Math.round(number * 100) / 100;
}
