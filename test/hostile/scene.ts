// Two tenants in one server: one does its work alone, then while the other tries everything, then while the machine is as
// busy as it was then, but with nothing that concerns the server. All that is not the server is in processes of its own.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { keyIn } from '../serving.ts';
import { askerAt, type Asker, type Begun } from './asker.ts';
import type { Blocks } from './blocks.ts';
import type { Calm } from './calm.ts';
import type { Harm } from './model.ts';
import type { Times } from './times.ts';

export interface Scene {
  readonly alone: Phase;
  readonly disturbed: Phase;
  /** As much of the processor is used by others as in `disturbed`. */
  readonly beside: Phase;
  /** How much of one processor each hostile process used. */
  readonly shares: readonly number[];
  readonly faults: readonly string[];
  readonly asked: number;
  /** Bytes of resident memory, at the most. */
  readonly peak: number;
  readonly attack: Attack;
  /** How long the server went on working after all of that had left and every run was over. Milliseconds. */
  readonly rest: number;
  /** How the runs of the hostile tenant ended. */
  readonly ends: readonly string[];
}

export interface Phase {
  readonly times: Times;
  readonly blocks: Blocks;
  /** What the main thread did, for whomever, while a request of the calm tenant was open. */
  readonly during: Times;
}

export interface Plan {
  readonly seconds: number;
  /** Of the run that is read again and again. */
  readonly megabytes: number;
  /** Megabytes of heap that the server has. */
  readonly heap: number;
}

interface Attack {
  readonly answers: number;
  readonly refused: number;
  readonly broken: number;
}

interface Used {
  readonly used: number;
}

const harms: Readonly<Record<string, readonly Harm[]>> = {
  hostile: ['text', 'calls', 'deep', 'tools'],
  flood: ['wide', 'nested', 'untidy'],
};

export async function hostile({ seconds, megabytes, heap }: Plan): Promise<Scene> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-hostile-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const keyOf = (tenant: string, role: 'viewer' | 'member'): string =>
    keyIn(data, { name: `${tenant}-${role}`, tenant, role });
  const [peace, member, viewer] = [keyOf('calm', 'member'), keyOf('evil', 'member'), keyOf('evil', 'viewer')];
  const model = child('model.ts', []);
  const { url: upstream } = await heard<{ url: string }>(model);
  const house = child('house.ts', [data, upstream, folder, peace], heap);
  const { url } = await heard<{ url: string }>(house);
  const evil = askerAt(url, member);
  const large = await evil.begin('says', String(megabytes));
  await evil.endOf(large.run);
  const calm = child('calm.ts', [url, peace]);
  const seen: Calm[] = [];
  const during = async (milliseconds: number): Promise<Phase> => {
    await told<Blocks>(house);
    const one = await told<Calm>(calm, milliseconds);
    seen.push(one);
    const { during: worked, ...blocks } = await told<Blocks & { readonly during: Times }>(house);
    return { times: one.times, blocks, during: worked };
  };
  await during(1_000);
  const idle = await usedIdle(house);
  const alone = await during(seconds * 1_000);
  const before = [(await told<Used>(model)).used, usedIn(folder)];
  const attack = child('attack.ts', [url, large.run, large.conversation, viewer, member]);
  const runs = allBegun(evil);
  const disturbed = await during(seconds * 1_000);
  const counts = await told<Attack & Used>(attack);
  const after = [(await told<Used>(model)).used, usedIn(folder)];
  attack.disconnect();
  const ends = await Promise.all((await runs).map(({ run }) => evil.endOf(run)));
  const shares = [counts.used, ...after.map((used, i) => used - (before[i] ?? 0))].map(
    (used) => used / seconds / 1_000,
  );
  const rest = await atRest(house, idle);
  const burning = shares.map((share) => child('burn.ts', [String(share)]));
  const beside = await during(seconds * 1_000);
  for (const one of burning) one.disconnect();
  const { peak } = await told<{ peak: number }>(house);
  calm.disconnect();
  house.kill('SIGTERM');
  await once(house, 'exit');
  model.disconnect();
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  return { alone, disturbed, beside, shares, ...sumOf(seen), peak, attack: counts, rest, ends };
}

function sumOf(seen: readonly Calm[]): Pick<Scene, 'asked' | 'faults'> {
  const asked = seen.reduce((sum, one) => sum + one.asked, 0);
  return { asked, faults: seen.flatMap((one) => one.faults) };
}

function allBegun(evil: Asker): Promise<readonly Begun[]> {
  const begun = Object.entries(harms).flatMap(([app, each]) =>
    each.map((harm) => evil.begin(app, `harm:${harm}`)),
  );
  return Promise.all(begun);
}

function child(file: string, values: readonly string[], heap?: number): ChildProcess {
  const execArgv = heap === undefined ? [] : [`--max-old-space-size=${heap}`];
  return fork(join(import.meta.dirname, file), values, { stdio: 'inherit', execArgv });
}

async function heard<T>(from: ChildProcess): Promise<T> {
  const [said] = (await once(from, 'message')) as [T];
  return said;
}

function told<T>(from: ChildProcess, question: number | object = {}): Promise<T> {
  from.send(question);
  return heard<T>(from);
}

const second = 1_000;

/** Milliseconds of work in a second in which nobody asks for anything. */
async function usedIdle(house: ChildProcess): Promise<number> {
  const { used: before } = await told<Used>(house);
  await sleep(second);
  return (await told<Used>(house)).used - before;
}

/** What is measured next is to be about nothing that is left of before. `idle` is what the server used before all began. */
async function atRest(house: ChildProcess, idle: number): Promise<number> {
  const since = performance.now();
  while ((await usedIdle(house)) > 2 * idle + 20);
  return Math.max(0, performance.now() - since - second);
}

/** What all hostile MCP servers have used so far: one may have been ended, and another begun. */
function usedIn(folder: string): number {
  return globSync('*.used', { cwd: folder }).reduce(
    (sum, file) => sum + Number(readFileSync(join(folder, file), 'utf8')),
    0,
  );
}
