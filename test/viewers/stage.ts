// A house and a crowd, each in a process of its own, and what a test or a bench asks of them.
import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrowdOrder, CrowdReport } from './crowd.ts';
import type { HouseOrder, HouseReport, Measured, Plan } from './house.ts';

export interface Stage {
  readonly url: string;
  /** Start a run and wait until its past is told. */
  begin(plan: Plan): Promise<{ readonly run: string; readonly name: string; readonly seq: number }>;
  /** Let a run say what it has to say now, or end. Resolves when it is said. */
  go(name: string): Promise<void>;
  enough(name: string): void;
  crowd(order: Exclude<CrowdOrder, { report: unknown }>): void;
  /** How the crowd is, once it is as it should be. */
  until(isThere: (report: CrowdReport) => boolean, seq?: number): Promise<CrowdReport>;
  measure(): Promise<Measured>;
  close(): Promise<void>;
}

export async function stage(): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-viewers-'));
  const house = fork(join(import.meta.dirname, 'house.ts'), [folder], { stdio: 'inherit' });
  const { url } = await heard(house, (told: HouseReport) => ('url' in told ? told : undefined));
  const crowd = fork(join(import.meta.dirname, 'crowd.ts'), [url], { stdio: 'inherit' });
  await heard(crowd, (told: object) => ('ready' in told ? told : undefined));
  for (const child of [house, crowd]) child.setMaxListeners(0);
  const told = (name: string): Promise<unknown> =>
    heard(house, (news: HouseReport) => ('name' in news && news.name === name ? news : undefined));
  return {
    url,
    begin: (plan) => begin(url, plan, told(plan.name)),
    async go(name) {
      const said = told(name);
      house.send({ go: name } satisfies HouseOrder);
      await said;
    },
    enough: (name) => void house.send({ enough: name } satisfies HouseOrder),
    crowd: (what) => void crowd.send(what),
    async until(isThere, seq = 0) {
      for (;;) {
        const answer = heard(crowd, (news: CrowdReport) => ('faults' in news ? news : undefined));
        crowd.send({ report: { seq } });
        const now = await answer;
        if (isThere(now) || now.faults.length > 0) return now;
        await sleep(50);
      }
    },
    async measure() {
      const answer = heard(house, (news: HouseReport) => ('measured' in news ? news.measured : undefined));
      house.send({ measure: true } satisfies HouseOrder);
      return answer;
    },
    async close() {
      await Promise.all([house, crowd].map(gone));
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function begin(url: string, plan: Plan, isTold: Promise<unknown>): ReturnType<Stage['begin']> {
  const response = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ input: { text: JSON.stringify(plan) } }),
  });
  if (!response.ok) throw new Error(`${plan.name} was not started: ${await response.text()}`);
  const { run } = (await response.json()) as { readonly run: string };
  await isTold;
  return { run, name: plan.name, seq: await headOf(url, run, 3 + plan.past.pieces) };
}

/** The first thing a child says that is what we wait for. */
function heard<Told, T>(child: ChildProcess, wanted: (told: Told) => T | undefined): Promise<T> {
  return new Promise((resolve, reject) => {
    const hear = (told: Told): void => {
      const found = wanted(told);
      if (found === undefined) return;
      child.off('message', hear);
      resolve(found);
    };
    child.on('message', hear);
    child.once('exit', (code) => reject(new Error(`a process ended with ${code}`)));
  });
}

/** What was said is durable a moment later. */
async function headOf(url: string, run: string, least: number): Promise<number> {
  for (;;) {
    const response = await fetch(`${url}/api/runs?limit=200`);
    const { runs } = (await response.json()) as {
      readonly runs: readonly { readonly run: string; readonly seq: number }[];
    };
    const seq = runs.find((row) => row.run === run)?.seq ?? 0;
    if (seq >= least) return seq;
    await sleep(20);
  }
}

function gone(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGKILL');
  });
}
