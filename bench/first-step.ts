// From starting the demo on an empty folder to the first nested step on the screen.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const rounds = 5;
const must = 8;
const aim = 5;

export async function firstStepBench(): Promise<void> {
  const times: number[] = [];
  for (let i = 0; i < rounds; i += 1) times.push(await firstStep());
  times.sort((a, b) => a - b);
  const median = times[Math.floor(rounds / 2)] ?? 0;
  console.log(`\nfirst-step: from npm start on an empty folder to the first nested step, ${rounds} times`);
  console.log(
    `  median ${median.toFixed(2)} s   worst ${(times.at(-1) ?? 0).toFixed(2)} s   must ${must} s, aim ${aim} s`,
  );
}

async function firstStep(): Promise<number> {
  const data = mkdtempSync(join(tmpdir(), 'vitrine-first-'));
  const began = performance.now();
  const child = spawn('npm', ['start', '--', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  for await (const line of createInterface(child.stdout)) {
    // Two levels below the run: four spaces before the mark.
    if (!/^ {4}●/.test(line)) continue;
    const seconds = (performance.now() - began) / 1_000;
    child.kill('SIGTERM');
    await gone;
    rmSync(data, { recursive: true, force: true });
    return seconds;
  }
  throw new Error('the demo ended without a nested step');
}
