import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { failureOf } from '../../src/run/failure.ts';
import { perform } from '../../src/stores/rules/rules.ts';
import { openForWriting } from '../../src/stores/folder/folder.ts';
import { sqliteTables } from '../../src/stores/sqlite/tables.ts';
import { sqliteStore } from '../../src/stores/sqlite.ts';
import { Disk } from '../power/disk.ts';
import { findStrace, traced } from '../power/strace.ts';
import { Chance } from '../random.ts';

const strace = findStrace();
if ('why' in strace)
  process.stderr.write(`Power loss is NOT tested, since there is no strace: ${strace.why}.\n`);
const states = process.env['LONG'] ? 5_000 : 510;
const base = mkdtempSync(join(tmpdir(), 'vitrine-power-'));
const busy = fileURLToPath(new URL('../power/busy.ts', import.meta.url));
afterAll(() => rmSync(base, { recursive: true }));

/** What was acknowledged so far: the last entry of each run, blobs, and runs that nobody may ask for any more. */
interface Acknowledged {
  readonly heads: Map<string, number>;
  readonly blobs: Set<string>;
}

function hear({ heads, blobs }: Acknowledged, text: string): void {
  for (const line of text.split('\n')) {
    const [what = '', value = ''] = line.split(' ');
    if (what === 'blob') blobs.add(value);
    else if (what === 'erasing') heads.delete(value);
    else if (what !== '') heads.set(what, Number(value));
  }
}

/** What an opened folder lacks of what was acknowledged, or says that it does not have. */
function missingIn(folder: string, { heads, blobs }: Acknowledged): { lost: string[]; told: string[] } {
  const opened = openForWriting(folder);
  const lost: string[] = [];
  const told = [...opened.notices];
  try {
    const desk = { tables: sqliteTables(opened.database, { remember: false }), now: 0, hints: [] };
    for (const [run, head] of heads) {
      let last = 0;
      try {
        for (let next: number | undefined = 0; next !== undefined;) {
          last = next;
          next = perform(desk, 'read', { run, after: last }).chunks.at(-1)?.last;
        }
      } catch (thrown) {
        told.push(failureOf(thrown).message);
      }
      if (last < head) lost.push(`${run} has ${last} of ${head}`);
    }
    for (const blob of blobs) if (perform(desk, 'blob', { tenant: 't', blob }) === undefined) lost.push(blob);
    return { lost, told };
  } finally {
    opened.close();
  }
}

test.skipIf('why' in strace)(
  `[R03, Q2] power loss: of ${states} states of a busy folder each opens, and nothing acknowledged is lost`,
  { timeout: 600_000 },
  async () => {
    const folder = join(base, 'data');
    await (await sqliteStore({ folder })).close();
    const before = new Map(
      readdirSync(folder).map((name) => [join(folder, name), readFileSync(join(folder, name))]),
    );
    const program = [process.execPath, busy, folder];
    const events = await traced('path' in strace ? strace.path : '', join(base, 'trace'), program);
    const syncs = events.filter(({ type }) => type === 'sync').length;

    const chance = new Chance(Number(process.env['SEED'] ?? 20_261_116));
    const disk = new Disk(folder, before);
    const acknowledged: Acknowledged = { heads: new Map(), blobs: new Set() };
    const problems: string[] = [];
    const counts = { states: 0, loose: 0, told: 0 };
    const perEvent = states / events.length;
    let due = 0;
    for (const [index, event] of events.entries()) {
      disk.take(event);
      if (event.type === 'said') hear(acknowledged, event.text);
      for (due += perEvent; due >= 1; due -= 1) {
        const place = join(base, 'state');
        rmSync(place, { recursive: true, force: true });
        mkdirSync(place);
        for (const [path, bytes] of disk.cut(chance))
          if (!/shm$|lock|holder/.test(path)) writeFileSync(join(place, basename(path)), bytes);
        counts.states += 1;
        if (disk.loose > 0) counts.loose += 1;
        try {
          const { lost, told } = missingIn(place, acknowledged);
          if (told.length > 0) counts.told += 1;
          for (const what of lost) problems.push(`event ${index}: ${what}`);
        } catch (thrown) {
          problems.push(`event ${index}: does not open: ${String(thrown)}`);
        }
      }
    }
    process.stdout.write(`${JSON.stringify({ events: events.length, syncs, ...counts })}\n`);
    expect(problems.slice(0, 5)).toEqual([]);
    expect(syncs).toBeGreaterThan(100);
    expect(counts.states).toBeGreaterThanOrEqual(500);
    expect(counts.loose).toBeGreaterThan(counts.states / 3);
    expect(acknowledged.heads.size).toBe(16);
  },
);
