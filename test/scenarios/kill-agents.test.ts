import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { textOf } from '../../src/run/tree.ts';
import type { Places } from '../kill/coordinated.ts';
import { pointsAt, type Point } from '../kill/job.ts';
import { sized } from '../long.ts';
import { disturbed, inFolder, isDoubt, type Judge, type Outcome } from '../kill/sweep.ts';

const atOnce = 3;
/** At which records it is killed. */
const each = sized(7, 1);
const processes: ChildProcess[] = [];
const folder = mkdtempSync(join(tmpdir(), 'vitrine-agents-'));
let places: Places;
let nextUser = 1;

beforeAll(async () => {
  const model = await startAgent('model', { PACE: '0' });
  const environment = { MODEL_URL: `${model}/v1`, DATABASE: join(folder, 'users.db') };
  const [users, general] = await Promise.all([
    startAgent('user-service', environment),
    startAgent('general-agent', environment),
  ]);
  places = { users, general };
});

afterAll(async () => {
  for (const agent of processes) {
    const gone = once(agent, 'close');
    agent.kill('SIGTERM');
    await gone;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** An agent of the demo world in a process of its own; gives where it listens. */
async function startAgent(name: string, environment: Record<string, string>): Promise<string> {
  const main = fileURLToPath(new URL(`../../demo/${name}/main.ts`, import.meta.url));
  const agent = spawn(process.execPath, [main], {
    env: { ...process.env, ...environment, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  processes.push(agent);
  for await (const line of createInterface(agent.stdout)) {
    const [url] = /http:\S+/.exec(line) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(`${name} did not start`);
}

interface Change {
  readonly action: string;
  readonly user_id: number;
}

async function deletionsOf(user: number): Promise<number> {
  const changes = (await (await fetch(`${places.users}/changes`)).json()) as Change[];
  return changes.filter(({ action, user_id: id }) => action === 'deleted' && id === user).length;
}

/** Each case deletes a user of its own; where it is doubtful, a person goes on as if it was done, which repeats nothing. */
function deletion(point: Point): Promise<Outcome & { readonly deletions: number }> {
  const user = (nextUser += 1);
  const judge: Judge = {
    decide: (_, { approval, fingerprint }) => ({
      type: 'decide',
      by: 'heir',
      approval,
      fingerprint,
      decision: 'approve',
    }),
    wrongs: () => [],
  };
  return inFolder(async (data) => {
    const job = {
      folder: data,
      point,
      text: `Delete user ${user}`,
      work: { flow: 'coordinated', places },
    } as const;
    const outcome = await disturbed(job, judge);
    return { ...outcome, deletions: await deletionsOf(user) };
  });
}

test(
  '[L6] SIGKILL of a coordinator at its records: a user is deleted once, or the doubt is shown',
  { timeout: 1_500_000 },
  async () => {
    const undisturbed = await deletion({ when: 'never' });
    expect(undisturbed.wrongs).toEqual([]);
    expect(undisturbed.deletions).toBe(1);
    const points = pointsAt(undisturbed.entries.length, each);
    const seen = { cut: 0, doubts: 0, deleted: 0 };
    const queue = points.entries();
    const sweep = async (): Promise<void> => {
      for (const [, point] of queue) {
        const { entries, tree, wrongs, doubts, deletions, wasCut } = await deletion(point);
        const name = JSON.stringify(point);
        seen.cut += wasCut ? 1 : 0;
        if (entries.length === 0) continue;
        expect(wrongs, name).toEqual([]);
        expect(tree.ended?.outcome, name).toBe('completed');
        expect(deletions, name).toBeLessThanOrEqual(1);
        const isShown = [...tree.approvals.values()].some(isDoubt);
        expect(deletions === 1 || isShown, `${name}: not deleted, and nobody was asked`).toBe(true);
        const said = [...tree.steps.values()].find(({ agent, kind }) => agent === 'users' && kind === 'turn');
        expect(isShown || textOf(said ?? expect.fail('no turn')).includes('Deleted'), name).toBe(true);
        seen.doubts += doubts;
        seen.deleted += deletions;
      }
    };
    await Promise.all(Array.from({ length: atOnce }, sweep));
    expect(seen.cut).toBeGreaterThan(points.length * 0.9);
    expect(seen.deleted).toBeGreaterThan(points.length * 0.8);
    expect(seen.doubts, 'doubts that were asked about').toBeGreaterThan(0);
  },
);
